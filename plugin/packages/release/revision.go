package release

import (
	"time"

	"helm.sh/helm/v4/pkg/release/common"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/chart"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// Revision is one record of a release.
type Revision struct {
	// Namespace and Name are the release's: NAMESPACE.INSTANCE.
	Namespace, Name string
	// Number counts from 1.
	Number int
	Status common.Status
	// Description is a sentence about how it ended.
	Description string
	// Package and Version are those that were installed.
	Package, Version string
	// Checksum names what was rendered; Maintenance tells that it was rendered for
	// maintenance.
	Checksum    string
	Maintenance bool
	// First and Last are when the release and the revision were begun.
	First, Last time.Time
	// Objects and Hooks are as they were rendered; Objects only those that the action
	// of the revision deploys.
	Objects []object.Object
	Hooks   []chart.Hook

	// Unread says what of the manifest can't be understood; empty for nothing. Objects
	// there are not known to be the release's.
	Unread string

	// stored is the Secret as the server has it: whatever of it we don't know stays.
	stored *unstructured.Unstructured
}

// Deployed reports whether the revision was installed completely and is the present
// one.
func (r *Revision) Deployed() bool { return r != nil && r.Status == common.StatusDeployed }

// latest is the newest of a history; nil for none.
func latest(history []*Revision) *Revision {
	if len(history) == 0 {
		return nil
	}
	return history[len(history)-1]
}

// since returns the revisions of which objects may be in the cluster: from the last
// deployed one on, or all if there is none.
func since(history []*Revision) []*Revision {
	for i := len(history) - 1; i >= 0; i-- {
		if history[i].Deployed() {
			return history[i:]
		}
	}
	return history
}
