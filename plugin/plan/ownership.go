package plan

import (
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// owner is one entry of managedFields.
type owner struct {
	author Author
	fields *fieldpath.Set
	raw    metav1.ManagedFieldsEntry
	// renamed: fields has other names than raw, by which the server would not find
	// what is to be removed.
	renamed bool
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
		folded := foldStringData(set)
		out = append(out, owner{author: author, fields: folded, raw: e, renamed: folded != set})
	}
	return out, nil
}

// foldStringData names the fields of a Secret's stringData as the server keeps
// them, in data: an apply that sent stringData is recorded as it was sent.
func foldStringData(set *fieldpath.Set) *fieldpath.Set {
	name := "stringData"
	if set.WithPrefix(field(name)).Empty() && !set.Has(fieldpath.MakePathOrDie(name)) {
		return set
	}
	out := fieldpath.NewSet()
	for p := range set.All() {
		p = p.Copy()
		if p[0].FieldName != nil && *p[0].FieldName == name {
			p[0] = field("data")
		}
		out.Insert(p)
	}
	return out
}

// ownership answers who owns a path, split into us, managers whose fields we
// may take over silently, and everybody else.
type ownership struct {
	manager string
	adopted func(Author) bool
	entries []owner
	// puts: the kind takes no patch, so that our writes are recorded as updates.
	puts bool
}

// ours reports whether an entry is the one that our own applies write.
func (o ownership) ours(a Author) bool {
	operation := metav1.ManagedFieldsOperationApply
	if o.puts {
		operation = metav1.ManagedFieldsOperationUpdate
	}
	return a.Manager == o.manager && a.Operation == string(operation) && a.Subresource == ""
}

// others lists the managers, neither us nor adopted, that own the finding's path.
func (o ownership) others(f finding) []Author {
	return o.filter(f, func(a Author) bool { return !o.ours(a) && !o.adopted(a) })
}

// adoptedAt reports whether a manager that we adopt owns the finding's path.
func (o ownership) adoptedAt(f finding) bool {
	return len(o.filter(f, func(a Author) bool { return !o.ours(a) && o.adopted(a) })) > 0
}

// movedAt reports whether a field of the finding's path only becomes ours, or gets
// the name that the server knows it by, when it is taken over.
func (o ownership) movedAt(f finding) bool {
	for _, e := range o.entries {
		if o.ours(e.author) && e.renamed && owns(e.fields, f) {
			return true
		}
	}
	return o.adoptedAt(f)
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

// renamed reports whether fields of our entry have other names than on the server.
func (o ownership) renamed() bool {
	return slices.ContainsFunc(o.entries, func(e owner) bool { return o.ours(e.author) && e.renamed })
}

// wanted is the set of fields that our last apply or a tool that we take over
// from left in the cluster.
func (o ownership) wanted() *fieldpath.Set {
	set := o.owned()
	for _, e := range o.entries {
		if !o.ours(e.author) && o.adopted(e.author) {
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
