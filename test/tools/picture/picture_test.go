package main

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParse(t *testing.T) {
	red := style{color: 2}
	tests := map[string]struct {
		in   string
		want [][]span
	}{
		"plain":             {"a\nb\n", [][]span{{{style{}, "a"}}, {{style{}, "b"}}}},
		"an empty line":     {"a\n\nb", [][]span{{{style{}, "a"}}, nil, {{style{}, "b"}}}},
		"a colour and back": {"\x1b[31m- a\x1b[0m b", [][]span{{{red, "- a"}, {style{}, " b"}}}},
		"codes together":    {"\x1b[31;7mx\x1b[0;22;27m", [][]span{{{style{color: 2, reverse: true}, "x"}}}},
		"a short reset":     {"\x1b[1mx\x1b[my", [][]span{{{style{bold: true}, "x"}, {style{}, "y"}}}},
		"over lines":        {"\x1b[31ma\nb\x1b[0m", [][]span{{{red, "a"}}, {{red, "b"}}}},
		"bright":            {"\x1b[91mx\x1b[39my", [][]span{{{style{color: 10}, "x"}, {style{}, "y"}}}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := parse(tt.in)
			require.NoError(t, err)
			require.Equal(t, tt.want, got)
		})
	}
}

func TestParseRefusesWhatItCantDraw(t *testing.T) {
	for _, in := range []string{"\x1b[2J", "a\x1b[48;5;1mb", "\x1b[31", "\x1b[4mx"} {
		_, err := parse(in)
		require.ErrorContains(t, err, "line 1: escape sequence", "%q", in)
	}
}

func TestRunDrawsAllText(t *testing.T) {
	var out strings.Builder
	require.NoError(t, run(strings.NewReader("\x1b[31m  1 - a: <b>\x1b[0m\n\x1b[32;7mnew\x1b[0m\n"), &out, "kubectl tazuna diff & more"))
	got := out.String()
	assert.NotContains(t, got, "\x1b")
	for _, want := range []string{
		`>kubectl tazuna diff &amp; more<`, `fill="#ff8f87">  1 - a: &lt;b&gt;<`,
		`<rect x="18.0" y="69.0" width="25.2" height="18.0" rx="2" fill="#56d364"/>`, `fill="#0d1117">new<`,
	} {
		assert.Contains(t, got, want)
	}
	for decoder := xml.NewDecoder(strings.NewReader(got)); ; {
		_, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
	}
}
