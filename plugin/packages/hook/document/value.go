package document

import (
	"bytes"
	"encoding/json"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// settle decodes one JSON value with exact numbers, by the one reader of numbers
// that the program has. That one takes objects, so the value is put into one.
func settle(data []byte) (any, error) {
	wrapped := make([]byte, 0, len(data)+len(`{"v":}`))
	wrapped = append(wrapped, `{"v":`...)
	wrapped = append(wrapped, data...)
	wrapped = append(wrapped, '}')
	body, err := object.DecodeJSON(wrapped)
	if err != nil {
		return nil, err
	}
	return body["v"], nil
}

// doubleKey looks for an object with the same key twice, of which a decoder would
// silently keep the last. data is one valid JSON value.
func doubleKey(data []byte) (key string, offset int64, twice bool) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var open []map[string]bool // one for each open bracket; nil for lists
	wantKey := false
	for {
		token, err := decoder.Token()
		if err != nil {
			return "", 0, false
		}
		switch t := token.(type) {
		case json.Delim:
			switch t {
			case '{':
				open = append(open, map[string]bool{})
			case '[':
				open = append(open, nil)
			default:
				open = open[:len(open)-1]
			}
			wantKey = len(open) > 0 && open[len(open)-1] != nil
		case string:
			if !wantKey {
				wantKey = len(open) > 0 && open[len(open)-1] != nil
				continue
			}
			keys := open[len(open)-1]
			if keys[t] {
				return t, decoder.InputOffset() - int64(len(t)) - 2, true
			}
			keys[t] = true
			wantKey = false
		default:
			wantKey = len(open) > 0 && open[len(open)-1] != nil
		}
	}
}
