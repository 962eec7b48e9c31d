package source

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/registry"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/registry/archive"
)

// Opener opens packages.
type Opener struct {
	// Client reaches registries and layouts; nil: only directories can be opened.
	Client *registry.Client
	// TempDir is where images are unpacked; empty: the system's directory.
	TempDir string
	// Limits bound what is unpacked; zero: archive.DefaultLimits.
	Limits archive.Limits
}

// Origin says where a package came from.
type Origin struct {
	// Directory is the directory of a package that was not unpacked; empty for an
	// image.
	Directory string
	// Reference is that of an image, with its tag; Digest that of its manifest.
	Reference registry.Reference
	Digest    string
}

// String is the directory, or REFERENCE@DIGEST.
func (o Origin) String() string {
	if o.Directory != "" {
		return o.Directory
	}
	r := o.Reference
	r.Digest = o.Digest
	return r.String()
}

// Package is a bundle that lies in a directory.
type Package struct {
	*bundle.Bundle
	// Dir is the absolute path of its files.
	Dir      string
	Origin   Origin
	Warnings []bundle.Finding

	root *os.Root
	temp string
}

// Close gives up the files, and removes them if they were unpacked.
func (p *Package) Close() error {
	err := p.root.Close()
	if p.temp != "" {
		err = errors.Join(err, os.RemoveAll(p.temp))
	}
	return err
}

// Open opens what a text names: a directory with package.yaml, a directory that
// is an OCI layout, or a reference as registry.ParseReference reads it.
func (o Opener) Open(ctx context.Context, where string) (*Package, error) {
	info, err := os.Stat(where)
	switch {
	case err == nil && info.IsDir() && registry.IsLayout(where):
		return o.image(ctx, registry.Reference{Layout: where})
	case err == nil && info.IsDir():
		return o.directory(where)
	case err == nil:
		return nil, fmt.Errorf("package %s: wanted a directory or a reference, found a file", where)
	case looksLikePath(where):
		return nil, fmt.Errorf("package %s: there is no such directory", where)
	}
	ref, err := registry.ParseReference(where)
	if err != nil {
		return nil, fmt.Errorf("package %s: there is no such directory, and it is no reference: %w", where, err)
	}
	return o.image(ctx, ref)
}

// IsDirectory tells whether a text names a directory of sources, as Open reads it.
func IsDirectory(where string) bool {
	info, err := os.Stat(where)
	return err == nil && info.IsDir() && !registry.IsLayout(where)
}

// looksLikePath tells a path that is mistyped from a reference.
func looksLikePath(where string) bool {
	return where == "" || filepath.IsAbs(where) || strings.HasPrefix(where, ".") || strings.HasPrefix(where, "~")
}

func (o Opener) directory(dir string) (*Package, error) {
	p, findings, err := o.open(dir)
	if err != nil {
		return nil, err
	}
	p.Origin = Origin{Directory: p.Dir}
	return p.checked(findings)
}

// Inspect reads the package in a directory whatever is wrong with it, for who
// tells about it. The error is one of reading.
func (o Opener) Inspect(dir string) (*Package, []bundle.Finding, error) {
	p, findings, err := o.open(dir)
	if err == nil {
		p.Origin = Origin{Directory: p.Dir}
		p.Warnings = bundle.Warnings(findings)
	}
	return p, findings, err
}

// open reads a directory, without any judgement.
func (o Opener) open(dir string) (*Package, []bundle.Finding, error) {
	full, err := filepath.Abs(dir)
	if err != nil {
		return nil, nil, fmt.Errorf("package %s: %w", dir, err)
	}
	root, err := os.OpenRoot(full)
	if err != nil {
		return nil, nil, fmt.Errorf("package %s: %w", dir, err)
	}
	b, findings, err := bundle.Read(root.FS())
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("package %s: %w", dir, err), root.Close())
	}
	return &Package{Bundle: b, Dir: full, root: root}, findings, nil
}

// checked ends the opening of a package: with Error findings there is none.
func (p *Package) checked(findings []bundle.Finding) (*Package, error) {
	if err := bundle.AsError(findings); err != nil {
		return nil, errors.Join(fmt.Errorf("package %s: %w", p.Origin, err), p.Close())
	}
	p.Warnings = bundle.Warnings(findings)
	return p, nil
}

func (o Opener) image(ctx context.Context, ref registry.Reference) (*Package, error) {
	if o.Client == nil {
		return nil, fmt.Errorf("package %s: only directories can be opened here", ref)
	}
	ref, err := o.only(ctx, ref)
	if err != nil {
		return nil, err
	}
	artifact, err := o.Client.Pull(ctx, ref)
	if err != nil {
		return nil, err
	}
	temp, err := o.unpack(ctx, artifact)
	if err := errors.Join(err, artifact.Close()); err != nil {
		return nil, errors.Join(err, os.RemoveAll(temp))
	}
	p, findings, err := o.open(temp)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(temp))
	}
	p.temp = temp
	p.Origin = Origin{Reference: ref, Digest: artifact.Descriptor.Digest}
	p, err = p.checked(append(findings, p.version(ref.Tag)...))
	return p, err
}

// only picks the bundle from a layout that also holds what belongs to it: the
// metadata image that a build puts beside it.
func (o Opener) only(ctx context.Context, ref registry.Reference) (registry.Reference, error) {
	if !ref.IsLayout() || !ref.IsRepository() {
		return ref, nil
	}
	tags, err := o.Client.Tags(ctx, ref)
	if err != nil {
		return ref, err
	}
	var bundles []string
	for _, tag := range tags {
		if !strings.Contains(tag, "/") {
			bundles = append(bundles, tag)
		}
	}
	switch len(bundles) {
	case 0:
		return ref, nil // one without a tag, if any
	case 1:
		return ref.WithTag(bundles[0]), nil
	}
	return ref, fmt.Errorf("package %s: it holds several; name one: %s", ref, strings.Join(bundles, ", "))
}

func (o Opener) unpack(ctx context.Context, a *registry.Artifact) (string, error) {
	limits := o.Limits
	if limits == (archive.Limits{}) {
		limits = archive.DefaultLimits()
	}
	temp, err := os.MkdirTemp(o.TempDir, "tazuna-package-")
	if err != nil {
		return "", fmt.Errorf("package %s: make a directory for it: %w", a.Reference, err)
	}
	if err := a.ExtractInto(ctx, temp, limits); err != nil {
		return "", errors.Join(fmt.Errorf("package: %w", err), os.RemoveAll(temp))
	}
	return temp, nil
}

// version holds the tag of an image and the version that its package.yaml says
// together. The platform goes by the tag.
func (p *Package) version(tag string) []bundle.Finding {
	finding := bundle.Finding{Severity: bundle.Warning, File: bundle.DefinitionFile, Key: "version"}
	d := &p.Definition
	switch {
	case tag == "" || strings.TrimPrefix(tag, "v") == strings.TrimPrefix(d.Version, "v"):
		return nil
	case !bundle.IsVersion(tag):
		finding.Text = fmt.Sprintf("the image has the tag %q, which is no version (vMAJOR.MINOR.PATCH): it is never listed", tag)
	case d.Version == "":
		finding.Text = "is missing; the image's tag counts: " + tag
	default:
		finding.Text = fmt.Sprintf("is %s, and the image has the tag %s, which counts", d.Version, tag)
	}
	if bundle.IsVersion(tag) {
		d.Version = tag
	}
	return []bundle.Finding{finding}
}
