package document

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// FuzzStream looks for text that makes the reader panic, or whose values don't
// survive being written and read.
func FuzzStream(f *testing.F) {
	for _, seed := range []string{
		"a: 1\n---\n{\"b\":[1,2.5,null]}\n{\"c\":{}}", "--- {a: b}\n...\n", "[1, {a: &x 1, b: *x}]", "a: |\n  --- x\n",
		`{"a":"😀","a\u0000":1e400}`, "\uFEFF# c\nn: off\n", "? {a: b}\n: c\n", "<<: {a: 1}\nb: 2\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		documents, err := Stream(data)
		if err != nil {
			var syntax *SyntaxError
			require.ErrorAs(t, err, &syntax)
			return
		}
		var written []byte
		for i, d := range documents {
			require.NotNil(t, d.Value)
			require.Equal(t, i+1, d.Number)
			text, err := object.EncodeJSON(d.Value)
			require.NoError(t, err)
			written = append(written, append(text, '\n')...)
		}
		again, err := JSONStream(written)
		require.NoError(t, err)
		require.Len(t, again, len(documents))
		for i := range again {
			require.Equal(t, documents[i].Value, again[i].Value)
		}
	})
}
