package charts

import (
	"fmt"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"
)

// best gives the highest of the versions that the constraint allows; empty is any
// that is no pre-release. Words that are no versions are passed over. An exact
// version matches itself only, build metadata included.
func best(wanted string, versions []string) (string, error) {
	if slices.Contains(versions, wanted) {
		return wanted, nil
	}
	text := wanted
	if text == "" {
		text = "*"
	}
	constraint, err := semver.NewConstraint(text)
	if err != nil {
		return "", fmt.Errorf("version %q: wanted a version such as 1.2.3 or a constraint such as ^1.2", wanted)
	}
	var found *semver.Version
	for _, v := range versions {
		version, err := semver.NewVersion(v)
		if err == nil && constraint.Check(version) && (found == nil || version.GreaterThan(found)) {
			found = version
		}
	}
	if found == nil {
		return "", fmt.Errorf("no version is %s; there are: %s", describe(wanted), newest(versions))
	}
	return found.Original(), nil
}

func describe(wanted string) string {
	if wanted == "" {
		return "a release (give a pre-release by its version)"
	}
	return wanted
}

// mostListed bounds how many versions an error names.
const mostListed = 5

// newest lists the highest versions.
func newest(versions []string) string {
	var all []*semver.Version
	for _, v := range versions {
		if version, err := semver.NewVersion(v); err == nil {
			all = append(all, version)
		}
	}
	if len(all) == 0 {
		return "none"
	}
	slices.SortFunc(all, func(a, b *semver.Version) int { return b.Compare(a) })
	var names []string
	for _, v := range all[:min(len(all), mostListed)] {
		names = append(names, v.Original())
	}
	text := strings.Join(names, ", ")
	if len(all) > mostListed {
		text += " …"
	}
	return text
}
