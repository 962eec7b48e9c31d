package plan

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// Adoptables turn live objects of other tools into what these asked for, in live
// values: wanting that changes nothing. Safe for one goroutine.
type Adoptables struct {
	Reader   Reader
	releases helmReleases
}

// Of is the part of a live object that a tool applied: as kapp's copy, client-side
// kubectl apply's annotation or the manifest of its Helm release has it, else as
// managedFields tell of the managers that take part in an adoption. Marks and history
// of other tools are not in it. The error says that nothing of this is there.
func (a *Adoptables) Of(ctx context.Context, m cluster.Mapping, live *unstructured.Unstructured) (map[string]any, error) {
	s, err := a.Reader.Schema(ctx, m.GVK)
	if err != nil {
		return nil, fmt.Errorf("read the schema of kind %s: %w", m.GVK.Kind, err)
	}
	ref := object.RefOf(live.Object)
	asked, ok := annotated(live.Object, kappOriginal)
	if !ok {
		asked, ok = annotated(live.Object, lastAppliedAnnotation)
	}
	if !ok {
		if asked, err = a.releases.applied(ctx, a.Reader, ref, live.Object); err != nil {
			return nil, err
		}
	}
	whole := withoutMarks(withoutStatus(comparable(live.Object)), nil)
	if asked == nil {
		return ofManagers(whole, live.Object, s)
	}
	asked = withKindAndName(asked, live.Object)
	body, _ := restrict(whole, whole, withoutMarks(asked, nil), nil, s, false)
	return body, nil
}

// withKindAndName sees to it that what names an object is in its body: what Helm
// renders has no namespace.
func withKindAndName(body, live map[string]any) map[string]any {
	out, meta := copyMap(body), copyMap(mapAt(body, "metadata"))
	out["apiVersion"], out["kind"] = live["apiVersion"], live["kind"]
	for _, k := range []string{"name", "namespace"} {
		if v := mapAt(live, "metadata")[k]; v != nil {
			meta[k] = v
		}
	}
	out["metadata"] = meta
	return out
}

// ofManagers is what tools that are taken over from own of an object.
func ofManagers(whole, live map[string]any, s *cluster.Schema) (map[string]any, error) {
	entries, err := owners(live)
	if err != nil {
		return nil, err
	}
	policy := ManifestPolicy()
	policy.AdoptApplied = true
	own := ownership{manager: policy.FieldManager, adopted: policy.adopts, entries: entries}
	set := own.wanted()
	if set.Empty() {
		return nil, fmt.Errorf("%s: nothing says what was applied: no copy, no release, no manager that is known", object.RefOf(live))
	}
	body, _ := extract(s, whole, set).(map[string]any)
	return withKindAndName(body, live), nil
}

// extract cuts a value down to the fields of a set. A field that is in the set itself
// is taken as it is, but for a mapping of which others may own the rest.
func extract(s *cluster.Schema, v any, set *fieldpath.Set) any {
	switch t := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, sub := range t {
			if kept, ok := extractAt(s.Field(k), sub, set, field(k)); ok {
				out[k] = kept
			}
		}
		return out
	case []any:
		return extractElements(s, t, set)
	}
	return v
}

// extractAt cuts one field or element; false where the set has nothing of it.
func extractAt(s *cluster.Schema, v any, set *fieldpath.Set, e fieldpath.PathElement) (any, bool) {
	below, member := set.WithPrefix(e), set.Members.Has(e)
	switch {
	case !below.Empty():
		return extract(s, v, below), true
	case !member:
		return nil, false
	}
	if _, isMap := v.(map[string]any); isMap && s.Known() && !s.MapAtomic() {
		return map[string]any{}, true
	}
	return v, true
}

// extractElements does so for a list, in its order. An element of which only its
// existence is in the set is its keys.
func extractElements(s *cluster.Schema, list []any, set *fieldpath.Set) []any {
	named := map[int]fieldpath.PathElement{}
	note := func(e fieldpath.PathElement) {
		if i := indexOf(list, e); i >= 0 {
			named[i] = e
		}
	}
	set.Members.Iterate(note)
	set.Children.Iterate(note)
	out := []any{}
	for i, v := range list {
		e, ok := named[i]
		if !ok {
			continue
		}
		kept, _ := extractAt(s.Item(), v, set, e)
		if m, isMap := kept.(map[string]any); isMap && len(m) == 0 {
			for _, key := range s.ListMapKeys() {
				if have := lookup(mapOf(v), fieldpath.MakePathOrDie(key)); have.ok {
					m[key] = have.v
				}
			}
		}
		out = append(out, kept)
	}
	return out
}

func mapOf(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

// HelmRelease are the objects that a Helm release deployed last, as they were
// rendered: without a namespace where the chart names none. None where there is no
// such release.
func HelmRelease(ctx context.Context, c Reader, namespace, name string) ([]object.Object, error) {
	return readRelease(ctx, c, namespace, name)
}
