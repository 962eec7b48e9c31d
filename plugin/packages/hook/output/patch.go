package output

import (
	"errors"
	"fmt"
	"slices"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/document"
)

// PatchOp is the kind of a step of a JSON patch (RFC 6902).
type PatchOp string

// The kinds of steps.
const (
	OpAdd     PatchOp = "add"
	OpRemove  PatchOp = "remove"
	OpReplace PatchOp = "replace"
	OpMove    PatchOp = "move"
	OpCopy    PatchOp = "copy"
	OpTest    PatchOp = "test"
)

// PatchStep is one step of a JSON patch.
type PatchStep struct {
	Op   PatchOp
	Path string
	// Value is of add, replace and test; null is a value like any other.
	Value any
	// From is of move and copy.
	From string
}

// MarshalJSON writes the step with the keys that its kind has.
func (s PatchStep) MarshalJSON() ([]byte, error) {
	fields := map[string]any{"op": string(s.Op), "path": s.Path}
	switch s.Op {
	case OpAdd, OpReplace, OpTest:
		fields["value"] = s.Value
	case OpMove, OpCopy:
		fields["from"] = s.From
	}
	return object.EncodeJSON(fields)
}

// JSONPatch is a list of steps.
type JSONPatch []PatchStep

// Apply runs the steps on a copy. A step that can't be done is an error, and so is
// a test that fails; nothing is changed then.
func (p JSONPatch) Apply(value any) (any, error) {
	for i, step := range p {
		next, err := step.apply(value)
		if err != nil {
			return nil, fmt.Errorf("step %d (%s %s): %w", i+1, step.Op, step.Path, err)
		}
		value = next
	}
	return value, nil
}

var errTest = errors.New("the value there is another one")

func (s PatchStep) apply(value any) (any, error) {
	path, err := parsePointer(s.Path)
	if err != nil {
		return nil, err
	}
	switch s.Op {
	case OpAdd:
		return add(value, path, s.Value)
	case OpRemove:
		return remove(value, path)
	case OpReplace:
		return replace(value, path, s.Value)
	case OpTest:
		found, err := get(value, path)
		if err != nil {
			return nil, err
		}
		if !object.Equal(found, s.Value) {
			return nil, errTest
		}
		return value, nil
	case OpMove, OpCopy:
		return s.transfer(value, path)
	}
	return nil, fmt.Errorf("there is no step %q", s.Op)
}

// transfer moves or copies a value.
func (s PatchStep) transfer(value any, path pointer) (any, error) {
	from, err := parsePointer(s.From)
	if err != nil {
		return nil, err
	}
	taken, err := get(value, from)
	if err != nil {
		return nil, err
	}
	if s.Op == OpMove {
		if path.within(from) && len(path) > len(from) {
			return nil, errors.New("a value can't be moved into itself")
		}
		if value, err = remove(value, from); err != nil {
			return nil, err
		}
	}
	return add(value, path, taken)
}

func add(value any, p pointer, item any) (any, error) {
	if len(p) == 0 {
		return item, nil
	}
	return change(value, p, p, func(parent any, token string) (any, error) {
		switch v := parent.(type) {
		case map[string]any:
			return with(v, token, item), nil
		case []any:
			at := len(v)
			if token != endOfList {
				var err error
				if at, err = index(token, len(v)); err != nil {
					return nil, &absentError{p}
				}
			}
			return slices.Insert(slices.Clone(v), at, item), nil
		}
		return nil, &absentError{p[:len(p)-1]}
	})
}

func remove(value any, p pointer) (any, error) {
	if len(p) == 0 {
		return nil, errors.New("the whole can't be removed")
	}
	return change(value, p, p, func(parent any, token string) (any, error) {
		switch v := parent.(type) {
		case map[string]any:
			if _, ok := v[token]; ok {
				return without(v, token), nil
			}
		case []any:
			if at, err := index(token, len(v)-1); err == nil {
				return slices.Delete(slices.Clone(v), at, at+1), nil
			}
		}
		return nil, &absentError{p}
	})
}

func replace(value any, p pointer, item any) (any, error) {
	if _, err := get(value, p); err != nil {
		return nil, err
	}
	if len(p) == 0 {
		return item, nil
	}
	return change(value, p, p, func(parent any, token string) (any, error) {
		switch v := parent.(type) {
		case map[string]any:
			return with(v, token, item), nil
		case []any:
			at, err := index(token, len(v)-1)
			if err != nil {
				return nil, &absentError{p}
			}
			out := slices.Clone(v)
			out[at] = item
			return out, nil
		}
		return nil, &absentError{p}
	})
}

// patchSteps reads a list of steps of the given kinds.
func (f *faults) patchSteps(value any, at string, kinds ...PatchOp) JSONPatch {
	patch := JSONPatch{}
	f.List(value, at, func(value any, at string) { patch = append(patch, f.patchStep(value, at, kinds...)) })
	return patch
}

func (f *faults) patchStep(value any, at string, kinds ...PatchOp) PatchStep {
	words := make([]string, len(kinds))
	for i, kind := range kinds {
		words[i] = string(kind)
	}
	var s PatchStep
	has := map[string]bool{}
	read := func(key string, to func(v any, at string)) document.Field {
		return document.Field{Key: key, Null: true, Read: func(v any, at string) { has[key] = true; to(v, at) }}
	}
	ok := f.Mapping(value, at, []document.Field{
		read("op", func(v any, at string) { s.Op = PatchOp(f.Word(v, at, words...)) }),
		read("path", func(v any, at string) { s.Path = f.pointer(v, at) }),
		read("value", func(v any, _ string) { s.Value = v }),
		read("from", func(v any, at string) { s.From = f.pointer(v, at) }),
	})
	if !ok {
		return s
	}
	needs := []string{"op", "path"}
	switch s.Op {
	case OpAdd, OpReplace, OpTest:
		needs = append(needs, "value")
	case OpMove, OpCopy:
		needs = append(needs, "from")
	}
	for _, key := range needs {
		if !has[key] {
			f.Found(document.Join(at, key), "is missing")
		}
	}
	return s
}

func (f *faults) pointer(value any, at string) string {
	text := f.Text(value, at)
	if _, err := parsePointer(text); err != nil {
		f.Found(at, "%v: %q", err, text)
	}
	return text
}
