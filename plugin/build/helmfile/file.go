package helmfile

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/build/charts"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/chart"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
)

// Names are the names of a helmfile in a directory; the first that is there counts.
func Names() []string {
	return []string{"helmfile.yaml.gotmpl", "helmfile.yaml", "helmfile.yml.gotmpl", "helmfile.yml"}
}

// File is what is understood of a helmfile.
type File struct {
	Path         string
	Repositories []Repository
	// Releases are in the order of the file.
	Releases []Release
	Warnings []config.Finding
	// Secrets is a body whose masked values must be in no message about this file.
	Secrets map[string]any
}

// Repository is where charts come from, under a name for this file.
type Repository struct {
	Name, URL          string
	Username, Password string
	OCI                bool
}

// Release is one chart with its values.
type Release struct {
	Name, Namespace string
	// Chart is as written: a path, oci://… or REPOSITORY/NAME.
	Chart, Version string
	// Values are laid upon each other in their order.
	Values []ValuesOf
	Line   int
}

// ValuesOf is one element of a release's values.
type ValuesOf struct {
	// File is a path relative to the helmfile; empty for inline values.
	File string
	// Inline is YAML text, Where its place for messages.
	Inline []byte
	Where  string
}

// Merge lays the values upon others. dir is the directory of the helmfile, read
// reads files.
func (v ValuesOf) Merge(base map[string]any, dir string, read func(path string) ([]byte, error)) (map[string]any, error) {
	text, where := v.Inline, v.Where
	if v.File != "" {
		where = v.File
		if !filepath.IsAbs(where) {
			where = filepath.Join(dir, where)
		}
		var err error
		if text, err = read(where); err != nil {
			return nil, fmt.Errorf("read values: %w", err)
		}
	}
	values, err := chart.ReadValues(text, where)
	if err != nil {
		return nil, err
	}
	return chart.MergeValues(base, values), nil
}

// Source finds out where a release's chart is: a declared repository comes before
// a directory of the same name.
func (f *File) Source(r Release) (charts.Source, error) {
	if charts.IsOCI(r.Chart) {
		s := charts.Source{Name: r.Chart, Version: r.Version}
		return s, s.Check()
	}
	alias, name, found := strings.Cut(r.Chart, "/")
	i := slices.IndexFunc(f.Repositories, func(repository Repository) bool { return found && repository.Name == alias })
	if i < 0 {
		path := r.Chart
		if !filepath.IsAbs(path) {
			path = filepath.Join(filepath.Dir(f.Path), path)
		}
		// A chart on disk has the version that it has.
		return charts.Source{Path: path}, nil
	}
	from := f.Repositories[i]
	s := charts.Source{Name: name, Version: r.Version, Repository: from.URL, Username: from.Username, Password: from.Password}
	if from.OCI {
		s.Name, s.Repository = "oci://"+strings.Trim(strings.TrimPrefix(from.URL, "oci://"), "/")+"/"+name, ""
	}
	if err := s.Check(); err != nil {
		return s, fmt.Errorf("repository %s: %w", strconv.Quote(from.Name), err)
	}
	return s, nil
}
