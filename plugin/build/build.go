package build

import (
	"context"
	"fmt"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// EmptyError says that a manifest built no object though that was not allowed.
type EmptyError struct {
	// Manifest is the name of the manifest, Path its path.
	Manifest, Path string
	// Reason says what was looked at; may be empty.
	Reason string
}

// Error names the manifest and the way out.
func (e *EmptyError) Error() string {
	text := fmt.Sprintf("%s has no objects", named(e.Manifest, e.Path))
	if e.Reason != "" {
		text += ": " + e.Reason
	}
	return text + "; if that is meant, use --allow-empty"
}

// content is what one source holds.
type content struct {
	object.Set
	// rules are the kapp configuration among it.
	rules    config.KappConfig
	releases []Release
	// text and alwaysSync are as in Result.
	text       string
	alwaysSync bool
}

// add puts what another source holds behind it.
func (c *content) add(other content) {
	c.Objects = append(c.Objects, other.Objects...)
	c.Warnings = append(c.Warnings, other.Warnings...)
	c.releases = append(c.releases, other.releases...)
	c.rules = c.rules.With(other.rules)
	c.text += other.text
}

// empty reports whether there is nothing to apply.
func (c content) empty() bool {
	hooks := 0
	for _, r := range c.releases {
		hooks += len(r.Hooks)
	}
	return len(c.Objects) == 0 && len(c.rules.Rules()) == 0 && c.text == "" && hooks == 0
}

// Build builds one manifest. It needs no cluster; the namespaces of the objects
// are as written until Finish. An error holds everything that is wrong with the
// manifest; there is no partial result.
func (b Builder) Build(ctx context.Context, m Manifest) (Result, error) {
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	t, known := typeNamed(m.Type)
	if !known {
		return Result{}, fmt.Errorf("manifest %s has the unknown type %s; known: %s", m.Name, m.Type, strings.Join(typeNames(), ", "))
	}
	set, err := t.build(ctx, b, m)
	if err != nil {
		return Result{}, fmt.Errorf("build %s: %w", named(m.Name, m.Path), err)
	}
	if set.empty() && !m.AllowEmpty {
		return Result{}, &EmptyError{Manifest: m.Name, Path: m.Path, Reason: emptyReason(m)}
	}
	return Result{
		Manifest: m.Name, DefaultNamespace: m.DefaultNamespace,
		Objects: set.Objects, Warnings: set.Warnings, Rules: set.rules,
		Releases: set.releases, Text: set.text, AlwaysSync: set.alwaysSync,
	}, nil
}

// named is how messages call a manifest.
func named(name, path string) string {
	switch {
	case name == "":
		return path
	case path == "":
		return "manifest " + name
	}
	return fmt.Sprintf("manifest %s (%s)", name, path)
}

func typeNames() []string {
	var names []string
	for _, t := range Types() {
		names = append(names, t.Name)
	}
	return names
}
