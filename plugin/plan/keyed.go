package plan

import (
	"encoding/json"
	"fmt"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	smdvalue "sigs.k8s.io/structured-merge-diff/v6/value"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// keyedItem names one element of a list of maps by the values of its keys.
type keyedItem struct {
	id     string
	fields smdvalue.FieldList
}

// keyIndex finds the elements of a list of maps by key, in list order.
type keyIndex struct {
	items []keyedItem
	at    map[string]any
}

func (k keyIndex) get(id string) value {
	v, ok := k.at[id]
	return value{v: v, ok: ok}
}

// ids are the keys in list order.
func (k keyIndex) ids() []string {
	out := make([]string, len(k.items))
	for i, item := range k.items {
		out[i] = item.id
	}
	return out
}

func elementID(v any) string { return fmt.Sprintf("%T %v", plain(v), plain(v)) }

// sortedOtherwise reports whether what two lists have in common stands in
// another order.
func sortedOtherwise(a, b []string) bool {
	at := make(map[string]int, len(b))
	for i, id := range b {
		at[id] = i
	}
	last := -1
	for _, id := range a {
		i, ok := at[id]
		if !ok {
			continue
		}
		if i < last {
			return true
		}
		last = i
	}
	return false
}

// indexByKey reports false when an element is no map, lacks a key that has no
// default, or repeats another's keys.
func indexByKey(s *cluster.Schema, list []any) (keyIndex, bool) {
	out := keyIndex{at: make(map[string]any, len(list))}
	for _, v := range list {
		item, ok := keyOf(s, v)
		if !ok {
			return keyIndex{}, false
		}
		if _, twice := out.at[item.id]; twice {
			return keyIndex{}, false
		}
		out.items, out.at[item.id] = append(out.items, item), v
	}
	return out, true
}

func keyOf(s *cluster.Schema, v any) (keyedItem, bool) {
	m, ok := v.(map[string]any)
	if !ok {
		return keyedItem{}, false
	}
	var fields smdvalue.FieldList
	for _, name := range s.ListMapKeys() {
		kv, ok := m[name]
		if !ok {
			if kv = s.KeyDefault(name); kv == nil {
				continue // a key that is absent everywhere is a key of its own
			}
		}
		fields = append(fields, smdvalue.Field{Name: name, Value: smdvalue.NewValueInterface(plain(kv))})
	}
	if len(fields) == 0 {
		return keyedItem{}, false
	}
	fields.Sort()
	return keyedItem{id: fieldpath.PathElement{Key: &fields}.String(), fields: fields}, true
}

// mergeKeys lists the keys of all indexes once, in order of first appearance.
func mergeKeys(indexes ...keyIndex) []keyedItem {
	seen := map[string]bool{}
	var out []keyedItem
	for _, ix := range indexes {
		for _, item := range ix.items {
			if !seen[item.id] {
				seen[item.id] = true
				out = append(out, item)
			}
		}
	}
	return out
}

// distinct lists the elements of all lists once, in order of first appearance.
func distinct(lists ...[]any) []any {
	seen := map[string]bool{}
	var out []any
	for _, list := range lists {
		for _, v := range list {
			if id := elementID(v); !seen[id] {
				seen[id] = true
				out = append(out, v)
			}
		}
	}
	return out
}

func find(list []any, v any) value {
	for _, have := range list {
		if object.Equal(have, v) {
			return some(have)
		}
	}
	return value{}
}

func pathValue(v any) *smdvalue.Value {
	out := smdvalue.NewValueInterface(plain(v))
	return &out
}

// plain turns exact number texts into the types that paths can hold.
func plain(v any) any {
	n, ok := v.(json.Number)
	if !ok {
		return v
	}
	if i, err := n.Int64(); err == nil {
		return i
	}
	f, err := n.Float64()
	if err != nil {
		return n.String()
	}
	return f
}
