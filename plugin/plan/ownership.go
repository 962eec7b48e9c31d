package plan

import (
	"encoding/json"
	"fmt"
	"sort"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// owner is one entry of managedFields.
type owner struct {
	author Author
	fields *fieldpath.Set
}

// owners reads managedFields. An entry that can't be read is an error: a wrong
// guess about ownership would write over somebody's value.
func owners(live map[string]any) ([]owner, error) {
	meta, _ := live["metadata"].(map[string]any)
	raw, ok := meta["managedFields"]
	if !ok {
		return nil, nil
	}
	data, err := json.Marshal(raw)
	if err != nil {
		return nil, fmt.Errorf("read managedFields: %w", err)
	}
	var entries []metav1.ManagedFieldsEntry
	if err := json.Unmarshal(data, &entries); err != nil {
		return nil, fmt.Errorf("read managedFields: %w", err)
	}
	return parseOwners(entries)
}

func parseOwners(entries []metav1.ManagedFieldsEntry) ([]owner, error) {
	out := make([]owner, 0, len(entries))
	for _, e := range entries {
		set := fieldpath.NewSet()
		if e.FieldsV1 != nil {
			if err := set.FromJSON(e.FieldsV1.GetRawReader()); err != nil {
				return nil, fmt.Errorf("read managedFields of manager %q: %w", e.Manager, err)
			}
		}
		author := Author{Manager: e.Manager, Operation: string(e.Operation), Subresource: e.Subresource}
		if e.Time != nil {
			at := e.Time.UTC().Truncate(time.Second)
			author.Time = &at
		}
		out = append(out, owner{author: author, fields: set})
	}
	return out, nil
}

// ownership answers who owns a path, split into us, managers whose fields we
// may take over silently, and everybody else.
type ownership struct {
	manager string
	adopted func(Author) bool
	entries []owner
}

// ours reports whether an entry is the one that our own applies write.
func (o ownership) ours(a Author) bool {
	return a.Manager == o.manager && a.Operation == string(metav1.ManagedFieldsOperationApply) && a.Subresource == ""
}

// others lists the managers, neither us nor adopted, that own the finding's path.
func (o ownership) others(f finding) []Author {
	return o.filter(f, func(a Author) bool { return !o.ours(a) && !o.adopted(a) })
}

// adoptedAt reports whether a manager that we adopt owns the finding's path.
func (o ownership) adoptedAt(f finding) bool {
	return len(o.filter(f, func(a Author) bool { return !o.ours(a) && o.adopted(a) })) > 0
}

// strangers lists all managers but ourselves at the path: who may have
// written the live value.
func (o ownership) strangers(f finding) []Author {
	return o.filter(f, func(a Author) bool { return !o.ours(a) })
}

func (o ownership) filter(f finding, keep func(Author) bool) []Author {
	var out []Author
	for _, e := range o.entries {
		if keep(e.author) && owns(e.fields, f) {
			out = append(out, e.author)
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].Manager < out[j].Manager })
	return out
}

// owned is the set of fields that our last apply left in the cluster.
func (o ownership) owned() *fieldpath.Set {
	set := fieldpath.NewSet()
	for _, e := range o.entries {
		if o.ours(e.author) {
			set = set.Union(e.fields)
		}
	}
	return set
}

// owns reports whether a set holds the finding's path, something below it, or
// the atomic container around it.
func owns(set *fieldpath.Set, f finding) bool {
	if f.atomic != nil && has(set, f.atomic) {
		return true
	}
	return has(set, f.path)
}

func has(set *fieldpath.Set, p fieldpath.Path) bool {
	if len(p) == 0 {
		return !set.Empty()
	}
	if set.Has(p) {
		return true
	}
	for _, e := range p {
		set = set.WithPrefix(e)
		if set.Empty() {
			return false
		}
	}
	return true
}
