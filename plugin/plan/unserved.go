package plan

import (
	"context"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// unservedOwners lists the versions that managedFields name and the cluster no
// longer serves. The server refuses every server-side apply of a custom resource
// that has such an entry; with built-in kinds it copes by itself.
func (p Planner) unservedOwners(ctx context.Context, o *Object) []string {
	if object.BuiltIn(o.Ref.Group) {
		return nil
	}
	var out []string
	asked := map[string]bool{o.Mapping.GVK.GroupVersion().String(): true}
	for _, e := range (&unstructured.Unstructured{Object: o.Live}).GetManagedFields() {
		if asked[e.APIVersion] {
			continue
		}
		asked[e.APIVersion] = true
		gv, err := schema.ParseGroupVersion(e.APIVersion)
		if err != nil {
			continue
		}
		_, err = p.Cluster.Mapping(ctx, schema.GroupKind{Group: gv.Group, Kind: o.Ref.Kind}, gv.Version)
		if Unserved(err) {
			out = append(out, e.APIVersion)
		}
	}
	return out
}

// decideUnserved plans an object that the server can't be asked about yet: its
// entries are moved to the served version first, and the verdict is our own.
func (o *Object) decideUnserved(e evidence, ready prepared, unserved []string) error {
	to := o.Mapping.GVK.GroupVersion().String()
	live, err := withServedOwners(o.Live, unserved, to)
	if err != nil {
		return fmt.Errorf("%s: %w", o.Ref, err)
	}
	e.cmp.findings = withoutGuesses(e)
	o.conclude(decide(e), e)
	if o.Adopt, err = adoptServed(o, e, live); err != nil {
		return fmt.Errorf("%s: %w", o.Ref, err)
	}
	o.Unverified = fmt.Sprintf("its managedFields name %s, which is no longer served; they are moved to %s first", strings.Join(unserved, ", "), to)
	o.Status = statusPatch(e, ready)
	return nil
}

// withServedOwners returns a copy of a live object whose entries of the given
// versions are of the version to. Entries that become alike are joined.
func withServedOwners(live map[string]any, unserved []string, to string) (map[string]any, error) {
	moved := map[string]bool{}
	for _, v := range unserved {
		moved[v] = true
	}
	at := map[string]int{}
	var entries []metav1.ManagedFieldsEntry
	for _, e := range (&unstructured.Unstructured{Object: live}).GetManagedFields() {
		if moved[e.APIVersion] {
			e.APIVersion = to
		}
		who := fmt.Sprintf("%q %s %s %q", e.Manager, e.Operation, e.APIVersion, e.Subresource)
		i, twice := at[who]
		if !twice {
			at[who], entries = len(entries), append(entries, e)
			continue
		}
		joined, err := joinEntries(entries[i], e)
		if err != nil {
			return nil, err
		}
		entries[i] = joined
	}
	out := copyMap(live)
	meta, _ := out["metadata"].(map[string]any)
	out["metadata"] = copyMap(meta)
	(&unstructured.Unstructured{Object: out}).SetManagedFields(entries)
	return out, nil
}

// joinEntries has the fields of both and the time of the later one.
func joinEntries(a, b metav1.ManagedFieldsEntry) (metav1.ManagedFieldsEntry, error) {
	list, err := parseOwners([]metav1.ManagedFieldsEntry{a, b})
	if err != nil {
		return a, err
	}
	raw, err := list[0].fields.Union(list[1].fields).ToJSON()
	if err != nil {
		return a, fmt.Errorf("join the fields of manager %q: %w", a.Manager, err)
	}
	if a.Time.Before(b.Time) {
		a.Time = b.Time
	}
	a.FieldsV1 = metav1.NewFieldsV1(string(raw))
	return a, nil
}

// adoptServed is the patch that gives an object the managedFields of live, and to
// us what we take over.
func adoptServed(o *Object, e evidence, live map[string]any) ([]byte, error) {
	own, err := owners(live)
	if err != nil {
		return nil, err
	}
	if e.adopts {
		e.ownership.entries = own
		patch, err := takeover(live, o.Mapping.GVK.GroupVersion().String(), e.ownership, movedBy(o.Send, o.Live, o.Differences))
		if patch != nil || err != nil {
			return patch, err
		}
	}
	return managersPatch(live, (&unstructured.Unstructured{Object: live}).GetManagedFields())
}
