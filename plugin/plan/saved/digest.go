package saved

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// ErrNoKey says that a plan holds secret values and there is no key to digest them
// under. Matched with errors.Is; the error names the object.
var ErrNoKey = errors.New("it holds secret values, and a digest of them without a key could be guessed from")

// Digester digests what a plan is bound to.
type Digester struct {
	// Key is what digests are made under, see NewKey; empty for plain ones.
	Key []byte
	// Masker tells what is secret. It must mask: Show would let values through.
	Masker object.Masker
}

// NewKey makes a key of a secret. It is another one than the secret itself, so
// that a saved plan says nothing about hashes that are made under it elsewhere.
func NewKey(secret []byte) []byte {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte("tazuna saved plan"))
	return mac.Sum(nil)
}

// digest is of values that encode as JSON, in their order. bodies among them are
// looked at for what is secret.
func (d Digester) digest(values ...any) (string, error) {
	for _, v := range values {
		if body, ok := v.(map[string]any); ok && len(d.Key) == 0 && d.secret(body) {
			return "", ErrNoKey
		}
	}
	data, err := object.EncodeJSON(values)
	if err != nil {
		return "", fmt.Errorf("digest: %w", err)
	}
	if len(d.Key) == 0 {
		sum := sha256.Sum256(data)
		return hex.EncodeToString(sum[:]), nil
	}
	mac := hmac.New(sha256.New, d.Key)
	mac.Write(data)
	return hex.EncodeToString(mac.Sum(nil)), nil
}

// secret tells whether anything of a body is masked. A body without a kind counts
// as secret: the masker takes it for a Secret's.
func (d Digester) secret(body map[string]any) bool {
	if len(body) == 0 {
		return false
	}
	mask := d.Masker
	mask.Show = false
	return mask.Masked(body) || !object.Equal(mask.One(body), body)
}
