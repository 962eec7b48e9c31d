package chart

import (
	"context"
	"fmt"
	"regexp"
	"slices"
)

// Request is everything a render depends on besides the chart.
type Request struct {
	Release      Release
	Values       map[string]any // laid over the chart's own values; not changed
	Capabilities Capabilities
	// Roots are further names beside .Values, in the templates of the chart and
	// of its sub-charts: {"Platform": …} is .Platform. Names that the engine uses
	// itself are refused.
	Roots map[string]any
	// Lookup answers the template function lookup; nil means without a cluster:
	// every answer is empty. What was asked stands in Result.Lookups.
	Lookup LookupFunc
	// Strict fails on a value that is not there, instead of printing nothing
	// (Helm's missingkey=error).
	Strict bool
	// SkipSchema leaves values.schema.json of the charts unread.
	SkipSchema bool
	// SkipCRDs leaves crds/ out of the result.
	SkipCRDs bool
	// StrictKeys refuses output in which a key is given twice. Helm lets the last
	// one win; so does this package otherwise, with a warning.
	StrictKeys bool
	// LongNames accepts release names beyond Helm's 53 characters, and with dots.
	LongNames bool
}

// Release is what templates find under .Release.
type Release struct {
	Name      string // at most 53 characters, see Request.LongNames
	Namespace string // objects without a namespace get none here
	Revision  int    // counted from 1; 0 is 1
	Upgrade   bool   // .Release.IsUpgrade; else IsInstall
}

// Capabilities is what templates find under .Capabilities.
type Capabilities struct {
	// KubeVersion is the cluster's, vendor's suffix and all ("v1.36.3-gke.100");
	// "" is DefaultKubeVersion.
	KubeVersion string
	// APIVersions are what the cluster serves, as "apps/v1" and
	// "apps/v1/Deployment"; nil is what Helm knows without a cluster.
	APIVersions []string
}

// DefaultKubeVersion is the version of Kubernetes that charts see when no cluster
// is asked: that of the libraries this program is built with.
const DefaultKubeVersion = "v1.37.0"

// LookupFunc finds an object in the cluster; an empty name asks for the list of
// the namespace ("" for all). What isn't there is an empty map and no error.
type LookupFunc func(ctx context.Context, apiVersion, kind, namespace, name string) (map[string]any, error)

// Lookup is one question of a template to the cluster.
type Lookup struct {
	APIVersion, Kind, Namespace, Name string
}

// maxNameLength is Helm's limit: charts append suffixes to the name, and names of
// Services end at 63.
const maxNameLength = 53

var (
	releaseName = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)
	rootName    = regexp.MustCompile(`^[A-Z][A-Za-z0-9]*$`)
	// engineRoots are the names that the engine gives templates itself.
	engineRoots = []string{"Capabilities", "Chart", "Files", "Release", "Subcharts", "Template", "Values"}
)

// check refuses what could only fail later and less clearly.
func (r Request) check() error {
	name := r.Release.Name
	switch {
	case name == "":
		return fmt.Errorf("the release has no name")
	case len(name) > maxNameLength && !r.LongNames:
		return fmt.Errorf("release name %q has %d characters, wanted at most %d", name, len(name), maxNameLength)
	case !releaseName.MatchString(name):
		return fmt.Errorf("release name %q: wanted lower-case letters, digits, '-' and '.', with a letter or digit at both ends", name)
	}
	for root := range r.Roots {
		if slices.Contains(engineRoots, root) {
			return fmt.Errorf("root .%s is the template engine's own", root)
		}
		if !rootName.MatchString(root) {
			return fmt.Errorf("root %q: wanted a name that begins with a capital letter", root)
		}
	}
	return nil
}
