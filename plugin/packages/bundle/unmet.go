package bundle

import (
	"fmt"
	"strings"
)

// Facts are what requirements are held against.
type Facts struct {
	// Kubernetes and Deckhouse are versions; empty: not known, so that every
	// constraint on it is unmet.
	Kubernetes, Deckhouse string
	// Modules are the enabled modules with their versions.
	Modules map[string]string
}

// Unmet is a requirement that doesn't hold.
type Unmet struct {
	// Requirement says which: "kubernetes", "module user-authn",
	// "one of the modules of group ingress".
	Requirement string
	// Wanted is what it asks for, Found what there is.
	Wanted, Found string
}

// String names all three: "kubernetes: wanted >= 1.30, found 1.29.4".
func (u Unmet) String() string {
	return fmt.Sprintf("%s: wanted %s, found %s", u.Requirement, u.Wanted, u.Found)
}

// Unmet gives the requirements that don't hold, in the order in which they are
// declared. A version that can't be read meets no constraint.
func (r Requirements) Unmet(f Facts) []Unmet {
	var all []Unmet
	add := func(u *Unmet) {
		if u != nil {
			all = append(all, *u)
		}
	}
	add(versionUnmet("kubernetes", r.Kubernetes, f.Kubernetes))
	add(versionUnmet("deckhouse", r.Deckhouse, f.Deckhouse))
	for _, m := range r.Mandatory {
		add(f.missing(m, true))
	}
	for _, m := range r.Conditional {
		add(f.missing(m, false))
	}
	for _, g := range r.AnyOf {
		add(f.noneFits(g))
	}
	for _, g := range r.NoneOf {
		add(f.someFits(g))
	}
	return all
}

func versionUnmet(name string, c Constraint, version string) *Unmet {
	if c.IsZero() {
		return nil
	}
	if ok, err := c.Allows(version); err == nil && ok {
		return nil
	}
	return &Unmet{Requirement: name, Wanted: c.String(), Found: orUnknown(version)}
}

func orUnknown(version string) string {
	if version == "" {
		return "an unknown version"
	}
	return version
}

// fits tells whether a module is enabled with a version that fits.
func (f Facts) fits(m ModuleRequirement) bool {
	version, enabled := f.Modules[m.Name]
	if !enabled {
		return false
	}
	ok, err := m.Constraint.Allows(version)
	return err == nil && ok
}

func (f Facts) missing(m ModuleRequirement, mandatory bool) *Unmet {
	version, enabled := f.Modules[m.Name]
	switch {
	case f.fits(m) || (!enabled && !mandatory):
		return nil
	case !enabled:
		return &Unmet{Requirement: "module " + m.Name, Wanted: wantedOf(m), Found: "it is not enabled"}
	}
	return &Unmet{Requirement: "module " + m.Name, Wanted: m.Constraint.String(), Found: orUnknown(version)}
}

func wantedOf(m ModuleRequirement) string {
	if m.Constraint.IsZero() {
		return "it to be enabled"
	}
	return m.Constraint.String()
}

func (f Facts) noneFits(g ModuleGroup) *Unmet {
	var found []string
	for _, m := range g.Modules {
		if f.fits(m) {
			return nil
		}
		if version, enabled := f.Modules[m.Name]; enabled {
			found = append(found, m.Name+" "+orUnknown(version))
		}
	}
	return &Unmet{
		Requirement: fmt.Sprintf("modules of the group %q", g.Name),
		Wanted:      "one of " + membersOf(g), Found: orNothing(found),
	}
}

func (f Facts) someFits(g ModuleGroup) *Unmet {
	var found []string
	for _, m := range g.Modules {
		if f.fits(m) {
			found = append(found, strings.TrimSpace(m.Name+" "+f.Modules[m.Name]))
		}
	}
	if len(found) == 0 {
		return nil
	}
	return &Unmet{
		Requirement: fmt.Sprintf("modules of the group %q", g.Name),
		Wanted:      "none of " + membersOf(g), Found: orNothing(found),
	}
}

func membersOf(g ModuleGroup) string {
	names := make([]string, len(g.Modules))
	for i, m := range g.Modules {
		names[i] = strings.TrimSpace(m.Name + " " + m.Constraint.String())
	}
	return strings.Join(names, ", ")
}

func orNothing(found []string) string {
	if len(found) == 0 {
		return "none of them"
	}
	return strings.Join(found, ", ")
}
