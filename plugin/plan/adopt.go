package plan

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/util/csaupgrade"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// adoption is the JSON patch that moves the fields of tools which applied the
// same object before us to our own entry of managedFields; nil where there is
// nothing to move. The patch carries the resourceVersion it was made for. The
// values stay as they are: the server-side apply that follows drops what left
// the files, and only what nobody else owns (field.md #17, KEP-555).
func adoption(live map[string]any, own ownership) ([]byte, error) {
	managers := sets.New[string]()
	for _, e := range own.entries {
		if !own.ours(e.author) && own.adopted(e.author) {
			managers.Insert(e.author.Manager)
		}
	}
	if managers.Len() == 0 {
		return nil, nil
	}
	patch, err := csaupgrade.UpgradeManagedFieldsPatch(&unstructured.Unstructured{Object: live}, managers, own.manager)
	if err != nil {
		return nil, fmt.Errorf("take over the fields of %s: %w", strings.Join(sets.List(managers), ", "), err)
	}
	return patch, nil
}

// afterAdoption takes out of a dry-run's answer what the apply will drop once
// the fields of adopted managers are ours: the server can't know that yet.
func afterAdoption(result map[string]any, e evidence) map[string]any {
	for _, f := range e.cmp.findings {
		if f.d.ok || f.excluded || judge(f, e.ownership) != VerdictRemove || !e.ownership.adoptedAt(f) {
			continue
		}
		result = without(result, f.path)
	}
	return result
}

// without returns a copy of a body that lacks the value at a path; the parents
// along the path are copied, the rest is shared.
func without(body map[string]any, p fieldpath.Path) map[string]any {
	out, _ := cutAt(body, p).(map[string]any)
	return out
}

func cutAt(v any, p fieldpath.Path) any {
	switch t := v.(type) {
	case map[string]any:
		return cutField(t, p)
	case []any:
		return cutElement(t, p)
	default:
		return v
	}
}

func cutField(m map[string]any, p fieldpath.Path) any {
	if p[0].FieldName == nil {
		return m
	}
	name := *p[0].FieldName
	sub, ok := m[name]
	if !ok {
		return m
	}
	out := copyMap(m)
	if len(p) == 1 {
		delete(out, name)
	} else {
		out[name] = cutAt(sub, p[1:])
	}
	return out
}

func cutElement(list []any, p fieldpath.Path) any {
	out := make([]any, 0, len(list))
	for i, v := range list {
		switch {
		case !isElement(v, i, p[0]):
			out = append(out, v)
		case len(p) > 1:
			out = append(out, cutAt(v, p[1:]))
		}
	}
	return out
}
