package bundle

import (
	"fmt"
	"strings"

	"github.com/Masterminds/semver/v3"
)

// devVersion is the version of what is being worked on: it counts as newer than
// all that is out.
const (
	devVersion     = "dev"
	devCountsAs    = "2.0.0"
	optionalSuffix = "!optional"
)

// Constraint is a range of versions, such as ">= 1.29, < 2". The zero value allows
// all.
type Constraint struct {
	text   string
	parsed *semver.Constraints
}

// ParseConstraint reads a range; the empty text is the zero Constraint.
func ParseConstraint(text string) (Constraint, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return Constraint{}, nil
	}
	parsed, err := semver.NewConstraint(text)
	if err != nil {
		return Constraint{}, fmt.Errorf("wanted a range of versions such as %q, found %q: %w", ">= 1.29, < 2", text, err)
	}
	return Constraint{text: text, parsed: parsed}, nil
}

// String is the range as it was written; "" for none.
func (c Constraint) String() string { return c.text }

// MarshalText writes the range as it was written.
func (c Constraint) MarshalText() ([]byte, error) { return []byte(c.text), nil }

// IsZero tells whether every version is allowed, also one that can't be read.
func (c Constraint) IsZero() bool { return c.parsed == nil }

// Allows tells whether a version fits. Pre-release and build metadata don't count:
// v1.30.2-gke.100 and v1.30.2+k3s1 are 1.30.2. The version "dev" counts as 2.0.0.
func (c Constraint) Allows(version string) (bool, error) {
	if c.IsZero() {
		return true, nil
	}
	v, err := coreVersion(version)
	if err != nil {
		return false, err
	}
	return c.parsed.Check(v), nil
}

// coreVersion reads MAJOR.MINOR.PATCH of a version.
func coreVersion(text string) (*semver.Version, error) {
	if text == devVersion {
		return semver.NewVersion(devCountsAs)
	}
	v, err := semver.NewVersion(text)
	if err != nil {
		return nil, fmt.Errorf("wanted a version such as v1.29.3, found %q: %w", text, err)
	}
	return semver.New(v.Major(), v.Minor(), v.Patch(), "", ""), nil
}

// IsVersion tells whether a text is a version of a package as tags have it:
// vMAJOR.MINOR.PATCH, without anything behind.
func IsVersion(text string) bool {
	rest, ok := strings.CutPrefix(text, "v")
	if !ok {
		return false
	}
	v, err := semver.StrictNewVersion(rest)
	return err == nil && v.Prerelease() == "" && v.Metadata() == ""
}
