package values

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// Digest names values by their content: "sha256:…", the same for equal ones. It is
// no secret-keeper: whoever can guess the values can check the guess.
func Digest(values map[string]any) (string, error) {
	data, err := object.EncodeJSON(canonical(values))
	if err != nil {
		return "", fmt.Errorf("digest of values: %w", err)
	}
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:]), nil
}

// canonical writes every number in one way.
func canonical(value any) any {
	switch v := value.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, item := range v {
			out[key] = canonical(item)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = canonical(v[i])
		}
		return out
	case json.Number:
		return canonicalNumber(string(v))
	case float64:
		return canonicalNumber(new(big.Float).SetFloat64(v).Text('g', -1))
	case int:
		return int64(v)
	}
	return value
}

// maxExponent bounds what is written out: 1e999999999 has no business in values.
const maxExponent = 400

func canonicalNumber(text string) any {
	f, _, err := big.ParseFloat(text, 10, 1024, big.ToNearestEven)
	if err != nil {
		return json.Number(text)
	}
	if exponent := f.MantExp(nil); exponent > maxExponent*4 || exponent < -maxExponent*4 {
		return json.Number(text)
	}
	if i, accuracy := f.Int64(); accuracy == big.Exact {
		return i
	}
	return json.Number(f.Text('g', -1))
}
