package object

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// keyedPrefix marks a value that stands for another one's keyed hash.
const keyedPrefix = "hmac:"

// Keyed returns a copy in which each masked value of a Secret is replaced by
// "hmac:" and the lower-case hex of its HMAC-SHA256 under the key, over the
// decoded bytes: base64 in data and the text in stringData give one result.
// data and stringData stay where they were built. Other kinds are returned with
// base64 fields on one line. Without a key a Secret gives ErrNoHashKey.
//
// The result is what a record may keep of an object, and what two sides are
// reduced to when they are compared by it.
func (h Hasher) Keyed(body map[string]any) (map[string]any, error) {
	if !holdsSecrets(body) {
		return Normalise(body), nil
	}
	if len(h.Key) == 0 {
		return nil, fmt.Errorf("%s: %w", RefOf(body), ErrNoHashKey)
	}
	out := copyMap(body)
	w := maskWalk{rules: secretRules(), replace: h.keyed, seen: map[string]bool{}}
	w.selected(out, kindOr(out, kindName{}), nil)
	return out, nil
}

// holdsSecrets tells the kinds whose values enter hashes keyed: Secret, and a
// stranger's Secret if it has the same fields. It doesn't depend on anybody's
// mask rules, as a stored hash has to mean the same for everyone.
func holdsSecrets(body map[string]any) bool {
	gvk := gvkOf(body)
	if !strings.EqualFold(gvk.Kind, "Secret") {
		return false
	}
	return gvk.Group == "" || body["data"] != nil || body["stringData"] != nil
}

func (h Hasher) keyed(v maskedValue) any {
	data, ok := v.bytes()
	if !ok {
		data = nil // not JSON: the hash of the whole body will fail by itself
	}
	sum := hmac.New(sha256.New, h.Key)
	sum.Write(data)
	return keyedPrefix + hex.EncodeToString(sum.Sum(nil))
}
