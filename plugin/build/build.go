package build

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// kind builds manifests of one type.
type kind struct {
	// name is the type's name.
	name string
	// build gives the objects in the order of the source.
	build func(ctx context.Context, b Builder, m Manifest) (content, error)
}

// kinds lists what this version can build; the names are config.SupportedTypes.
func kinds() []kind {
	return []kind{
		{config.TypeKustomize, buildKustomize},
		{config.TypeYAML, buildYAML},
	}
}

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
	rules config.KappConfig
}

// Build builds one manifest. It needs no cluster; the namespaces of the objects
// are as written until Finish. An error holds everything that is wrong with the
// manifest; there is no partial result.
func (b Builder) Build(ctx context.Context, m Manifest) (Result, error) {
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	all := kinds()
	i := slices.IndexFunc(all, func(k kind) bool { return k.name == m.Type })
	if i < 0 {
		return Result{}, fmt.Errorf("type %s of manifest %s is not supported by this version; supported: %s",
			m.Type, m.Name, strings.Join(config.SupportedTypes(), ", "))
	}
	set, err := all[i].build(ctx, b, m)
	if err != nil {
		return Result{}, fmt.Errorf("build %s: %w", named(m.Name, m.Path), err)
	}
	if len(set.Objects) == 0 && len(set.rules.Rules()) == 0 && !m.AllowEmpty {
		return Result{}, &EmptyError{Manifest: m.Name, Path: m.Path, Reason: emptyReason(m)}
	}
	return Result{
		Manifest: m.Name, DefaultNamespace: m.DefaultNamespace,
		Objects: set.Objects, Warnings: set.Warnings, Rules: set.rules,
	}, nil
}

// named is how messages call a manifest.
func named(name, path string) string {
	if name == "" {
		return path
	}
	return fmt.Sprintf("manifest %s (%s)", name, path)
}
