package object

import "sigs.k8s.io/structured-merge-diff/v6/fieldpath"

// DropNulls returns a copy without the keys whose value is null, since null
// means "not given" to the API machinery. Where the schema says that null is a
// value of its own, nullable answers true for the path and the null stays; a
// nil nullable means nowhere. Nulls that are list items always stay: taking
// one out would move the others.
func DropNulls(body map[string]any, nullable func(fieldpath.Path) bool) map[string]any {
	if body == nil {
		return nil
	}
	d := nullDropper{nullable: nullable}
	return d.dropMap(body)
}

// nullDropper keeps the way to the current value in plain steps and makes a
// fieldpath.Path of it only when it meets a null, which is rare.
type nullDropper struct {
	nullable func(fieldpath.Path) bool
	steps    []step
}

type step struct {
	key   string
	index int  // of a list item
	list  bool // an item of a list, else a key
}

func (d *nullDropper) drop(value any) any {
	switch v := value.(type) {
	case map[string]any:
		return d.dropMap(v)
	case []any:
		return d.dropList(v)
	default:
		return value
	}
}

func (d *nullDropper) dropMap(m map[string]any) map[string]any {
	out := make(map[string]any, len(m))
	for key, value := range m {
		d.steps = append(d.steps, step{key: key})
		if value != nil || d.keeps() {
			out[key] = d.drop(value)
		}
		d.steps = d.steps[:len(d.steps)-1]
	}
	return out
}

func (d *nullDropper) dropList(list []any) []any {
	out := make([]any, len(list))
	for i, item := range list {
		d.steps = append(d.steps, step{index: i, list: true})
		out[i] = d.drop(item)
		d.steps = d.steps[:len(d.steps)-1]
	}
	return out
}

func (d *nullDropper) keeps() bool {
	if d.nullable == nil {
		return false
	}
	path := make(fieldpath.Path, 0, len(d.steps))
	for _, s := range d.steps {
		if s.list {
			path = append(path, fieldpath.PathElement{Index: &s.index})
			continue
		}
		path = append(path, fieldpath.PathElement{FieldName: &s.key})
	}
	return d.nullable(path)
}
