package state

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
)

const (
	// maxDataKey is the API server's limit for a key of ConfigMap.data, in bytes.
	maxDataKey = 253
	// hashedPrefix begins a data key that stands for a longer one; the value
	// holds the state key.
	hashedPrefix = "_h"
	// metadataKey is reserved for the facts about the whole record.
	metadataKey = "_metadata"
	// reservedPrefix begins every data key that is not an object's.
	reservedPrefix = "_"
)

// ErrHashedKey is returned for a data key of the form _h<sha256>: the state key
// is in the value and cannot be read off the data key.
var ErrHashedKey = errors.New("the data key is a hash; the state key is in its value")

// DataKey returns the key under which the object stands in ConfigMap.data: the
// state key with "/" as "__" and every byte outside [-.a-zA-Z0-9] as _x and two
// lower-case hex digits. A result of more than 253 bytes is replaced by _h and
// the SHA-256 of the state key.
func (k Key) DataKey() string {
	if encoded := encodeDataKey(k.String()); len(encoded) <= maxDataKey {
		return encoded
	}
	return hashedDataKey(k)
}

// hashedDataKey returns the form for keys that do not fit.
func hashedDataKey(k Key) string {
	sum := sha256.Sum256([]byte(k.String()))
	return hashedPrefix + hex.EncodeToString(sum[:])
}

// isHashedDataKey tells whether the state key must be looked for in the value.
func isHashedDataKey(s string) bool {
	digits, ok := strings.CutPrefix(s, hashedPrefix)
	return ok && isHash(digits)
}

// isHash tells whether s is a SHA-256 in lower-case hex.
func isHash(s string) bool {
	if len(s) != 2*sha256.Size {
		return false
	}
	for i := range len(s) {
		if !isHexDigit(s[i]) {
			return false
		}
	}
	return true
}

// ParseDataKey reads a data key in either encoding, the present one and the
// older one that knew only "__". A hashed key gives ErrHashedKey.
//
// The older encoding is ambiguous where a name holds "__" or "_x" and two hex
// digits. Names in Kubernetes hold no "_"; only old manifest names could, and a
// record read as a whole settles that with the name it knows.
func ParseDataKey(s string) (Key, error) {
	if isHashedDataKey(s) {
		return Key{}, fmt.Errorf("data key %s: %w", s, ErrHashedKey)
	}
	k, err := ParseKey(decodeDataKey(s))
	if err != nil {
		return Key{}, fmt.Errorf("data key %s: %w", s, err)
	}
	return k, nil
}

// parseDataKeyOf reads a data key found in the record of a manifest. Knowing the
// name, it also reads old keys of manifests whose name holds "_x2d" or "__". Its
// errors do not repeat the key.
func parseDataKeyOf(manifest, s string) (Key, error) {
	k, err := ParseKey(decodeDataKey(s))
	if err == nil && k.Manifest == manifest {
		return k, nil
	}
	if rest, ok := strings.CutPrefix(s, manifest+"__"); ok {
		if old, oldErr := ParseKey("-/" + decodeDataKey(rest)); oldErr == nil {
			old.Manifest = manifest
			return old, nil
		}
	}
	switch {
	case err == nil:
		return Key{}, fmt.Errorf("it belongs to manifest %q, not to %q", k.Manifest, manifest)
	case strings.HasPrefix(s, reservedPrefix):
		return Key{}, errors.New("this version does not know the key; a newer version wrote it")
	default:
		return Key{}, err
	}
}

// encodeDataKey escapes a state key.
func encodeDataKey(s string) string {
	var b strings.Builder
	b.Grow(len(s) + 8)
	for i := range len(s) {
		switch c := s[i]; {
		case c == '/':
			b.WriteString("__")
		case isPlain(c):
			b.WriteByte(c)
		default:
			b.WriteString("_x")
			b.WriteString(hex.EncodeToString([]byte{c}))
		}
	}
	return b.String()
}

// decodeDataKey undoes encodeDataKey from left to right; an underscore that
// begins no escape stands for itself, as the older encoding wrote it.
func decodeDataKey(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		rest := s[i:]
		switch {
		case strings.HasPrefix(rest, "__"):
			b.WriteByte('/')
			i += 2
		case isEscape(rest):
			c, _ := hex.DecodeString(rest[2:4])
			b.Write(c)
			i += 4
		default:
			b.WriteByte(s[i])
			i++
		}
	}
	return b.String()
}

// isEscape tells whether s begins with _x and two lower-case hex digits.
func isEscape(s string) bool {
	return len(s) >= 4 && s[0] == '_' && s[1] == 'x' && isHexDigit(s[2]) && isHexDigit(s[3])
}

// isHexDigit accepts lower case only: that is what both tools write, and each
// form less is an ambiguity less in old keys.
func isHexDigit(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f'
}

// isPlain tells whether a byte is written as it is.
func isPlain(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '.'
}
