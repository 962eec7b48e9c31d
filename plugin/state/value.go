package state

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Fields of the values in ConfigMap.data.
const (
	fieldContentHash   = "contentHash"
	fieldKey           = "key"
	fieldGitCommitHash = "gitCommitHash"
	fieldLastSyncedAt  = "lastSyncedAt"
)

// field is one field of a value, in the order it is written.
type field struct{ name, value string }

// encodeEntry returns the value for an entry. Fields of the value it replaces
// that this version does not know are carried over.
func encodeEntry(k Key, hash, replaced string) string {
	fields := []field{{fieldContentHash, hash}}
	if isHashedDataKey(k.DataKey()) {
		fields = append(fields, field{fieldKey, k.String()})
	}
	return encodeValue(fields, replaced)
}

// parseEntry reads one key and value found in the record of a manifest. With an
// error, the key may still be known: then it says whose entry is damaged.
func parseEntry(manifest, dataKey, value string) (Key, string, error) {
	hashed := isHashedDataKey(dataKey)
	var k Key
	var err error
	if !hashed {
		if k, err = parseDataKeyOf(manifest, dataKey); err != nil {
			return Key{}, "", err
		}
		if hash, ok := plainHash(value); ok {
			return k, hash, nil
		}
	}
	fields, err := decodeValue(value)
	if err != nil {
		return k, "", err
	}
	if hashed {
		if k, err = takeKey(manifest, dataKey, fields); err != nil {
			return Key{}, "", err
		}
	}
	hash, err := takeHash(fields)
	if err == nil && len(fields) > 0 {
		err = fmt.Errorf("fields this version does not know: %s; a newer version wrote them",
			strings.Join(slices.Sorted(maps.Keys(fields)), ", "))
	}
	return k, hash, err
}

// plainHash is the quick way through the form that nearly every value has.
func plainHash(value string) (string, bool) {
	hash, ok := strings.CutPrefix(value, `{"contentHash":"`)
	if !ok {
		return "", false
	}
	hash, ok = strings.CutSuffix(hash, `"}`)
	return hash, ok && (hash == "" || isHash(hash))
}

// takeHash removes the content hash from the fields and returns it.
func takeHash(fields map[string]json.RawMessage) (string, error) {
	hash, err := takeString(fields, fieldContentHash)
	if err != nil {
		return "", err
	}
	if hash != "" && !isHash(hash) {
		return "", errors.New("contentHash: wanted 64 lower-case hex digits or nothing")
	}
	return hash, nil
}

// takeKey removes the state key of a hashed entry and checks it against the hash
// it stands under and the manifest.
func takeKey(manifest, dataKey string, fields map[string]json.RawMessage) (Key, error) {
	text, err := takeString(fields, fieldKey)
	if err != nil {
		return Key{}, err
	}
	k, err := ParseKey(text)
	switch {
	case err != nil:
		return Key{}, err
	case hashedDataKey(k) != dataKey:
		return Key{}, fmt.Errorf("the state key %q in the value has another hash than the data key", text)
	case k.Manifest != manifest:
		return Key{}, fmt.Errorf("it belongs to manifest %q, not to %q", k.Manifest, manifest)
	}
	return k, nil
}

// takeString removes a field that must be there and a string.
func takeString(fields map[string]json.RawMessage, name string) (string, error) {
	raw, ok := fields[name]
	if !ok {
		return "", fmt.Errorf("the value has no field %s", name)
	}
	var s *string
	if err := json.Unmarshal(raw, &s); err != nil || s == nil {
		return "", fmt.Errorf("%s: wanted a string", name)
	}
	delete(fields, name)
	return *s, nil
}

// encodeMetadata returns the value of _metadata, keeping unknown fields of the
// one it replaces.
func encodeMetadata(m Metadata, replaced string) string {
	at := ""
	if !m.LastSyncedAt.IsZero() {
		at = m.LastSyncedAt.UTC().Format(time.RFC3339)
	}
	return encodeValue([]field{{fieldGitCommitHash, m.GitCommitHash}, {fieldLastSyncedAt, at}}, replaced)
}

// parseMetadata reads the value of _metadata. Its fields may be missing.
func parseMetadata(value string) (Metadata, error) {
	fields, err := decodeValue(value)
	if err != nil {
		return Metadata{}, err
	}
	m := Metadata{}
	if _, ok := fields[fieldGitCommitHash]; ok {
		if m.GitCommitHash, err = takeString(fields, fieldGitCommitHash); err != nil {
			return Metadata{}, err
		}
	}
	if _, ok := fields[fieldLastSyncedAt]; !ok {
		return m, nil
	}
	at, err := takeString(fields, fieldLastSyncedAt)
	if err != nil || at == "" {
		return m, err
	}
	if m.LastSyncedAt, err = time.Parse(time.RFC3339, at); err != nil {
		return m, fmt.Errorf("%s: wanted a time like 2006-01-02T15:04:05Z", fieldLastSyncedAt)
	}
	return m, nil
}

// decodeValue reads a value as a JSON object. The error does not quote it: the
// text may be anything.
func decodeValue(value string) (map[string]json.RawMessage, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal([]byte(value), &fields); err != nil || fields == nil {
		return nil, errors.New("the value is not a JSON object")
	}
	return fields, nil
}

// encodeValue writes the fields in their order, then what the replaced value had
// beyond them.
func encodeValue(fields []field, replaced string) string {
	var b bytes.Buffer
	b.WriteByte('{')
	others, _ := decodeValue(replaced) // unreadable: nothing to carry over
	for i, f := range fields {
		if i > 0 {
			b.WriteByte(',')
		}
		writeJSON(&b, f.name)
		b.WriteByte(':')
		writeJSON(&b, f.value)
		delete(others, f.name)
	}
	for _, name := range slices.Sorted(maps.Keys(others)) {
		b.WriteByte(',')
		writeJSON(&b, name)
		b.WriteByte(':')
		b.Write(others[name])
	}
	b.WriteByte('}')
	return b.String()
}

// writeJSON writes a string as JSON without escaping for HTML, so that names are
// found by a text search.
func writeJSON(b *bytes.Buffer, s string) {
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always encodes
	b.Truncate(b.Len() - 1)
}
