package object

import (
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestScrub(t *testing.T) {
	secret := decode(t, `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"},
		"data":{"password":"Zmlyc3QtcGFzcw==","short":"YWI=","word":"bWV0YWRhdGE="},
		"stringData":{"quoted":"say \"hi\" <now>","url":"a b&c=d/e","lines":"first line\nsecond line","config":"spec:\n  name: value of data\n"}}`)
	tests := map[string]struct{ text, want string }{
		"raw": {
			text: `Invalid value: "first-pass": must be shorter`,
			want: `Invalid value: "<hidden>": must be shorter`,
		},
		"base64": {
			text: `cannot decode Zmlyc3QtcGFzcw== here`,
			want: `cannot decode <hidden>== here`,
		},
		"part of a value": {`near "st-pas" and more`, `near "<hidden>" and more`},
		"part of base64":  {`|Qtc` + `GFz|`, `|<hidden>|`},
		"escaped for JSON": {
			text: `body: {"quoted":"say \"hi\" \u003cnow\u003e"}`,
			want: `body: {"quoted":"<hidden>"}`,
		},
		"as Go quotes":  {`"first line\nsecond line"`, `"<hidden>"`},
		"in a URL":      {`GET /x?y=` + url.QueryEscape("a b&c=d/e"), `GET /x?y=<hidden>`},
		"in a path":     {`GET /` + url.PathEscape("a b&c=d/e"), `GET /<hidden>`},
		"short, quoted": {`Invalid value: "ab": cable`, `Invalid value: "<hidden>": cable`},
		"nothing secret": {
			text: `secrets "s" is forbidden: User "me" cannot patch`,
			want: `secrets "s" is forbidden: User "me" cannot patch`,
		},
		"words of a configuration": {
			text: `unknown field "spec.name", expected value of data`,
			want: `unknown field "spec.name", expected value of data`,
		},
		"a word that is a value": {`unknown metadata`, `unknown <hidden>`},
		"empty":                  {``, ``},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, test.want, Scrub(test.text, secret))
		})
	}
}

func TestScrubLeavesPublicObjectsAlone(t *testing.T) {
	public := decode(t, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","annotations":{
		"kubectl.kubernetes.io/last-applied-configuration":"{\"kind\":\"ConfigMap\",\"data\":{\"host\":\"db.example\"}}"}},"data":{"host":"db.example"}}`)
	const text = `ConfigMap "a" is invalid: data[host]: Invalid value: "db.example"`
	assert.Equal(t, text, Scrub(text, public))
	assert.Equal(t, text, Scrub(text, nil))
	assert.Equal(t, text, Scrub(text))
}

func TestScrubReadsFormerObjects(t *testing.T) {
	live := decode(t, `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"a","annotations":{
		"kubectl.kubernetes.io/last-applied-configuration":"{\"kind\":\"Secret\",\"stringData\":{\"p\":\"old-password\"}}",
		"kapp.k14s.io/original":"not JSON: other-password"}}}`)
	got := Scrub(`had old-password and other-password`, live)
	assert.NotContains(t, got, "assw")
}

func TestScrubNeedsTheUsersRules(t *testing.T) {
	m := DefaultMasker()
	m.Rules = append(m.Rules, MaskRule{Group: "*", Kind: "App", Paths: []Path{{"spec", "token"}}})
	body := decode(t, `{"apiVersion":"x.io/v1","kind":"App","spec":{"token":"tok-123456","port":8080}}`)
	assert.Equal(t, `<hidden> 8080`, m.Scrub(`tok-123456 8080`, body))
}

func TestScrubOfALargeSecret(t *testing.T) {
	large := map[string]any{"kind": "Secret", "stringData": map[string]any{"x": strings.Repeat("0123456789", 100_000)}}
	assert.Equal(t, "near <hidden> end", Scrub("near 34567890123 end", large))
}

// A text may be scrubbed by who knows one object and again by who knows another.
func TestScrubTwice(t *testing.T) {
	secret := map[string]any{"kind": "Secret", "stringData": map[string]any{"a": "it was hidden here", "b": "<hid", "c": "swordfish"}}
	once := Scrub("no swordfish", secret)
	assert.Equal(t, "no <hidden>", once)
	assert.Equal(t, once, Scrub(once, secret))
}
