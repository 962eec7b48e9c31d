package config

import (
	"fmt"
	"path/filepath"
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

// names checks that names are there and unique: two manifests of one name would
// share a record. A lenient load names those without one as check --fix does.
func (l *loader) names() {
	first := map[string]*entry{}
	for _, m := range l.manifests {
		if m.Name == "" {
			continue
		}
		if before, twice := first[m.Name]; twice {
			place := fmt.Sprintf("on line %d", before.Line)
			if before.File != m.File {
				place = fmt.Sprintf("in %s, line %d", before.File, before.Line)
			}
			l.findings = append(l.findings, Finding{
				File: m.File, Line: m.Line, Field: join(m.at, "name"),
				Text: fmt.Sprintf("manifest %q is there twice, first %s", m.Name, place),
			})
			continue
		}
		first[m.Name] = m
	}
	for _, m := range l.manifests {
		if m.Name == "" && !m.faulty {
			l.nameless(m, first)
		}
	}
}

func (l *loader) nameless(m *entry, taken map[string]*entry) {
	f := Finding{File: m.File, Line: m.Line, Field: join(m.at, "name"), Text: "missing"}
	if !l.options.Lenient {
		f.Lenient = true
		l.findings = append(l.findings, f)
		return
	}
	if m.Type == "" {
		return
	}
	m.nameless = true
	m.Name = deriveName(m.Type, m.Path, func(name string) bool { return taken[name] != nil })
	taken[m.Name] = m
	f.Text = fmt.Sprintf("missing: %s is taken; check --fix writes it", m.Name)
	l.warnings = append(l.warnings, f)
}

// deriveName makes a name of type and path: the last part of the path in lower
// case, other characters as '-', and a number where it is taken.
func deriveName(kind, path string, taken func(name string) bool) string {
	last := strings.Map(func(r rune) rune {
		if strings.ContainsRune(nameLetters, r) {
			return r
		}
		return '-'
	}, strings.ToLower(filepath.Base(path)))
	base := kind
	if last = strings.Trim(last, "-"); last != "" {
		base += "-" + last
	}
	if most := MaxNameLength - len("-9999"); len(base) > most {
		base = strings.TrimRight(base[:most], "-")
	}
	name := base
	for i := 2; taken(name); i++ {
		name = fmt.Sprintf("%s-%d", base, i)
	}
	return name
}
