package object

import (
	"fmt"
	"strings"
)

// Masker hides values before anything is shown to a person, written to a log or
// put into an error. It fails closed: what it can't understand it hides as a
// whole. The zero value hides only what objects call sensitive themselves; use
// [DefaultMasker].
type Masker struct {
	// Rules choose what is hidden. A user's own rules are appended to
	// DefaultRules, never put in their place.
	Rules []MaskRule
	// Show turns masking off; only for a user who asked for it.
	Show bool
}

// DefaultMasker returns the masker with DefaultRules.
func DefaultMasker() Masker { return Masker{Rules: DefaultRules()} }

// Pair returns masked copies of two sides of one object; either may be nil.
// Keys stay visible. A value that is the same on both sides of one place has
// the same mark, "<-- value not shown (#1)"; a different one has another
// number. Numbers count within this call in order of the places, so they tell
// neither content nor length, nor that two places hold the same value.
//
// A side without a kind is masked as the other side's kind, and as a Secret if
// neither has one.
func (m Masker) Pair(before, after map[string]any) (b, a map[string]any) {
	both := m.All(before, after)
	return both[0], both[1]
}

// All is Pair for any number of sides of one object; a side that is nil stays so.
func (m Masker) All(sides ...map[string]any) []map[string]any {
	out := make([]map[string]any, len(sides))
	var rules []MaskRule
	for _, side := range sides {
		rules = append(rules, sensitiveRules(side)...)
	}
	hint, numbers := kindHint(sides...), marks{}
	for i, side := range sides {
		if m.Show {
			out[i] = copyMap(side)
			continue
		}
		out[i] = m.walk(side, hint, rules, numbers.mark)
	}
	return out
}

// One returns a masked copy of one object.
func (m Masker) One(body map[string]any) map[string]any {
	masked, _ := m.Pair(body, nil)
	return masked
}

// Masked tells whether the body is of a kind whose content is hidden: a rule
// names the kind, or the object calls itself sensitive. Show makes no
// difference to it.
func (m Masker) Masked(body map[string]any) bool {
	gvk := gvkOf(body)
	for _, rule := range m.Rules {
		if rule.Kind != "" && rule.selects(gvk.Group, gvk.Kind) {
			return true
		}
	}
	return len(sensitiveRules(body)) > 0
}

func (m Masker) walk(body map[string]any, hint kindName, extra []MaskRule, replace func(maskedValue) any) map[string]any {
	if body == nil {
		return nil
	}
	w := maskWalk{rules: m.Rules, replace: replace, seen: map[string]bool{}}
	out := copyMap(body)
	w.object(out, kindOr(out, hint), nil, extra)
	return out
}

// marks numbers the values of one call.
type marks map[string]int

func (n marks) mark(v maskedValue) any {
	key := v.slot()
	if data, ok := v.bytes(); ok {
		key += "\x00=" + string(data)
	} else {
		key += fmt.Sprintf("\x00?%d", len(n)) // equal to nothing
	}
	number, ok := n[key]
	if !ok {
		number = len(n) + 1
		n[key] = number
	}
	return fmt.Sprintf("<-- %s (#%d)", notShown, number)
}

// notShown is the part that all marks have in common.
const notShown = "value not shown"

// IsMark tells a value that was masked. Two different ones may carry the same mark,
// since marks are counted anew in each call of Pair.
func IsMark(value any) bool {
	text, ok := value.(string)
	return ok && strings.Contains(text, notShown)
}

// kindName is what rules select by.
type kindName struct{ group, kind string }

// kindHint is the kind that either side states, Secret if none does.
func kindHint(sides ...map[string]any) kindName {
	for _, side := range sides {
		if gvk := gvkOf(side); gvk.Kind != "" {
			return kindName{gvk.Group, gvk.Kind}
		}
	}
	return kindName{"", "Secret"}
}

func kindOr(body map[string]any, hint kindName) kindName {
	if gvk := gvkOf(body); gvk.Kind != "" {
		return kindName{gvk.Group, gvk.Kind}
	}
	return hint
}

// itemKind is the kind of the items of a list that don't state their own.
func (k kindName) itemKind() kindName {
	kind := strings.TrimSuffix(k.kind, "List")
	if kind == "" {
		return kindName{"", "Secret"}
	}
	return kindName{k.group, kind}
}
