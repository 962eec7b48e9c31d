package traffic

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Match selects the requests that a rule disturbs, written as comma-separated
// key=value pairs. A key with an empty value asks for an empty field, as in
// "subresource=". The zero value takes every request of a client.
type Match struct {
	fields map[string]string
	// nth is the number of the matching request the rule fires on; zero means all.
	nth int
}

func matchKeys() []string {
	return []string{
		"verb", "group", "resource", "subresource", "namespace", "name",
		"method", "path", "user-agent", "writes", "dry-run",
	}
}

// ParseMatch reads the written form.
func ParseMatch(text string) (Match, error) {
	match := Match{fields: map[string]string{}}
	for pair := range strings.SplitSeq(text, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		key, value, found := strings.Cut(strings.TrimSpace(pair), "=")
		if !found {
			return Match{}, fmt.Errorf("match %q: want key=value", pair)
		}
		if err := match.set(key, value); err != nil {
			return Match{}, err
		}
	}
	return match, nil
}

func (m *Match) set(key, value string) error {
	switch {
	case key == "nth":
		nth, err := strconv.Atoi(value)
		if err != nil || nth < 1 {
			return fmt.Errorf("match nth=%s: want a number from 1", value)
		}
		m.nth = nth
	case key == "writes" || key == "dry-run":
		if value != "true" && value != "false" {
			return fmt.Errorf("match %s=%s: want true or false", key, value)
		}
		m.fields[key] = value
	case slices.Contains(matchKeys(), key):
		m.fields[key] = value
	default:
		return fmt.Errorf("match %s: unknown key, want one of %s or nth", key, strings.Join(matchKeys(), ", "))
	}
	return nil
}

// String is the written form, with sorted keys.
func (m Match) String() string {
	var pairs []string
	for _, key := range matchKeys() {
		if value, set := m.fields[key]; set {
			pairs = append(pairs, key+"="+value)
		}
	}
	if m.nth > 0 {
		pairs = append(pairs, "nth="+strconv.Itoa(m.nth))
	}
	return strings.Join(pairs, ",")
}

// takes tells whether the request has all the asked fields.
func (m Match) takes(r *Request) bool {
	if _, named := m.fields["user-agent"]; r.Own && !named {
		return false
	}
	for key, want := range m.fields {
		if !fieldMatches(r, key, want) {
			return false
		}
	}
	return true
}

func fieldMatches(r *Request, key, want string) bool {
	switch key {
	case "user-agent":
		return strings.HasPrefix(r.UserAgent, want)
	case "path":
		return strings.HasPrefix(r.Path, want)
	case "method":
		return strings.EqualFold(r.Method, want)
	case "writes":
		return strconv.FormatBool(r.Write()) == want
	case "dry-run":
		return strconv.FormatBool(r.DryRun) == want
	default:
		return exactField(r, key) == want
	}
}

func exactField(r *Request, key string) string {
	switch key {
	case "verb":
		return r.Verb
	case "group":
		return r.Group
	case "resource":
		return r.resource
	case "subresource":
		return r.subresource
	case "namespace":
		return r.Namespace
	default:
		return r.Name
	}
}
