package e2e

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// editedKind is a kind of the oracle: how its objects begin, and what may happen
// to them. Values are from small sets, so that edits meet.
type editedKind struct {
	prefix   string
	resource schema.GroupVersionResource
	template string
	edits    []edit
	// cluster: the objects have no namespace.
	cluster bool
	// named gives an object whose name is not free its name, and the body what
	// belongs to it.
	named func(body map[string]any, seed uint64) string
}

// edit changes one thing of an object, in a way that keeps it valid, and says what.
type edit func(r *rand.Rand, body map[string]any) string

func (k editedKind) edit(r *rand.Rand, body map[string]any) string {
	return k.edits[r.IntN(len(k.edits))](r, body)
}

// set gives the field at a path one of some values; a nil removes it. In the path, ~1
// is a slash that belongs to a key.
func set(path string, values ...any) edit {
	return func(r *rand.Rand, body map[string]any) string {
		value := runtime.DeepCopyJSONValue(values[r.IntN(len(values))])
		put(body, steps(path), value)
		return fmt.Sprintf("%s=%v", path, value)
	}
}

func steps(path string) []string {
	all := strings.Split(path, "/")
	for i := range all {
		all[i] = strings.ReplaceAll(all[i], "~1", "/")
	}
	return all
}

// put walks maps by key, making them on the way, and lists by index. A list that
// is too short or missing ends the walk.
func put(at any, path []string, value any) {
	switch at := at.(type) {
	case map[string]any:
		if len(path) == 1 && value == nil {
			delete(at, path[0])
			return
		}
		if len(path) == 1 {
			at[path[0]] = value
			return
		}
		if at[path[0]] == nil {
			if _, err := strconv.Atoi(path[1]); err == nil {
				return // a list that is not there
			}
			at[path[0]] = map[string]any{}
		}
		put(at[path[0]], path[1:], value)
	case []any:
		var index int
		if _, err := fmt.Sscan(path[0], &index); err == nil && index < len(at) {
			put(at[index], path[1:], value)
		}
	}
}

// item changes a list of maps with keys, separated by commas: it removes the item
// with those of one of the items, or replaces it, or puts it at the end or the
// beginning.
func item(path, keys string, items ...map[string]any) edit {
	id := func(item any) string {
		var id string
		for _, key := range strings.Split(keys, ",") {
			// A number may be an int64 or, just decoded, a float64.
			id += fmt.Sprint(item.(m)[key], "/")
		}
		return id
	}
	return func(r *rand.Rand, body map[string]any) string {
		wanted := items[r.IntN(len(items))]
		old, _ := get(body, strings.Split(path, "/")).([]any)
		var kept []any
		for _, i := range old {
			if id(i) != id(wanted) {
				kept = append(kept, i)
			}
		}
		what := "without"
		switch choice := r.IntN(3); {
		case choice == 0 || len(kept) == 0:
			what, kept = "append", append(kept, runtime.DeepCopyJSON(wanted))
		case choice == 1:
			what, kept = "prepend", append([]any{runtime.DeepCopyJSON(wanted)}, kept...)
		}
		put(body, strings.Split(path, "/"), kept)
		return fmt.Sprintf("%s %s %v", path, what, wanted)
	}
}

func get(at any, path []string) any {
	for _, step := range path {
		switch here := at.(type) {
		case map[string]any:
			at = here[step]
		case []any:
			var index int
			if _, err := fmt.Sscan(step, &index); err != nil || index >= len(here) {
				return nil
			}
			at = here[index]
		default:
			return nil
		}
	}
	return at
}

// list is a list, which is empty and not null without items.
func list(items ...any) []any { return append([]any{}, items...) }

// m is a short name for what most values are made of.
type m = map[string]any

// metadata are the edits that every object can have.
func metadata(more ...edit) []edit {
	return append([]edit{
		set("metadata/labels/app", "a", "b"),
		set("metadata/labels/tier", "front", "back", nil),
		set("metadata/annotations/note", "x", "y", "", nil),
	}, more...)
}

// resourceOf names a resource by "group/version/resource", core ones without group.
func resourceOf(path string) schema.GroupVersionResource {
	parts := strings.Split(path, "/")
	if len(parts) == 2 {
		return schema.GroupVersionResource{Version: parts[0], Resource: parts[1]}
	}
	return schema.GroupVersionResource{Group: parts[0], Version: parts[1], Resource: parts[2]}
}
