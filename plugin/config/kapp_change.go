package config

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// ChangeRule orders the object that has it against a group:
// "upsert after upserting my-group".
type ChangeRule struct {
	// Deleting says which of the object's changes the rule is about: its deletion,
	// or else its creation or update.
	Deleting bool
	// Before puts the change before those of the group, else it comes after them.
	Before bool
	// GroupDeleting says which changes of the group are meant.
	GroupDeleting bool
	// Group may hold placeholders; see ExpandGroupName.
	Group string
}

// ParseChangeRule reads the four words of a rule.
func ParseChangeRule(text string) (ChangeRule, error) {
	words := strings.Fields(text)
	if len(words) != 4 {
		return ChangeRule{}, fmt.Errorf("wanted four words such as \"upsert after upserting GROUP\", found %d", len(words))
	}
	var rule ChangeRule
	for i, choice := range []struct {
		is           *bool
		usual, other string
	}{
		{&rule.Deleting, "upsert", "delete"},
		{&rule.Before, "after", "before"},
		{&rule.GroupDeleting, "upserting", "deleting"},
	} {
		switch words[i] {
		case choice.usual:
		case choice.other:
			*choice.is = true
		default:
			return ChangeRule{}, fmt.Errorf("wanted %s or %s as word %d, found %q%s",
				choice.usual, choice.other, i+1, words[i], near(words[i], []string{choice.usual, choice.other}))
		}
	}
	rule.Group = words[3]
	return rule, CheckGroupName(rule.Group)
}

// String gives the four words.
func (r ChangeRule) String() string {
	pick := func(is bool, yes, no string) string {
		if is {
			return yes
		}
		return no
	}
	return strings.Join([]string{
		pick(r.Deleting, "delete", "upsert"),
		pick(r.Before, "before", "after"),
		pick(r.GroupDeleting, "deleting", "upserting"),
		r.Group,
	}, " ")
}

// Placeholders lists what the name of a group may hold, each replaced by a
// property of the object that carries the name or rule.
func Placeholders() []string {
	return []string{"{api-group}", "{kind}", "{name}", "{namespace}", "{crd-kind}", "{crd-group}"}
}

// CheckGroupName says whether a name, placeholders included, can be that of a
// group: a name as labels have them, with or without a prefix, of any length.
func CheckGroupName(name string) error {
	bare := placeholder.ReplaceAllStringFunc(name, func(p string) string {
		if slices.Contains(Placeholders(), p) {
			return "x"
		}
		return p
	})
	if unknown := placeholder.FindString(bare); unknown != "" {
		return fmt.Errorf("unknown placeholder %s%s", unknown, didYouMean(unknown, Placeholders()))
	}
	if !groupName.MatchString(bare) {
		return fmt.Errorf("%q is no name of a group: wanted NAME or PREFIX/NAME of letters, digits, '-', '_' and '.'", name)
	}
	return nil
}

// ExpandGroupName replaces the placeholders of a name. A placeholder whose value
// is empty is an error: the group would be another one than meant.
func ExpandGroupName(name string, values map[string]string) (string, error) {
	if !strings.Contains(name, "{") {
		return name, nil
	}
	var missing []string
	out := placeholder.ReplaceAllStringFunc(name, func(p string) string {
		value := values[p]
		if value == "" {
			missing = append(missing, p)
		}
		return value
	})
	if len(missing) > 0 {
		return "", fmt.Errorf("group %s: the object has no value for %s", name, strings.Join(missing, ", "))
	}
	return out, nil
}

var (
	placeholder = regexp.MustCompile(`\{[^{}]*\}`)
	groupName   = regexp.MustCompile(`^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$`)
)
