package object

import (
	"slices"
	"strconv"
	"strings"
)

// maskWalk applies mask rules to a body, in place; the body is a copy made for
// it. It is the only code that knows where masked values lie.
type maskWalk struct {
	rules   []MaskRule
	replace func(maskedValue) any
	seen    map[string]bool // places done, as two rules may name the same one
}

// object hides what the rules say about one object, then looks at the objects
// inside it: the items of a list, and any Secret written into a field.
func (w *maskWalk) object(body map[string]any, name kindName, at Path, extra []MaskRule) {
	for _, rule := range append(sensitiveRules(body), extra...) {
		w.rule(body, rule, at)
	}
	w.selected(body, name, at)
	if strings.HasSuffix(name.kind, "List") {
		w.items(body, name, at)
	}
	w.embedded(body, at)
}

// selected hides what the rules for this kind say.
func (w *maskWalk) selected(body map[string]any, name kindName, at Path) {
	for _, rule := range w.rules {
		if rule.selects(name.group, name.kind) {
			w.rule(body, rule, at)
		}
	}
}

func (w *maskWalk) items(list map[string]any, name kindName, at Path) {
	at = extend(at, "items")
	items, ok := list["items"].([]any)
	if !ok {
		if list["items"] != nil {
			w.hideValue(list["items"], at, func(n any) { list["items"] = n })
		}
		return
	}
	for i, item := range items {
		here := extend(at, strconv.Itoa(i))
		if body, ok := item.(map[string]any); ok {
			w.object(body, kindOr(body, name.itemKind()), here, nil)
			continue
		}
		w.hideValue(item, here, func(n any) { items[i] = n })
	}
}

// embedded finds Secrets inside other objects (templates, work manifests). A
// mapping that only refers to a Secret has neither data nor stringData.
func (w *maskWalk) embedded(value any, at Path) {
	switch v := value.(type) {
	case map[string]any:
		for _, key := range sortedKeys(v) {
			here := extend(at, key)
			if inner, ok := v[key].(map[string]any); ok {
				w.embeddedSecret(inner, here)
			}
			w.embedded(v[key], here)
		}
	case []any:
		for i, item := range v {
			here := extend(at, strconv.Itoa(i))
			if inner, ok := item.(map[string]any); ok {
				w.embeddedSecret(inner, here)
			}
			w.embedded(item, here)
		}
	}
}

func (w *maskWalk) embeddedSecret(body map[string]any, at Path) {
	gvk := gvkOf(body)
	if !strings.EqualFold(gvk.Kind, "Secret") || body["data"] == nil && body["stringData"] == nil {
		return
	}
	for _, rule := range w.rules {
		if rule.Kind != "" && rule.selects(gvk.Group, gvk.Kind) {
			w.rule(body, rule, at)
		}
	}
}

func (w *maskWalk) rule(body map[string]any, rule MaskRule, at Path) {
	for _, path := range rule.Paths {
		w.descend(body, path, at, func(any) {})
	}
	if rule.Open == nil {
		return
	}
	for _, key := range sortedKeys(body) {
		if !slices.Contains(rule.Open, key) {
			w.descend(body, Path{key}, at, func(any) {})
		}
	}
}

// descend follows path and hides what it finds; set puts a new value in the
// place of value. A value that has no way on is hidden itself: the rule and the
// object disagree about its shape, so nobody knows what it holds.
func (w *maskWalk) descend(value any, path, at Path, set func(any)) {
	if len(path) == 0 {
		w.hide(value, at, set)
		return
	}
	switch v := value.(type) {
	case map[string]any:
		for _, key := range sortedKeys(v) {
			if matches(path[0], key) {
				w.descend(v[key], path[1:], extend(at, key), func(n any) { v[key] = n })
			}
		}
	case []any:
		index, consumed := listStep(path[0])
		rest := path
		if consumed {
			rest = path[1:]
		}
		for i := range v {
			if index < 0 || index == i {
				w.descend(v[i], rest, extend(at, strconv.Itoa(i)), func(n any) { v[i] = n })
			}
		}
	case nil:
	default:
		w.hideValue(value, at, set)
	}
}

// hide masks the value at the end of a path: of a mapping every value, so that
// its keys stay visible; anything else as a whole. A null says nothing.
func (w *maskWalk) hide(value any, at Path, set func(any)) {
	m, ok := value.(map[string]any)
	if !ok {
		if value != nil {
			w.hideValue(value, at, set)
		}
		return
	}
	for _, key := range sortedKeys(m) {
		w.hideValue(m[key], extend(at, key), func(n any) { m[key] = n })
	}
}

func (w *maskWalk) hideValue(value any, at Path, set func(any)) {
	place := at.place()
	if w.seen[place] {
		return
	}
	w.seen[place] = true
	set(w.replace(maskedValue{path: at, value: value}))
}
