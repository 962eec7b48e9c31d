package config

import (
	"fmt"

	"github.com/Masterminds/semver/v3"
)

// checkVersion is the gate of minimumSupportedTazunaVersion: an error if the
// running tool is older than the file allows. A running version that is no
// semantic version, such as a build from source, passes.
func checkVersion(minimum, running string) error {
	lowest, err := semver.NewVersion(minimum)
	if err != nil {
		return fmt.Errorf("wanted a semantic version such as 1.2.3, found %q", minimum)
	}
	own, err := semver.NewVersion(running)
	if err != nil {
		return nil
	}
	if own.LessThan(lowest) {
		return fmt.Errorf("this file needs version %s or newer, this is %s: install a newer kubectl-tazuna", minimum, running)
	}
	return nil
}
