// Package filter runs jq filters over objects.
//
// What holds: a filter sees nothing but its input: no environment, no files, no
// modules. Integers keep all their digits. Applying a filter ends, at the latest
// when its time is over. A filter changes nothing: input and result share no
// part that the other could change.
package filter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/itchyny/gojq"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

const (
	// timeLimit ends filters that never do, such as "repeat(.)". Filters of
	// packages take microseconds.
	timeLimit = 5 * time.Second
	// maxResults bounds a filter that gives results for ever.
	maxResults = 10000
)

// Filter is a jq program, ready to run. It may be used by several goroutines.
type Filter struct {
	text string
	code *gojq.Code
}

// Compile prepares a filter. A *SyntaxError tells what jq doesn't understand.
func Compile(text string) (*Filter, error) {
	if strings.TrimSpace(text) == "" {
		return nil, &SyntaxError{Filter: text, Text: "the filter is empty"}
	}
	query, err := gojq.Parse(text)
	if err != nil {
		return nil, &SyntaxError{Filter: text, Text: err.Error()}
	}
	code, err := gojq.Compile(query)
	if err != nil {
		return nil, &SyntaxError{Filter: text, Text: err.Error()}
	}
	return &Filter{text: text, code: code}, nil
}

// SyntaxError is a filter that can't be compiled.
type SyntaxError struct {
	Filter string
	Text   string
}

// Error quotes the filter and says what is wrong with it.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("filter %q: %s", e.Filter, e.Text)
}

// String is the filter as it was written.
func (f *Filter) String() string { return f.text }

// Apply runs the filter on a JSON value. One result is returned as it is, several
// as a list, none as null (what shell-operator makes of them).
//
// An error of the filter, or of its time limit, quotes no value of the input:
// jq's own texts do.
func (f *Filter) Apply(ctx context.Context, value any) (any, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, timeLimit, errTooLong)
	defer cancel()
	var results []any
	for next := f.code.RunWithContext(ctx, inputOf(value)); ; {
		result, ok := next.Next()
		if !ok {
			return f.joined(results)
		}
		if err, failed := result.(error); failed {
			var halt *gojq.HaltError
			if errors.As(err, &halt) && halt.Value() == nil {
				return f.joined(results) // jq's halt is a way to end
			}
			return nil, f.failure(ctx, err)
		}
		if results = append(results, result); len(results) > maxResults {
			return nil, fmt.Errorf("filter %q: more than %d results", f.text, maxResults)
		}
	}
}

var errTooLong = fmt.Errorf("took longer than %s", timeLimit)

// Error is a filter that failed on a value.
type Error struct {
	Filter string
	// Text says what happened, without the values that jq quotes.
	Text string
}

// Error quotes the filter and says what happened.
func (e *Error) Error() string { return fmt.Sprintf("filter %q: %s", e.Filter, e.Text) }

func (f *Filter) failure(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return fmt.Errorf("filter %q: %w", f.text, cause)
	}
	return &Error{Filter: f.text, Text: withoutValues(err)}
}

// withoutValues keeps of jq's text what is about kinds and drops what quotes a
// value: the input may be a Secret. "cannot be applied to: string ("seven")"
// keeps the word string.
func withoutValues(err error) string {
	var value interface{ Value() any }
	if errors.As(err, &value) {
		// error(X) of the filter itself: X is made of the input.
		return "the filter called error"
	}
	var out strings.Builder
	depth := 0
	quoted := false
	text := err.Error()
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' || c == ']' || c == '}':
			depth = max(depth-1, 0)
		case depth == 0:
			out.WriteByte(c)
		}
	}
	return strings.Join(strings.Fields(out.String()), " ")
}

func (f *Filter) joined(results []any) (any, error) {
	switch len(results) {
	case 0:
		return nil, nil
	case 1:
		return f.output(results[0])
	}
	return f.output(results)
}

// output turns what gojq gives into a JSON value of the program: int64 or
// json.Number, no NaN.
func (f *Filter) output(result any) (any, error) {
	data, err := gojq.Marshal(result)
	if err != nil {
		return nil, fmt.Errorf("filter %q: encode its result: %w", f.text, err)
	}
	wrapped := append(append([]byte(`{"v":`), data...), '}')
	body, err := object.DecodeJSON(wrapped)
	if err != nil {
		return nil, fmt.Errorf("filter %q: decode its result: %w", f.text, err)
	}
	return body["v"], nil
}

// inputOf copies a value into the types that gojq takes.
func inputOf(value any) any {
	switch v := value.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, item := range v {
			out[key] = inputOf(item)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = inputOf(item)
		}
		return out
	case int64:
		if int64(int(v)) == v {
			return int(v)
		}
		return json.Number(fmt.Sprint(v)) // where int has 32 bits
	}
	return value
}
