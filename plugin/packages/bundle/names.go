package bundle

import (
	"io/fs"
	"slices"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/document"
)

// topNames are the files and directories at the top of a package that mean
// something to somebody.
func topNames() []document.Field {
	return fieldsOf(DefinitionFile, DigestsFile, ChangelogFile, VersionFile, chartFile, TemplatesDir, crdsDir,
		"charts", "hooks", "openapi", "docs", "images", "values.yaml", "oss.yaml", "examples")
}

// schemaNames are the files that are read below openapi/.
func schemaNames() []document.Field {
	return fieldsOf("settings.yaml", "values.yaml", "config-values.yaml")
}

func fieldsOf(names ...string) []document.Field {
	fields := make([]document.Field, len(names))
	for i, name := range names {
		fields[i].Key = name
	}
	return fields
}

// names looks for what is called almost as something that would be used.
func (r *bundleReader) names() error {
	top, err := r.entries(".")
	if err != nil {
		return err
	}
	r.almost("", top, topNames())
	schemas, err := r.entries("openapi")
	if err != nil {
		return err
	}
	r.almost("openapi/", schemas, schemaNames())
	return nil
}

func (r *bundleReader) almost(dir string, entries []fs.DirEntry, known []document.Field) {
	for _, e := range entries {
		name := e.Name()
		isKnown := slices.ContainsFunc(known, func(f document.Field) bool { return f.Key == name })
		if isKnown || strings.HasPrefix(name, ".") {
			continue
		}
		if meant := nearest(name, known); meant != "" {
			r.add(Warning, dir+name, "is used by nothing; did you mean %s?", dir+meant)
		}
	}
}
