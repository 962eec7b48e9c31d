package object

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// Scrub returns text with every value hidden that DefaultMasker hides in these
// bodies. See [Masker.Scrub].
func Scrub(text string, secrets ...map[string]any) string {
	return DefaultMasker().Scrub(text, secrets...)
}

// shortestRun is the length from which a run of bytes counts as part of a
// secret. Shorter ones are hidden only as whole quoted values.
const shortestRun = 4

// hiddenRun stands for what was taken out of a text.
const hiddenRun = "<hidden>"

// Scrub hides in a text, usually a server's error, everything that this masker
// hides in the bodies: whole values and every run of 4 or more of their bytes,
// raw, as base64, and escaped for JSON, Go or a URL. Servers quote pieces of
// what they were sent, so whole values are not enough. Words that server
// messages are made of and the names of the objects stay readable unless they are
// a value as a whole: a reader knows them, and where they were hidden, would know
// that a secret holds them.
func (m Masker) Scrub(text string, bodies ...map[string]any) string {
	if m.Show {
		return text
	}
	forms := secretForms(m.secretValues(bodies))
	if len(forms) > 0 {
		text = withoutQuoted(text)
	}
	text = hideShort(text, forms)
	return cut(text, hiddenPositions(text, forms, publicNames(bodies)))
}

// withoutQuoted hides what the server's type errors quote, in whatever notation it
// printed it: a number is written anew there, and a short value is not looked for.
func withoutQuoted(text string) string {
	return quotedValue.ReplaceAllString(text, "Value:<hidden>}")
}

var quotedValue = regexp.MustCompile(`Value:[^}]*\}`)

// secretValues collects the values that are hidden in the bodies, decoded.
func (m Masker) secretValues(bodies []map[string]any) [][]byte {
	var values [][]byte
	for _, body := range bodies {
		m.walk(body, kindHint(body), nil, func(v maskedValue) any {
			values = append(values, m.valuesOf(v)...)
			return nil
		})
	}
	return values
}

// valuesOf gives the secret parts of one masked value. An annotation that holds
// a former object is public but for what is masked in that object.
func (m Masker) valuesOf(v maskedValue) [][]byte {
	text, isText := v.value.(string)
	if n := len(v.path); isText && n >= 2 && v.path[n-2] == "annotations" {
		if former, err := DecodeJSON([]byte(text)); err == nil {
			return m.secretValues([]map[string]any{former})
		}
	}
	var values [][]byte
	for _, leaf := range leafTexts(v.value) {
		values = append(values, []byte(leaf))
		if decoded, ok := decodeBase64(leaf); ok {
			values = append(values, decoded)
		}
	}
	return values
}

// leafTexts collects the scalars of a value, which may be more than a text where
// it has no business to be.
func leafTexts(value any) []string {
	var texts []string
	switch v := value.(type) {
	case map[string]any:
		for _, key := range sortedKeys(v) {
			texts = append(texts, leafTexts(v[key])...)
		}
	case []any:
		for _, item := range v {
			texts = append(texts, leafTexts(item)...)
		}
	case string:
		texts = []string{v}
	default:
		if number, ok := numberText(value); ok {
			texts = []string{number}
		}
	}
	return texts
}

// secretForms lists the ways in which each value may be written in a text.
func secretForms(values [][]byte) []string {
	var forms []string
	seen := map[string]bool{} // most values look the same in most notations
	for _, value := range values {
		text := string(value)
		escaped, _ := json.Marshal(text)
		plain, _ := EncodeJSON(text)
		for _, form := range []string{
			text,
			base64.StdEncoding.EncodeToString(value),
			base64.URLEncoding.EncodeToString(value),
			string(bytes.Trim(escaped, `"`)),
			string(bytes.Trim(plain, `"`)),
			strings.Trim(strconv.Quote(text), `"`),
			strings.Trim(strconv.QuoteToASCII(text), `"`),
			url.QueryEscape(text),
			url.PathEscape(text),
		} {
			form = strings.TrimRight(form, "=")
			if form != "" && !seen[form] {
				seen[form] = true
				forms = append(forms, form)
			}
		}
	}
	return forms
}

// hideShort hides values under 4 bytes where they stand between quotes; they
// are part of too many words to be hidden everywhere.
func hideShort(text string, forms []string) string {
	for _, form := range forms {
		if len(form) >= shortestRun {
			continue
		}
		for _, quote := range []string{`"`, `'`, "`"} {
			text = strings.ReplaceAll(text, quote+form+quote, quote+hiddenRun+quote)
		}
	}
	return text
}

// hiddenPositions marks each byte of text that is part of a run found in a form.
// The runs of the text are indexed, not those of the forms: a text is short and
// a Secret may be a megabyte.
func hiddenPositions(text string, forms, public []string) []bool {
	hidden := make([]bool, len(text))
	places := map[string][]int{}
	var begins [1 << 16]bool // the first two bytes of the runs: they rule out nearly all
	for i := 0; i+shortestRun <= len(text); i++ {
		run := text[i : i+shortestRun]
		places[run] = append(places[run], i)
		begins[int(run[0])<<8|int(run[1])] = true
	}
	for _, form := range forms {
		for i := 0; i+shortestRun <= len(form); i++ {
			if !begins[int(form[i])<<8|int(form[i+1])] {
				continue
			}
			run := form[i : i+shortestRun]
			for _, at := range places[run] {
				hide(hidden, at, at+shortestRun)
			}
			delete(places, run) // marked for good
		}
	}
	showNames(text, public, hidden)
	showWords(text, hidden)
	for _, form := range forms {
		hideWhole(text, form, hidden)
	}
	showSigns(text, hidden)
	return hidden
}

// showSigns leaves what was hidden before as it is: a text may be scrubbed twice.
func showSigns(text string, hidden []bool) {
	for from := 0; ; {
		i := strings.Index(text[from:], hiddenRun)
		if i < 0 {
			return
		}
		for at := from + i; at < from+i+len(hiddenRun); at++ {
			hidden[at] = false
		}
		from += i + len(hiddenRun)
	}
}

// hideWhole hides a whole value even where it is a word of the server's.
func hideWhole(text, form string, hidden []bool) {
	if len(form) < shortestRun {
		return
	}
	for from := 0; ; {
		i := strings.Index(text[from:], form)
		if i < 0 {
			return
		}
		hide(hidden, from+i, from+i+len(form))
		from += i + 1
	}
}

func hide(hidden []bool, from, to int) {
	for i := from; i < to; i++ {
		hidden[i] = true
	}
}

// cut replaces each marked stretch by one sign of fixed length.
func cut(text string, hidden []bool) string {
	var out strings.Builder
	for i := range len(text) {
		switch {
		case !hidden[i]:
			out.WriteByte(text[i])
		case i == 0 || !hidden[i-1]:
			out.WriteString(hiddenRun)
		}
	}
	return out.String()
}
