package chart

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTemplateErrors(t *testing.T) {
	tests := map[string]struct {
		text string
		want TemplateError
	}{
		"syntax": {"a: 1\nb: {{ if }}\n", TemplateError{
			File: "demo/templates/a.yaml", Line: 2, Text: "missing value for if",
		}},
		"required": {"a: 1\nb: {{ required \"who (is) required\" .Values.who }}\n", TemplateError{
			File: "demo/templates/a.yaml", Line: 2, Column: 6, Text: "who (is) required",
		}},
		"fail": {"{{ fail \"first\\nsecond\" }}\n", TemplateError{
			File: "demo/templates/a.yaml", Line: 1, Column: 3, Text: "first\nsecond",
		}},
		"nil": {"a: {{ .Values.a.b.c }}\n", TemplateError{
			File: "demo/templates/a.yaml", Line: 1, Column: 13,
			Text: "nil pointer evaluating interface {}.b, in <.Values.a.b.c>",
		}},
		"include": {"a: {{ include \"deep\" . }}\n", TemplateError{
			File: "demo/templates/_helpers.tpl", Line: 2, Column: 10,
			Text:    "nil pointer evaluating interface {}.b, in <.Values.a.b>",
			Callers: []string{"demo/templates/a.yaml:1:6"},
		}},
		"no such template": {"a: {{ include \"nowhere\" . }}\n", TemplateError{
			File: "demo/templates/a.yaml", Line: 1, Column: 6,
			Text: "error calling include: template: no template \"nowhere\" associated with template \"gotpl\", in <include \"nowhere\" .>",
		}},
		"tpl": {"a: {{ tpl (printf \"{{ if }} %s\" .Values.password) . }}\n", TemplateError{
			File: "demo/templates/a.yaml", Line: 1, Column: 6, Text: "missing value for if, in a text given to tpl",
		}},
		"in tpl": {"a: {{ tpl (printf \"{{ .Values.a.b.c }} %s\" .Values.password) . }}\n", TemplateError{
			File: "demo/templates/a.yaml", Line: 1, Column: 6,
			Text: "nil pointer evaluating interface {}.b, in <.Values.a.b.c>, in a text given to tpl",
		}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			c := chartOf(t, "-- templates/_helpers.tpl --\n{{ define \"deep\" }}\n{{ .Values.a.b }}{{ end }}\n-- templates/a.yaml --\n"+test.text)
			r := request()
			r.Values = map[string]any{"password": secret}
			_, err := c.Render(t.Context(), r)
			var found *TemplateError
			require.ErrorAs(t, err, &found)
			test.want.cause = found.cause
			assert.Equal(t, test.want, *found, "%s", err)
			assert.NotContains(t, err.Error(), secret)
		})
	}
}

func TestTemplateErrorText(t *testing.T) {
	assert.EqualError(t, &TemplateError{Text: "odd"}, "odd")
	assert.EqualError(t, &TemplateError{File: "a", Line: 2, Text: "odd"}, "a:2: odd")
	assert.EqualError(t, &TemplateError{File: "a", Line: 2, Column: 3, Text: "odd", Callers: []string{"b:1:1", "c:1:1"}},
		"a:2:3: odd (called from b:1:1, c:1:1)")
}

// FuzzTemplate: whatever a template says, the answer is a result or an error, and
// the values of the release are in none of the errors.
func FuzzTemplate(f *testing.F) {
	for _, seed := range []string{
		configMap, "{{ .Values.a.b.c }}", "{{ include \"deep\" . }}", "{{ tpl .Values.password . }}", "a: [",
		"{{ required \"x\" nil }}", "{{ define \"a\" }}{{ template \"a\" }}{{ end }}", "--- x\n---\n- a\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		files := append(filesOf(""), File{Name: "templates/a.yaml", Data: []byte(text)})
		c, err := New(files)
		require.NoError(t, err)
		r := request()
		r.Values = map[string]any{"password": "{{ " + secret}
		result, err := c.Render(t.Context(), r)
		if err == nil {
			assert.NotNil(t, result)
		}
	})
}
