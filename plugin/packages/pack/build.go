package pack

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/registry"
)

// Options say what is built.
type Options struct {
	// Version is vMAJOR.MINOR.PATCH; empty: that of package.yaml.
	Version string
	// MaxBytes bounds the files of the package; zero: defaultMaxBytes.
	MaxBytes int64
}

// defaultMaxBytes is what a registry client takes for one layer.
const defaultMaxBytes = 512 << 20

// Images are what a package is published as.
type Images struct {
	Name, Version    string
	Bundle, Metadata registry.Image
	// Left are the files that are in neither image.
	Left []Left
}

// Left is a file or directory that is not published.
type Left struct{ Path, Reason string }

// Build makes the images of the package in fsys. Findings are those of
// bundle.Read, and a Warning where another version is built than package.yaml has;
// an Error among them ends the build.
func Build(fsys fs.FS, o Options) (*Images, []bundle.Finding, error) {
	b, findings, err := bundle.Read(fsys)
	if err != nil {
		return nil, nil, err
	}
	if err := bundle.AsError(findings); err != nil {
		return nil, findings, err
	}
	version, err := o.version(b.Definition)
	if err != nil {
		return nil, findings, fmt.Errorf("build package %s: %w", b.Definition.Name, err)
	}
	if own := b.Definition.Version; own != "" && own != "dev" && own != version {
		findings = append(findings, bundle.Finding{
			Severity: bundle.Warning, File: bundle.DefinitionFile, Key: "version",
			Text: fmt.Sprintf("is %s, and %s is built, which counts", own, version),
		})
	}
	images, err := build(fsys, b.Definition, version, o)
	if err != nil {
		return nil, findings, fmt.Errorf("build package %s %s: %w", b.Definition.Name, version, err)
	}
	return images, findings, nil
}

func (o Options) version(d bundle.Definition) (string, error) {
	version := o.Version
	if version == "" {
		version = d.Version
	}
	switch {
	case version == "":
		return "", errors.New("wanted a version (vMAJOR.MINOR.PATCH); none was given, and package.yaml has none")
	case !bundle.IsVersion(version):
		return "", fmt.Errorf("wanted a version such as v1.2.3, found %q", version)
	}
	return version, nil
}

func build(fsys fs.FS, d bundle.Definition, version string, o Options) (*Images, error) {
	if o.MaxBytes == 0 {
		o.MaxBytes = defaultMaxBytes
	}
	files, left, err := collect(fsys, o.MaxBytes)
	if err != nil {
		return nil, err
	}
	if err := files.putVersion(version); err != nil {
		return nil, err
	}
	metadata, err := files.metadata(version)
	if err != nil {
		return nil, err
	}
	images := &Images{Name: d.Name, Version: version, Left: left}
	if images.Bundle, err = image(files, d, version); err != nil {
		return nil, err
	}
	images.Metadata, err = image(metadata, d, version)
	return images, err
}

// metadata picks the files of the metadata image.
func (fs files) metadata(version string) (files, error) {
	var some files
	for _, f := range fs {
		if f.name == bundle.DefinitionFile || f.name == bundle.ChangelogFile ||
			strings.HasPrefix(f.name, "openapi/") || strings.HasPrefix(f.name, "docs/") {
			some = append(some, f)
		}
	}
	data, err := bundle.EncodeVersion(version)
	if err != nil {
		return nil, err
	}
	some = append(some, file{name: bundle.VersionFile, data: data})
	slices.SortFunc(some, func(a, b file) int { return strings.Compare(a.name, b.name) })
	return some, nil
}
