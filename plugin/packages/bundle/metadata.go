package bundle

import (
	"encoding/json"
	"fmt"
	"io/fs"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/document"
)

// VersionFile of a metadata image says which version it is about.
const VersionFile = "version.json"

// Metadata is what a repository tells of one version of a package: enough to judge
// settings and requirements without its bundle.
type Metadata struct {
	// Version is that of version.json.
	Version                      string
	Definition                   Definition
	Changelog                    Changelog
	SettingsSchema, ValuesSchema *File
}

// ReadMetadata reads the files of a metadata image, as Read does those of a bundle.
func ReadMetadata(fsys fs.FS) (*Metadata, []Finding, error) {
	m := &Metadata{}
	r := &bundleReader{fsys: fsys, bundle: &Bundle{FS: fsys}}
	version := func() error { return r.version(&m.Version) }
	for _, step := range []func() error{r.definition, version, r.schemas, r.changelog} {
		if err := step(); err != nil {
			return nil, nil, fmt.Errorf("read metadata: %w", err)
		}
	}
	b := r.bundle
	m.Definition, m.Changelog = b.Definition, b.Changelog
	m.SettingsSchema, m.ValuesSchema = b.SettingsSchema, b.ValuesSchema
	sortFindings(r.findings)
	return m, r.findings, nil
}

func (r *bundleReader) version(into *string) error {
	f, err := r.file(VersionFile)
	if err != nil {
		return err
	}
	if f == nil {
		r.add(Error, VersionFile, "is missing")
		return nil
	}
	p, value, findings := openDocument(f.Data, f.Name, document.OneJSON)
	if p == nil {
		r.findings = append(r.findings, findings...)
		return nil
	}
	p.mapping(value, "", false, []document.Field{
		{Key: "version", Read: func(v any, at string) { *into = p.Filled(v, at) }},
	})
	if *into == "" && len(p.Findings) == 0 {
		p.Found("", "version is missing")
	}
	if *into != "" && !IsVersion(*into) {
		p.Found("version", "wanted vMAJOR.MINOR.PATCH, found %q", *into)
	}
	r.findings = append(r.findings, p.findings()...)
	return nil
}

// EncodeVersion is the content of version.json.
func EncodeVersion(version string) ([]byte, error) {
	data, err := json.Marshal(map[string]string{"version": version})
	if err != nil {
		return nil, err
	}
	return append(data, '\n'), nil
}
