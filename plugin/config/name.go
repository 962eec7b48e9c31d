package config

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// MaxNameLength is the longest name of a manifest in bytes: with the prefix
// "tazuna-state-" it is the longest name that an object may have.
const MaxNameLength = validation.DNS1123SubdomainMaxLength - len("tazuna-state-")

// reservedName is the data key that the record uses for itself.
const reservedName = "_metadata"

// nameLetters are the letters of a name.
const nameLetters = "abcdefghijklmnopqrstuvwxyz0123456789-"

// CheckName says what is wrong with the name of a manifest; nil if nothing is.
func CheckName(name string) error {
	switch {
	case name == "":
		return fmt.Errorf("the name is empty")
	case name == reservedName:
		return fmt.Errorf("the name %s is reserved for the record", reservedName)
	case len(name) > MaxNameLength:
		return fmt.Errorf("the name has %d characters, at most %d are allowed", len(name), MaxNameLength)
	case !wellFormed(name):
		return fmt.Errorf("the name %q must consist of a-z, 0-9 and '-', starting and ending with a letter or digit%s", name, renamed(name))
	}
	return nil
}

// wellFormed checks the letters of a name that is not empty.
func wellFormed(name string) bool {
	return strings.Trim(name, nameLetters) == "" && name[0] != '-' && name[len(name)-1] != '-'
}

// renamed proposes the nearest allowed name: older versions of the tool took
// capitals and underscores, so people come with such files.
func renamed(name string) string {
	near := strings.Trim(strings.NewReplacer("_", "-", ".", "-", " ", "-").Replace(strings.ToLower(name)), "-")
	if near == "" || !wellFormed(near) {
		return ""
	}
	return fmt.Sprintf("; %q would do", near)
}

// namespace reads the name of a namespace.
func (r *reader) namespace(n *yaml.Node, at string) string {
	name := r.text(n, at)
	if problems := validation.IsDNS1123Label(name); name != "" && len(problems) > 0 {
		r.found(n.Line, at, "%q is no name of a namespace: %s", name, strings.Join(problems, "; "))
	}
	return name
}
