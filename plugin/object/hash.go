package object

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// ErrNoHashKey says that the object is of a masked kind and no key is known, so
// that its content hash can't be told. Its verdict is "unknown".
var ErrNoHashKey = errors.New("the key for content hashes of Secrets is not known")

// Hasher computes content hashes: lower-case hex of the SHA-256 over the JSON
// form of an object without status and without what the server owns of its
// metadata. Equal contents have equal hashes whatever the order of keys.
type Hasher struct {
	// Key is the 32 random bytes under which values of Secrets enter the hash.
	// Nil means that no key is known.
	Key []byte
	// Hide chooses values of an object that enter the hash keyed too: those that
	// the user's rules mask. nil chooses none.
	Hide func(body map[string]any) []MaskRule
}

// Plain returns the hash by the original tool's procedure, with nulls and
// values as they were built. For a Secret it can be guessed from: compare with
// it, never store it.
func (h Hasher) Plain(body map[string]any) (string, error) {
	content := StripServerFields(body)
	if content == nil {
		content = map[string]any{}
	}
	delete(content, "status")
	settled, err := apimachineryNumbers(content)
	if err != nil {
		return "", fmt.Errorf("content hash of %s: %w", RefOf(body), err)
	}
	data, err := json.Marshal(settled)
	if err != nil {
		return "", fmt.Errorf("content hash of %s: %w", RefOf(body), err)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), nil
}

// Content returns the hash that is written to the state. It is Plain of the
// body with these changes: nulls of built-in kinds are left out, base64 fields
// have their one-line form, and each masked value of a Secret, and each that Hide
// chooses, is replaced by its keyed hash: see Keyed. For an object that has one,
// without a key, it returns ErrNoHashKey.
func (h Hasher) Content(body map[string]any) (string, error) {
	keyed, err := h.Keyed(withoutNulls(body))
	if err != nil {
		return "", err
	}
	return h.Plain(keyed)
}

// Matches tells whether stored is a hash of this content: the plain one, with
// or without nulls, or the one that Content writes. "" (written ahead of an
// apply) matches nothing. ErrNoHashKey means that only the key could tell.
func (h Hasher) Matches(body map[string]any, stored string) (bool, error) {
	if stored == "" {
		return false, nil
	}
	bare := withoutNulls(body)
	for _, candidate := range []map[string]any{body, bare} {
		sum, err := h.Plain(candidate)
		if err != nil || sum == stored {
			return err == nil, err
		}
	}
	if h.Hide != nil { // from before it was hidden
		if sum, err := (Hasher{Key: h.Key}).Content(body); err == nil && sum == stored {
			return true, nil
		}
	}
	sum, err := h.Content(body)
	return err == nil && sum == stored, err
}

// withoutNulls drops the nulls of built-in kinds. A custom resource may mean
// something by a null, so its content keeps them.
func withoutNulls(body map[string]any) map[string]any {
	if !BuiltIn(gvkOf(body).Group) {
		return body
	}
	return DropNulls(body, nil)
}

// apimachineryNumbers copies a value with numbers as apimachinery's unstructured
// decoder has them, int64 or else float64, since the hash is over what Go's
// encoding/json makes of those.
func apimachineryNumbers(value any) (any, error) {
	switch v := value.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, item := range v {
			settled, err := apimachineryNumbers(item)
			if err != nil {
				return nil, err
			}
			out[key] = settled
		}
		return out, nil
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			settled, err := apimachineryNumbers(item)
			if err != nil {
				return nil, err
			}
			out[i] = settled
		}
		return out, nil
	case json.Number:
		return apimachineryNumber(v)
	default:
		return value, nil
	}
}

func apimachineryNumber(n json.Number) (any, error) {
	if i, err := strconv.ParseInt(n.String(), 10, 64); err == nil {
		return i, nil
	}
	f, err := strconv.ParseFloat(n.String(), 64)
	if err != nil {
		return nil, errors.New("a number is out of the range of a float64")
	}
	return f, nil
}
