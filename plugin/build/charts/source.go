package charts

import (
	"errors"
	"fmt"
	"strings"
)

// Source says which chart is meant. Exactly one of Path and Name is set.
type Source struct {
	// Path is a directory or a .tgz file. Within, if set, is a directory that
	// Path must not lead out of, also by links.
	Path, Within string
	// Name is the name of the chart in Repository, or oci://HOST/REPOSITORY.
	Name string
	// Repository is the http or https address of a chart repository.
	Repository string
	// Version is a version or a constraint; empty is the highest that is no
	// pre-release.
	Version string
	// Username and Password are for Repository, or the registry of Name.
	Username, Password string
	// CAFile, Insecure and PlainHTTP say how the server is reached.
	CAFile              string
	Insecure, PlainHTTP bool
}

// ociPrefix begins the name of a chart in a registry.
const ociPrefix = "oci://"

// IsOCI reports whether a chart's name is one in a registry.
func IsOCI(name string) bool { return strings.HasPrefix(name, ociPrefix) }

// String names the chart without credentials.
func (s Source) String() string {
	name := s.Path
	if s.Name != "" {
		name = s.Name
	}
	if s.Version != "" {
		name += " " + s.Version
	}
	if s.Repository != "" {
		name += " of " + s.Repository
	}
	return name
}

// Check says what is wrong with a source, without looking for the chart.
func (s Source) Check() error {
	switch {
	case s.Path == "" && s.Name == "":
		return errors.New("there is neither a path nor the name of a chart")
	case s.Path != "" && s.Name != "":
		return errors.New("wanted either a path or the name of a chart, found both")
	case s.Path != "" && s.Repository != "":
		return errors.New("a repository has charts by name: name one instead of a path")
	case IsOCI(s.Name) && s.Repository != "":
		return fmt.Errorf("%s is a whole address: leave the repository out", s.Name)
	case s.Name != "" && !IsOCI(s.Name) && s.Repository == "":
		return fmt.Errorf("chart %s: wanted a repository, or %sHOST/REPOSITORY as its name", s.Name, ociPrefix)
	case s.Repository != "" && !strings.HasPrefix(s.Repository, "http://") && !strings.HasPrefix(s.Repository, "https://"):
		return fmt.Errorf("repository %s: wanted an address with http:// or https://", s.Repository)
	}
	return nil
}
