package cluster

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/version"
)

// supportedSkew is how many minor versions a client and a server may be apart, by
// Kubernetes' own rule.
const supportedSkew = 1

// Skew says that a server's version is further from the client's than Kubernetes
// supports; it is empty if it isn't. Both are versions of Kubernetes as servers give
// them, v1.37.2 or v1.34.5-gke.100; an error names the one that is no version.
func Skew(client, server string) (string, error) {
	ours, err := minorVersion("client", client)
	if err != nil {
		return "", err
	}
	theirs, err := minorVersion("server", server)
	if err != nil {
		return "", err
	}
	apart := int(ours.Minor()) - int(theirs.Minor())
	if ours.Major() == theirs.Major() && max(apart, -apart) <= supportedSkew {
		return "", nil
	}
	return fmt.Sprintf("the server is Kubernetes %d.%d, this program is made for %d.%d: Kubernetes supports clients that are at most %d minor version older or newer",
		theirs.Major(), theirs.Minor(), ours.Major(), ours.Minor(), supportedSkew), nil
}

func minorVersion(whose, text string) (*version.Version, error) {
	v, err := version.ParseGeneric(text)
	if err != nil {
		return nil, fmt.Errorf("the %s's version: wanted one like v1.37.2, found %q", whose, text)
	}
	return v, nil
}

// ReleaseOfLibrary gives the version of Kubernetes that a version of its Go modules
// belongs to: v1.37.2 for v0.37.2. What is not of that form is returned as it is.
func ReleaseOfLibrary(module string) string {
	if rest, ok := strings.CutPrefix(module, "v0."); ok {
		return "v1." + rest
	}
	return module
}
