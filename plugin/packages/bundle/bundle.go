package bundle

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Paths in a bundle.
const (
	DigestsFile        = "images_digests.json"
	SettingsSchemaFile = "openapi/settings.yaml"
	legacySettingsFile = "openapi/config-values.yaml"
	ValuesSchemaFile   = "openapi/values.yaml"
	ChangelogFile      = "changelog.yaml"
	TemplatesDir       = "templates"
	chartFile          = "Chart.yaml"
	crdsDir            = "crds"
)

// maxFile bounds the files that are read here, in bytes.
const maxFile = 4 << 20

// Bundle is a package as its files tell it.
type Bundle struct {
	// FS are the files, with package.yaml at the top.
	FS         fs.FS
	Definition Definition
	// Digests are those of the images by their name in camelCase: sha256:…
	Digests map[string]string
	// SettingsSchema and ValuesSchema are the files of schemas as they are; nil: the
	// package has none.
	SettingsSchema, ValuesSchema *File
	Changelog                    Changelog
	// Renders tells whether there is anything to render: templates/ or Chart.yaml.
	Renders bool
}

// File is a file of a bundle.
type File struct {
	// Name is its slash-separated path in the bundle.
	Name string
	Data []byte
}

// Changelog is changelog.yaml.
type Changelog struct {
	Features []string `json:"features"`
	Fixes    []string `json:"fixes"`
}

// Read reads a bundle and tells what is to be said about its files. The error is
// one of reading; what is wrong with the contents is among the findings, and
// AsError makes an error of it. The Bundle then holds what could be read.
func Read(fsys fs.FS) (*Bundle, []Finding, error) {
	r := &bundleReader{fsys: fsys, bundle: &Bundle{FS: fsys}}
	for _, step := range []func() error{r.definition, r.digests, r.schemas, r.chart, r.changelog, r.names} {
		if err := step(); err != nil {
			return nil, nil, fmt.Errorf("read package: %w", err)
		}
	}
	sortFindings(r.findings)
	return r.bundle, r.findings, nil
}

// bundleReader collects findings over all files.
type bundleReader struct {
	fsys     fs.FS
	bundle   *Bundle
	findings []Finding
}

func (r *bundleReader) add(s Severity, file, format string, args ...any) {
	r.findings = append(r.findings, Finding{Severity: s, File: file, Text: fmt.Sprintf(format, args...)})
}

// file reads a file. nil, without an error, for one that is not there, and, with
// a finding, for one that can't be a file of a package.
func (r *bundleReader) file(name string) (*File, error) {
	info, err := fs.Stat(r.fsys, name) // first, because to open a pipe waits for its other end
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case LeadsOut(err):
		r.leadsOut(name)
		return nil, nil
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		r.add(Error, name, "wanted a file, found something else")
		return nil, nil
	}
	in, err := r.fsys.Open(name)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(in, maxFile+1))
	if err = errors.Join(err, in.Close()); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(data) > maxFile {
		r.add(Error, name, "is larger than %d bytes", maxFile)
		return nil, nil
	}
	return &File{Name: name, Data: data}, nil
}

func (r *bundleReader) definition() error {
	f, err := r.file(DefinitionFile)
	if err != nil {
		return err
	}
	if f == nil {
		if !r.told(DefinitionFile) {
			r.add(Error, DefinitionFile, "is missing: it is what makes a directory a package")
		}
		return nil
	}
	d, findings := ParseDefinition(f.Data, f.Name)
	r.bundle.Definition = d
	r.findings = append(r.findings, findings...)
	return nil
}

func (r *bundleReader) digests() error {
	f, err := r.file(DigestsFile)
	if err != nil || f == nil {
		return err
	}
	digests, findings := ParseDigests(f.Data, f.Name)
	r.bundle.Digests = digests
	r.findings = append(r.findings, findings...)
	return nil
}

// schemas finds the schemas. Whether they are proper ones is package schema's
// matter.
func (r *bundleReader) schemas() error {
	settings, err := r.file(SettingsSchemaFile)
	if err != nil {
		return err
	}
	legacy, err := r.file(legacySettingsFile)
	if err != nil {
		return err
	}
	switch {
	case settings != nil && legacy != nil:
		r.add(Warning, legacySettingsFile, "is ignored, because there is %s", SettingsSchemaFile)
	case settings == nil && legacy != nil:
		r.add(Warning, legacySettingsFile, "is the older name; call it %s", SettingsSchemaFile)
		settings = legacy
	}
	r.bundle.SettingsSchema = settings
	r.bundle.ValuesSchema, err = r.file(ValuesSchemaFile)
	return err
}

// chart finds what there is to render, and what of a chart is not used.
func (r *bundleReader) chart() error {
	templates, err := r.entries(TemplatesDir)
	if err != nil {
		return err
	}
	chart, err := r.file(chartFile)
	if err != nil {
		return err
	}
	r.bundle.Renders = templates != nil || chart != nil
	if !r.bundle.Renders && !r.told(TemplatesDir) && !r.told(chartFile) {
		r.add(Warning, TemplatesDir, "is not there, and no %s either: the package renders nothing", chartFile)
	}
	crds, err := r.entries(crdsDir)
	if err != nil {
		return err
	}
	if len(crds) > 0 {
		r.add(Warning, crdsDir, "is ignored: CustomResourceDefinitions of applications are not installed")
	}
	return nil
}

// entries lists a directory; nil if there is none.
func (r *bundleReader) entries(dir string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(r.fsys, dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case LeadsOut(err):
		r.leadsOut(dir)
		return nil, nil
	case err != nil:
		info, statErr := fs.Stat(r.fsys, dir)
		if statErr == nil && !info.IsDir() {
			r.add(Error, dir, "wanted a directory, found a file")
			return nil, nil
		}
		return nil, err
	}
	if entries == nil {
		entries = []fs.DirEntry{}
	}
	return entries, nil
}

func (r *bundleReader) changelog() error {
	f, err := r.file(ChangelogFile)
	if err != nil || f == nil {
		return err
	}
	changelog, findings := ParseChangelog(f.Data, f.Name)
	r.bundle.Changelog = changelog
	r.findings = append(r.findings, findings...)
	return nil
}

// IsBundle tells whether files are those of a package: package.yaml is there.
func IsBundle(fsys fs.FS) bool {
	info, err := fs.Stat(fsys, DefinitionFile)
	return err == nil && info.Mode().IsRegular()
}

// Hidden tells whether a path, slash-separated, has a part that begins with a dot.
func Hidden(name string) bool {
	return slices.ContainsFunc(strings.Split(path.Clean(name), "/"), func(part string) bool {
		return part != "." && strings.HasPrefix(part, ".")
	})
}
