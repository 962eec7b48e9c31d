package remote

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/debug"
)

func TestParseQuestion(t *testing.T) {
	for path, want := range map[string]question{
		"packages/dump":                    {topic: dumps},
		"packages/dump?name=demo.shop":     {topic: dumps, name: "demo.shop"},
		"queues/dump?secrets=show":         {topic: queues, show: true},
		"scheduler/dump?name=demo.shop":    {topic: nodes, name: "demo.shop"},
		"packages/render/demo.shop":        {topic: renders, name: "demo.shop"},
		"packages/snapshots/demo%2Eshop":   {topic: snapshots, name: "demo.shop"},
		"packages/snapshots/-demo%20;shop": {topic: snapshots, name: "-demo ;shop"},
	} {
		where, err := url.Parse(debug.Prefix + path)
		assert.NoError(t, err)
		got, ok := parseQuestion(where.EscapedPath(), where.Query())
		assert.True(t, ok, path)
		assert.Equal(t, want, got, path)
	}
	for _, path := range []string{"/metrics", debug.Prefix + "requirements/dump", debug.Prefix + "packages/diff/x", debug.Prefix + "packages/render/"} {
		_, ok := parseQuestion(path, nil)
		assert.False(t, ok, path)
	}
}

func TestIsUnknown(t *testing.T) {
	for text, want := range map[string]bool{
		`Error: unknown command "list" for "deckhouse-controller packages queue"`: true,
		"Error: unknown flag: --name":                                                               true,
		"Error: unknown shorthand flag: 'n' in -n":                                                  true,
		"deckhouse-controller: error: unknown long flag '--name', try --help":                       true,
		`deckhouse-controller: error: expected command but got "dump", try --help`:                  true,
		"deckhouse-controller: error: unexpected argument \"x\", try --help":                        true,
		"Error: unexpected status 404: package not found":                                           false,
		"Error: stat socket file '/tmp/deckhouse-debug.socket': no such file":                       false,
		"Error: unexpected status 500: render failed: unknown field \"x\" in template":              false,
		"Error: unexpected status 500: render failed: function \"command\" unknown in the template": false,
	} {
		assert.Equal(t, want, isUnknown(Output{Code: 1, Stderr: []byte(text)}), text)
	}
	assert.False(t, isUnknown(Output{Stderr: []byte("unknown command")}), "a warning of a command that went well")
}
