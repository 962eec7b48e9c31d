package object

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
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
	if !isSecret(body) {
		return Normalise(body), nil
	}
	if len(h.Key) == 0 {
		return nil, fmt.Errorf("%s: %w", RefOf(body), ErrNoHashKey)
	}
	secrets := Masker{Rules: secretRules()}
	return secrets.walk(body, kindName{"", "Secret"}, nil, h.keyed), nil
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
