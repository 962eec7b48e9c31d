package cluster

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

func TestNumbersAreSentAsGiven(t *testing.T) {
	body := map[string]any{
		"int":      int64(9007199254740993),
		"big":      json.Number("123456789012345678901234567890"),
		"fraction": json.Number("1.10"),
		"exponent": json.Number("1e400"),
		"long":     json.Number("0.1000000000000000055511151231257827"),
	}
	data, err := encodeYAML(body)
	require.NoError(t, err)
	assert.Equal(t, `{"big":123456789012345678901234567890,"exponent":1e400,"fraction":1.10,"int":9007199254740993,"long":0.1000000000000000055511151231257827}`, string(data))
}

func TestTextSurvivesYAML(t *testing.T) {
	texts := []string{
		"plain", `"quotes" \ and <html> & more`, "two\nlines\tand a tab", "\x00\x01\x1f", "del \x7f",
		"c1 \u0080\u0085\u009f", "bom \ufeff", "non-characters \ufffe \uffff", "line separator \u2028\u2029",
		"emoji 😀 and 漢字", "yes", "1e3", "- not: a list", "${a} %b @c `d`", "\u00a0",
	}
	for _, text := range texts {
		data, err := encodeYAML(map[string]any{"k": text, text: "v"})
		require.NoError(t, err)
		var fromYAML, fromJSON map[string]any
		require.NoError(t, yaml.Unmarshal(data, &fromYAML), "%q as %s", text, data)
		require.NoError(t, json.Unmarshal(data, &fromJSON))
		assert.Equal(t, text, fromYAML["k"])
		assert.Equal(t, "v", fromYAML[text])
		assert.Equal(t, fromJSON, fromYAML)
	}
}

// Every character that JSON can hold reaches the server as it is.
func TestEveryCharacterSurvivesYAML(t *testing.T) {
	const chunk = 1 << 14
	for from := rune(0); from <= unicode.MaxRune; from += chunk {
		var text strings.Builder
		for r := from; r < from+chunk && r <= unicode.MaxRune; r++ {
			if utf8.ValidRune(r) {
				text.WriteRune(r)
			}
		}
		data, err := encodeYAML(map[string]any{"k": text.String()})
		require.NoError(t, err)
		var got map[string]any
		require.NoError(t, yaml.Unmarshal(data, &got), "from %U", from)
		require.Equal(t, text.String(), got["k"], "from %U", from)
	}
}

func TestEncodeRefusesWhatIsNotJSON(t *testing.T) {
	_, err := encode(map[string]any{"f": func() {}})
	require.ErrorContains(t, err, "encode the object")
}

func FuzzTextSurvivesYAML(f *testing.F) {
	for _, s := range []string{"a", "\x7f", "\u0085", "\ufffe", "😀", `\`, "\x00", "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		data, err := encodeYAML(map[string]any{"k": text})
		require.NoError(t, err)
		var fromYAML, fromJSON map[string]any
		require.NoError(t, json.Unmarshal(data, &fromJSON))
		require.NoError(t, yaml.Unmarshal(data, &fromYAML), "%q", data)
		assert.Equal(t, fromJSON, fromYAML)
	})
}
