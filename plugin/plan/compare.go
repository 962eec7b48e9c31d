package plan

import (
	"slices"
	"sort"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	smdvalue "sigs.k8s.io/structured-merge-diff/v6/value"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// value is a JSON value that may be absent, which is not the same as null.
type value struct {
	v  any
	ok bool
}

func some(v any) value { return value{v: v, ok: true} }

// finding is one path at which desired, last applied and live are not all one.
type finding struct {
	path    fieldpath.Path
	d, a, l value
	// atomic is the nearest enclosing list or map that the server replaces as a
	// whole; nil outside such. Owners are recorded there and not below.
	atomic fieldpath.Path
	// wholeD and wholeA are the values of that container.
	wholeD, wholeA value
	// excluded paths are judged by d against a alone.
	excluded bool
	// custom: nulls and empties of custom resources mean what they say.
	custom bool
	// order: the same elements stand in another order.
	order bool
	// guessed findings count only where the server's dry-run changes something:
	// either only the fields of an adopted manager say that it was applied, and
	// defaults are recorded among them; or one side is an empty mapping, an empty
	// text, false or 0 and the other absent, which are the same to some fields of
	// built-in kinds and not to others.
	guessed bool
	schema  *cluster.Schema
}

// comparison is what the walk over one object yields.
type comparison struct {
	findings []finding
	// suspect is set when the live object holds something inside an atomic
	// container that the files don't name, a default or somebody's addition, or
	// when elements stand in another order: only the server can tell what an
	// apply would make of it.
	suspect bool
}

// comparer walks desired (d), last applied (a) and live (l) side by side.
type comparer struct {
	custom  bool
	exclude []fieldpath.Path
	// exact also reports what only the live side has; used to compare the
	// server's dry-run with the live object, where nothing is foreign.
	exact bool
	// all also reports the leaves at which nothing differs.
	all bool
	// files compares two sets of files, in which a status is as good as any field.
	files bool
	out   comparison
}

// compare lists where d, a and l differ. The schema may be nil: lists are then
// compared by position.
func compare(d, a, l map[string]any, s *cluster.Schema, custom bool, exclude []fieldpath.Path) comparison {
	c := comparer{custom: custom, exclude: exclude}
	c.walk(scope{schema: s}, mapValue(d), mapValue(a), mapValue(l))
	return c.out
}

// compareExact lists where want and have differ, in both directions.
func compareExact(want, have map[string]any, s *cluster.Schema, custom bool) comparison {
	c := comparer{custom: custom, exact: true}
	c.walk(scope{schema: s}, some(want), value{}, some(have))
	return c.out
}

func mapValue(m map[string]any) value {
	if m == nil {
		return value{}
	}
	return some(m)
}

// scope is where the walk stands.
type scope struct {
	path           fieldpath.Path
	schema         *cluster.Schema
	atomic         fieldpath.Path
	wholeD, wholeA value
	excluded       bool
}

func (s scope) child(e fieldpath.PathElement, schema *cluster.Schema) scope {
	next := s
	next.path = append(s.path[:len(s.path):len(s.path)], e)
	next.schema = schema
	return next
}

// enterAtomic marks the scope as lying in a container that is replaced whole.
func (s scope) enterAtomic(d, a value) scope {
	if s.atomic == nil {
		s.atomic, s.wholeD, s.wholeA = s.path, d, a
	}
	return s
}

func (c *comparer) report(s scope, d, a, l value) {
	c.out.findings = append(c.out.findings, finding{
		path: s.path, d: d, a: a, l: l, atomic: s.atomic, wholeD: s.wholeD, wholeA: s.wholeA,
		excluded: s.excluded, custom: c.custom, schema: s.schema,
	})
}

func (c *comparer) walk(s scope, d, a, l value) {
	s.excluded = s.excluded || excluded(s.path, c.exclude)
	switch {
	case !d.ok && !a.ok:
		c.foreign(s, l)
	case !d.ok:
		c.dropped(s, a, l)
	case !c.all && c.same(s, d, a, l):
	default:
		c.wanted(s, d, a, l)
	}
}

// foreign handles what only the live object has.
func (c *comparer) foreign(s scope, l value) {
	if !l.ok {
		return
	}
	if c.exact {
		c.report(s, value{}, value{}, l)
		return
	}
	if s.atomic != nil {
		c.out.suspect = true
	}
}

// dropped handles what we applied and the files no longer name: only the parts
// that we had applied are ours to remove.
func (c *comparer) dropped(s scope, a, l value) {
	if !l.ok && !s.excluded || isKeyField(s.path) {
		return
	}
	am, aok := a.v.(map[string]any)
	lm, lok := l.v.(map[string]any)
	if emptyish(a.v) && !s.excluded {
		if emptyish(l.v) {
			c.guess(s, value{}, a, l)
		}
		return // else we had applied nothing in there
	}
	if aok && lok && !s.schema.MapAtomic() && !isItem(s.path) {
		for _, k := range sortedKeys(am) {
			c.walk(s.child(field(k), s.schema.Field(k)), value{}, get(am, k), get(lm, k))
		}
		return
	}
	if !c.droppedElements(s, a, l) {
		c.report(s, value{}, a, l)
	}
}

// droppedElements handles a list that the files no longer name and whose elements
// have owners of their own: each goes or stays by itself. It reports false for lists
// that are replaced as a whole.
func (c *comparer) droppedElements(s scope, a, l value) bool {
	al, aok := a.v.([]any)
	ll, lok := l.v.([]any)
	if !aok || !lok || s.atomic != nil || s.excluded {
		return false
	}
	switch s.schema.ListType() {
	case cluster.ListMap:
		return c.byKey(s, nil, al, ll)
	case cluster.ListSet:
		c.bySet(s, nil, al, ll)
		return true
	}
	return false
}

// isItem reports whether a path ends in an element of a keyed list: such an
// element comes and goes as a whole.
func isItem(p fieldpath.Path) bool { return len(p) > 0 && p[len(p)-1].Key != nil }

// isKeyField reports whether a path ends in a field that names the element it is in:
// left out, it has its default, or else the element would be another one.
func isKeyField(p fieldpath.Path) bool {
	if len(p) < 2 || !isItem(p[:len(p)-1]) || p[len(p)-1].FieldName == nil {
		return false
	}
	return slices.ContainsFunc(*p[len(p)-2].Key, func(f smdvalue.Field) bool { return f.Name == *p[len(p)-1].FieldName })
}

// same is the cheap way out of a subtree in which nobody disagrees.
func (c *comparer) same(s scope, d, a, l value) bool {
	if s.excluded {
		return a.ok && object.Equal(d.v, a.v)
	}
	return l.ok && (a.ok || c.exact) && object.Equal(d.v, l.v) && (c.exact || object.Equal(d.v, a.v))
}

// wanted handles what the files name.
func (c *comparer) wanted(s scope, d, a, l value) {
	if s.excluded {
		if !c.same(s, d, a, l) || c.all {
			c.report(s, d, a, l)
		}
		return
	}
	switch dv := d.v.(type) {
	case map[string]any:
		if lm, ok := l.v.(map[string]any); ok {
			c.maps(s, dv, a, lm)
			return
		}
	case []any:
		if ll, ok := l.v.([]any); ok {
			c.lists(s, dv, a, ll)
			return
		}
	}
	equal := c.equal(s.schema, d, l) || !l.ok && !c.exact && emptyish(d.v) && inMetadata(s.path)
	switch {
	case c.all:
		c.report(s, d, a, l)
	case !l.ok && zeroScalar(d.v) && !c.custom && !c.exact:
		c.guess(s, d, a, l)
	case !equal:
		c.report(s, d, a, l)
	case !l.ok && !c.exact && holdsStruct(s.schema, d.v):
		c.guess(s, d, a, l)
	}
}

// inMetadata: the metadata of custom resources is as that of any other kind.
func inMetadata(p fieldpath.Path) bool {
	return len(p) > 1 && p[0].FieldName != nil && *p[0].FieldName == "metadata"
}

// equal compares two values that may be absent: by the server's reading. Some built-in
// kinds have null where nothing is.
func (c *comparer) equal(s *cluster.Schema, want, have value) bool {
	if !have.ok || have.v == nil && !c.custom && !c.exact {
		return !want.ok || (!c.custom && !c.exact && emptyish(want.v))
	}
	return want.ok && scalarEqual(s, want.v, have.v)
}

// guess reports what is a difference only if the server says so.
func (c *comparer) guess(s scope, d, a, l value) {
	if !c.exact && !c.all {
		c.report(s, d, a, l)
		c.out.findings[len(c.out.findings)-1].guessed = true
	}
}

// zeroScalar reports whether a value is one that the server drops from many fields of
// built-in kinds when it stores an object, and keeps in others.
func zeroScalar(v any) bool {
	switch t := v.(type) {
	case string:
		return t == ""
	case bool:
		return !t
	case int64:
		return t == 0
	default:
		return false
	}
}

// holdsStruct reports whether an empty value has a mapping with fields of its own
// in it. The server keeps such a mapping and tells it from none: a selector that is
// empty selects everything. Empty lists, and mappings with any keys, it drops.
func holdsStruct(s *cluster.Schema, v any) bool {
	m, ok := v.(map[string]any)
	if !ok {
		return false
	}
	if !s.AnyKeys() {
		return true
	}
	for k, sub := range m {
		if holdsStruct(s.Field(k), sub) {
			return true
		}
	}
	return false
}

func (c *comparer) maps(s scope, d map[string]any, a value, l map[string]any) {
	am, _ := a.v.(map[string]any)
	if s.schema.MapAtomic() {
		s = s.enterAtomic(some(d), a)
	}
	keys := union(d, am)
	if c.exact || s.atomic != nil {
		keys = union(d, am, l)
	}
	for _, k := range keys {
		if len(s.path) == 0 && serverOwnedRoot(k) && c.exact && !c.files {
			continue
		}
		c.walk(s.child(field(k), s.schema.Field(k)), get(d, k), get(am, k), get(l, k))
	}
}

func (c *comparer) lists(s scope, d []any, a value, l []any) {
	al, _ := a.v.([]any)
	switch s.schema.ListType() {
	case cluster.ListMap:
		if c.byKey(s, d, al, l) {
			return
		}
	case cluster.ListSet:
		c.bySet(s, d, al, l)
		return
	}
	c.byPosition(s.enterAtomic(some(d), a), d, al, l)
}

// byPosition compares lists that the server replaces as a whole.
func (c *comparer) byPosition(s scope, d, a, l []any) {
	for i := range max(len(d), len(l)) {
		at := s.child(fieldpath.PathElement{Index: &i}, s.schema.Item())
		dv, av, lv := index(d, i), index(a, i), index(l, i)
		if !dv.ok && lv.ok {
			// One element too many in a list that is ours as a whole is a
			// difference, not something foreign: `ingress: []` opened to `[{}]`.
			c.report(at, dv, av, lv)
			continue
		}
		c.walk(at, dv, av, lv)
	}
}

// bySet compares lists whose elements are their own keys. Their order means nothing.
func (c *comparer) bySet(s scope, d, a, l []any) {
	for _, v := range distinct(d, a, l) {
		at := s.child(fieldpath.PathElement{Value: pathValue(v)}, s.schema.Item())
		c.walk(at, find(d, v), find(a, v), find(l, v))
	}
}

// byKey compares lists of maps by their key fields. It reports false where an
// element can't be keyed or a key stands twice: position is all that is left.
func (c *comparer) byKey(s scope, d, a, l []any) bool {
	di, ok1 := indexByKey(s.schema, d)
	ai, ok2 := indexByKey(s.schema, a)
	li, ok3 := indexByKey(s.schema, l)
	if !ok1 || !ok2 || !ok3 {
		return false
	}
	if sortedOtherwise(di.ids(), li.ids()) {
		c.reordered(s, d, a, l)
	}
	for _, item := range mergeKeys(di, ai, li) {
		key := item.fields
		at := s.child(fieldpath.PathElement{Key: &key}, s.schema.Item())
		c.walk(at, di.get(item.id), ai.get(item.id), li.get(item.id))
	}
	return true
}

// reordered notes that elements stand in another order. The order of
// containers or variables has a meaning, so it is no noise.
func (c *comparer) reordered(s scope, d, a, l []any) {
	if !c.exact {
		c.out.suspect = true
		return
	}
	c.report(s, some(d), value{v: a, ok: a != nil}, some(l))
	c.out.findings[len(c.out.findings)-1].order = true
}

func sortedKeys[T any](m map[string]T) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

func union(maps ...map[string]any) []string {
	all := map[string]struct{}{}
	for _, m := range maps {
		for k := range m {
			all[k] = struct{}{}
		}
	}
	return sortedKeys(all)
}

func field(name string) fieldpath.PathElement { return fieldpath.PathElement{FieldName: &name} }

func get(m map[string]any, k string) value {
	v, ok := m[k]
	return value{v: v, ok: ok}
}

func index(list []any, i int) value {
	if i >= len(list) {
		return value{}
	}
	return some(list[i])
}
