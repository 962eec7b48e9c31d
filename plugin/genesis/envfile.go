package genesis

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
)

// envFile reads KEY=VALUE lines. It is read anew on each Fetch.
type envFile struct{ path string }

// Check implements Provider: the file has to be there.
func (e envFile) Check(Source) error {
	_, err := os.Stat(e.path)
	return err
}

// Fetch implements Provider. The source's URI and PreferLabel mean nothing.
func (e envFile) Fetch(context.Context, Source) (Fields, error) {
	data, err := os.ReadFile(e.path)
	if err != nil {
		return Fields{}, err
	}
	values, err := ParseEnvFile(data, e.path)
	return Fields{Values: values}, err
}

// ParseEnvFile reads KEY=VALUE lines: blanks around key and value don't count,
// nor do empty lines and those that begin with '#'; one pair of quotes around the
// value is taken off; the last of two equal keys counts. There are no escapes and
// no values of several lines. An error names the line and quotes nothing of it.
func ParseEnvFile(data []byte, path string) (Values, error) {
	values := Values{}
	number := 0
	for line := range bytes.Lines(bytes.TrimPrefix(data, []byte("\uFEFF"))) {
		number++
		text := strings.TrimSpace(string(line))
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		key, value, found := strings.Cut(text, "=")
		key = strings.TrimSpace(key)
		if fault := lineFault(key, found); fault != "" {
			return nil, fmt.Errorf("%s:%d: wanted KEY=VALUE: %s", path, number, fault)
		}
		values[key] = unquoted(strings.TrimSpace(value))
	}
	return values, nil
}

func lineFault(key string, found bool) string {
	switch {
	case !found:
		return "there is no ="
	case key == "":
		return "there is nothing before the ="
	case strings.HasPrefix(key, "export "):
		return "export is not understood"
	case strings.ContainsAny(key, " \t\"'"):
		return "the key has blanks or quotes"
	}
	return ""
}

func unquoted(value string) string {
	if len(value) >= 2 && (value[0] == '"' || value[0] == '\'') && value[len(value)-1] == value[0] {
		return value[1 : len(value)-1]
	}
	return value
}
