package plan

import (
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// restrictor cuts live and wanted down to what a text diff shows: what the
// files (d) or our last apply (a) name, and whatever differs beside it.
type restrictor struct {
	// verified: after is the server's own answer, so that defaults inside atomic
	// containers stand on both sides and need not be cut.
	verified bool
}

// restrict returns the two sides of the text diff.
func restrict(before, after, d, a map[string]any, s *cluster.Schema, verified bool) (map[string]any, map[string]any) {
	r := restrictor{verified: verified}
	b, w := r.cut(s, mapValue(before), mapValue(after), mapValue(d), mapValue(a))
	bm, _ := b.v.(map[string]any)
	wm, _ := w.v.(map[string]any)
	return bm, wm
}

// cut returns both sides; absent where nothing of the value is to be shown.
func (r restrictor) cut(s *cluster.Schema, b, w, d, a value) (value, value) {
	if !d.ok && !a.ok && (!r.verified || b.ok == w.ok && object.Equal(b.v, w.v)) {
		return value{}, value{}
	}
	if r.verified && !b.ok && d.ok && w.ok {
		return b, namedOnly(s, w, d)
	}
	bm, bok := b.v.(map[string]any)
	wm, wok := w.v.(map[string]any)
	if (bok || !b.ok) && (wok || !w.ok) && (bok || wok) && !(s.MapAtomic() && r.verified) {
		return r.maps(s, sideMap{b.ok, bm}, sideMap{w.ok, wm}, d, a)
	}
	bl, bok := b.v.([]any)
	wl, wok := w.v.([]any)
	if bok && wok {
		return r.lists(s, bl, wl, d, a)
	}
	return b, w
}

// namedOnly cuts a value that is new down to what the files name in it: the rest are
// the server's defaults, which are not shown of new objects either.
func namedOnly(s *cluster.Schema, w, d value) value {
	switch wanted := d.v.(type) {
	case map[string]any:
		got, ok := w.v.(map[string]any)
		if !ok {
			return w
		}
		out := map[string]any{}
		for k, v := range got {
			if dv := get(wanted, k); dv.ok {
				out[k] = namedOnly(s.Field(k), some(v), dv).v
			}
		}
		return some(out)
	case []any:
		if got, ok := w.v.([]any); ok {
			return some(namedElements(s, got, wanted))
		}
	}
	return w
}

// namedElements does so for the elements of a list, found by key where it has keys.
func namedElements(s *cluster.Schema, got, wanted []any) []any {
	out := make([]any, 0, len(got))
	for i, v := range got {
		d := index(wanted, i)
		if s.ListType() == cluster.ListMap {
			d = sameKey(s, wanted, v)
		}
		if !d.ok {
			out = append(out, v) // an element that the server adds is worth a look
			continue
		}
		out = append(out, namedOnly(s.Item(), some(v), d).v)
	}
	return out
}

// sameKey finds the element of a keyed list that is the same as another one.
func sameKey(s *cluster.Schema, list []any, v any) value {
	key, ok := keyOf(s, v)
	if !ok {
		return value{}
	}
	for _, have := range list {
		if k, ok := keyOf(s, have); ok && k.id == key.id {
			return some(have)
		}
	}
	return value{}
}

type sideMap struct {
	ok bool
	m  map[string]any
}

func (r restrictor) maps(s *cluster.Schema, b, w sideMap, d, a value) (value, value) {
	dm, _ := d.v.(map[string]any)
	am, _ := a.v.(map[string]any)
	bo, wo := map[string]any{}, map[string]any{}
	for _, k := range union(b.m, w.m) {
		bv, wv := r.cut(s.Field(k), get(b.m, k), get(w.m, k), get(dm, k), get(am, k))
		if bv.ok {
			bo[k] = bv.v
		}
		if wv.ok {
			wo[k] = wv.v
		}
	}
	return b.shown(bo, wo), w.shown(wo, bo)
}

// shown is what is left of a mapping. One with nothing but what others put there is
// left out beside a filled one: written as {} it would look empty.
func (s sideMap) shown(left, other map[string]any) value {
	if len(left) == 0 && len(s.m) > 0 && len(other) > 0 {
		return value{}
	}
	return value{v: left, ok: s.ok}
}

func (r restrictor) lists(s *cluster.Schema, b, w []any, d, a value) (value, value) {
	dl, _ := d.v.([]any)
	al, _ := a.v.([]any)
	switch s.ListType() {
	case cluster.ListMap:
		if bo, wo, ok := r.keyed(s, b, w, dl, al); ok {
			return some(bo), some(wo)
		}
	case cluster.ListSet:
		before := r.set(b, w, dl, al)
		return some(before), some(sameOrder(before, r.set(w, b, dl, al)))
	}
	if r.verified {
		return some(b), some(w)
	}
	return r.positions(s, b, w, dl, al)
}

// positions cuts element by element, for lists compared without a dry-run.
func (r restrictor) positions(s *cluster.Schema, b, w, d, a []any) (value, value) {
	var bo, wo []any
	for i := range max(len(b), len(w)) {
		bv, wv := index(b, i), index(w, i)
		if dv := index(d, i); dv.ok && bv.ok && wv.ok {
			bv, wv = r.cut(s.Item(), bv, wv, dv, index(a, i))
		}
		if bv.ok {
			bo = append(bo, bv.v)
		}
		if wv.ok {
			wo = append(wo, wv.v)
		}
	}
	return some(bo), some(wo)
}

func (r restrictor) keyed(s *cluster.Schema, b, w, d, a []any) ([]any, []any, bool) {
	var ix [4]keyIndex
	for i, list := range [][]any{b, w, d, a} {
		var ok bool
		if ix[i], ok = indexByKey(s, list); !ok {
			return nil, nil, false
		}
	}
	cut := func(id string) (value, value) {
		return r.cut(s.Item(), ix[0].get(id), ix[1].get(id), ix[2].get(id), ix[3].get(id))
	}
	bo, wo := []any{}, []any{}
	for _, item := range ix[0].items {
		if v, _ := cut(item.id); v.ok {
			bo = append(bo, v.v)
		}
	}
	for _, item := range ix[1].items {
		if _, v := cut(item.id); v.ok {
			wo = append(wo, v.v)
		}
	}
	return bo, wo, true
}

// sameOrder puts the elements of a set in the order in which another one has them,
// which means nothing and would only show as changed lines.
func sameOrder(like, set []any) []any {
	out := make([]any, 0, len(set))
	for _, v := range distinct(like, set) {
		if have := find(set, v); have.ok {
			out = append(out, have.v)
		}
	}
	return out
}

// set keeps the elements of one side that are named or that differ.
func (r restrictor) set(side, other, d, a []any) []any {
	out := []any{}
	for _, v := range side {
		if find(d, v).ok || find(a, v).ok || (r.verified && !find(other, v).ok) {
			out = append(out, v)
		}
	}
	return out
}
