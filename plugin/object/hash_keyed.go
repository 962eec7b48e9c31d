package object

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// keyedPrefix marks a value that stands for another one's keyed hash.
const keyedPrefix = "hmac:"

// Keyed returns a copy in which each masked value of a Secret is replaced by
// "hmac:" and the lower-case hex of its HMAC-SHA256 under the key, over the
// decoded bytes: base64 in data and the text in stringData give one result.
// data and stringData stay where they were built. So is each value that Hide
// chooses, of any kind, over its JSON text. All else has base64 fields on one line.
// Where there is a value to hash and no key it gives ErrNoHashKey.
//
// The result is what a record may keep of an object, and what two sides are
// reduced to when they are compared by it.
func (h Hasher) Keyed(body map[string]any) (map[string]any, error) {
	secret, hidden := holdsSecrets(body), h.hidden(body)
	if !secret && len(hidden) == 0 {
		return Normalise(body), nil
	}
	out, seen, hashed := copyMap(body), map[string]bool{}, secret
	if secret && len(h.Key) > 0 {
		w := maskWalk{rules: secretRules(), replace: h.keyed, seen: seen}
		w.selected(out, kindOr(out, kindName{}), nil)
	} else if !secret {
		out = Normalise(out)
	}
	exactly := func(v maskedValue) any {
		hashed = true
		return h.exactly(v.value)
	}
	w := maskWalk{rules: hidden, replace: exactly, seen: seen}
	w.selected(out, kindOr(out, kindName{}), nil)
	if hashed && len(h.Key) == 0 {
		return nil, fmt.Errorf("%s: %w", RefOf(body), ErrNoHashKey)
	}
	return out, nil
}

// hidden are the rules of Hide for an object, without what they say of the values
// of a Secret: these are hashed by a way of their own.
func (h Hasher) hidden(body map[string]any) []MaskRule {
	if h.Hide == nil {
		return nil
	}
	rules := h.Hide(body)
	if !holdsSecrets(body) {
		return rules
	}
	var out []MaskRule
	for _, rule := range rules {
		rule.Paths = slices.DeleteFunc(slices.Clone(rule.Paths), func(p Path) bool {
			return len(p) > 0 && (p[0] == "data" || p[0] == "stringData")
		})
		if len(rule.Paths) > 0 {
			out = append(out, rule)
		}
	}
	return out
}

// Hidden lists the paths of the values that Hide chooses in an object, sorted, each
// once. A record notes them, so that whoever has not the rules hides the same.
func (h Hasher) Hidden(body map[string]any) []Path {
	var out []Path
	for _, rule := range h.hidden(body) {
		out = append(out, rule.Paths...)
	}
	slices.SortFunc(out, slices.Compare)
	return slices.CompactFunc(out, slices.Equal)
}

// HidePaths makes rules of noted paths of an object.
func HidePaths(of Ref, paths []Path) []MaskRule {
	if len(paths) == 0 {
		return nil
	}
	return []MaskRule{{Group: of.Group, Kind: of.Kind, Paths: paths}}
}

// Reveal returns a copy of a recorded body in which keyed hashes that stand for a
// value of another body, at any place that the rules choose there, are replaced by
// that value. Others stay, and equal nothing. Without a key all stay.
func (h Hasher) Reveal(recorded map[string]any, rules []MaskRule, from ...map[string]any) map[string]any {
	known := map[string]any{}
	for _, body := range from {
		if body == nil || len(h.Key) == 0 {
			continue
		}
		w := maskWalk{rules: rules, seen: map[string]bool{}, replace: func(v maskedValue) any {
			known[h.exactly(v.value)] = v.value
			return nil
		}}
		body = Normalise(copyMap(body)) // the walk writes into it
		w.selected(body, kindOr(body, kindName{}), nil)
	}
	return revealAll(recorded, func(hash string) (any, bool) {
		v, ok := known[hash]
		return v, ok
	})
}

// revealAll copies a body with the hashes in it replaced by what is known of them.
func revealAll(body map[string]any, known func(hash string) (any, bool)) map[string]any {
	var walk func(v any) any
	walk = func(v any) any {
		switch v := v.(type) {
		case map[string]any:
			out := make(map[string]any, len(v))
			for k, item := range v {
				out[k] = walk(item)
			}
			return out
		case []any:
			out := make([]any, len(v))
			for i, item := range v {
				out[i] = walk(item)
			}
			return out
		case string:
			if found, ok := known(v); ok && IsKeyed(v) {
				return found
			}
		}
		return v
	}
	out, _ := walk(body).(map[string]any)
	return out
}

// IsKeyed tells a text that has the form of a keyed hash.
func IsKeyed(value any) bool {
	text, _ := value.(string)
	digits, ok := strings.CutPrefix(text, keyedPrefix)
	if !ok || len(digits) != hex.EncodedLen(sha256.Size) {
		return false
	}
	return strings.Trim(digits, "0123456789abcdef") == ""
}

// exactly is the keyed hash of a value as it is: two spellings are two values, and a
// number is no text.
func (h Hasher) exactly(value any) string {
	data, err := json.Marshal(value)
	if err != nil {
		data = nil // not JSON: the hash of the whole body will fail by itself
	}
	sum := hmac.New(sha256.New, h.Key)
	sum.Write([]byte("json\x00"))
	sum.Write(data)
	return keyedPrefix + hex.EncodeToString(sum.Sum(nil))
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
