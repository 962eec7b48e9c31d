package object

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// DecodeJSON reads one JSON object with exact numbers (see [Object.Body]).
// Anything after it but white space is an error.
func DecodeJSON(data []byte) (map[string]any, error) {
	value, err := decodeValue(data)
	if err != nil {
		return nil, err
	}
	body, ok := value.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("decode JSON: wanted an object, found %s", typeName(value))
	}
	return body, nil
}

func decodeValue(data []byte) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, fmt.Errorf("decode JSON: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("decode JSON: found more than one value")
	}
	return settleNumbers(value), nil
}

// settleNumbers replaces json.Number by int64 where it fits, in place: the
// value was made by the decoder just now.
func settleNumbers(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for key, item := range v {
			v[key] = settleNumbers(item)
		}
	case []any:
		for i, item := range v {
			v[i] = settleNumbers(item)
		}
	case json.Number:
		return exactNumber(v)
	}
	return value
}

// EncodeJSON writes compact JSON with sorted keys and exact numbers. <, > and &
// are written as they are.
func EncodeJSON(body any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(body); err != nil {
		return nil, fmt.Errorf("encode JSON: %w", err)
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

// typeName is the word people use for the type of a JSON value.
func typeName(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case map[string]any:
		return "a mapping"
	case []any:
		return "a list"
	case string:
		return "text"
	case bool:
		return "a boolean"
	default:
		return "a number"
	}
}
