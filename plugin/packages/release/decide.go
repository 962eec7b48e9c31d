package release

import (
	"fmt"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// Decision says whether a release has to be upgraded, and why.
type Decision struct {
	Upgrade bool
	// Why is a sentence.
	Why string
	// Look: nothing but the record was asked so far; whether objects are missing in the
	// cluster decides.
	Look bool
}

// Decide is the rule by which a release is upgraded: on the first installation, if the
// last revision is not deployed, or if what is rendered has changed; otherwise only if
// objects are missing. In maintenance nothing is done once it has been applied for it.
// last is nil where there is no revision.
func Decide(last *Revision, checksum string, maintenance bool) Decision {
	switch {
	case last == nil:
		return Decision{Upgrade: true, Why: "it is not installed yet"}
	case maintenance && last.Deployed() && last.Maintenance:
		return Decision{Why: "it is in maintenance: nothing is applied"}
	case !last.Deployed():
		return Decision{Upgrade: true, Why: fmt.Sprintf("its last revision, %d, is %s", last.Number, last.Status)}
	case last.Checksum == "" || last.Checksum != checksum:
		return Decision{Upgrade: true, Why: "what is rendered has changed"}
	default:
		return Decision{Look: true, Why: "it is up to date"}
	}
}

// Looked goes on with the objects that are missing in the cluster.
func (d Decision) Looked(missing []object.Ref) Decision {
	if !d.Look || len(missing) == 0 {
		return d
	}
	return Decision{Upgrade: true, Why: "missing in the cluster: " + names(missing, 5)}
}

// names lists the first few of several objects.
func names(refs []object.Ref, most int) string {
	var out []string
	for i, ref := range refs {
		if i == most {
			out = append(out, fmt.Sprintf("and %d more", len(refs)-most))
			break
		}
		out = append(out, ref.String())
	}
	return strings.Join(out, ", ")
}
