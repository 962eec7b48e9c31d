package release

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/chart"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/drift"
)

// Request is what an application renders to, to be brought into the cluster.
type Request struct {
	// Namespace and Instance name the application.
	Namespace, Instance string
	// Package and Version are what is installed; Helm shows them as the chart.
	Package, Version string
	// Objects and Hooks are as they were rendered, labels included. They are not
	// changed.
	Objects []object.Object
	Hooks   []chart.Hook
	// Maintenance tells that they were rendered for maintenance.
	Maintenance bool
	// Progress hears how the apply comes on: at the beginning, then not more often than
	// Service.ProgressEvery, and once at the end, however it ends. It is called by one
	// goroutine at a time. nil drops it.
	Progress func(api.Tracking)
}

// Name is that of the release.
func (r Request) Name() string { return api.InstanceName(r.Namespace, r.Instance) }

// Checksum names what was rendered. Any change of an object or a hook is another one.
func (r Request) Checksum() (string, error) {
	manifest, err := manifestOf(r.Objects)
	if err != nil {
		return "", err
	}
	sum := sha256.New224() // in hex it fits into a label, which one of SHA-256 doesn't
	sum.Write([]byte(manifest))
	for _, h := range r.Hooks {
		text, err := object.EncodeYAML(h.Object.Body)
		if err != nil {
			return "", fmt.Errorf("write %s: %w", h.Object.Ref(), err)
		}
		fmt.Fprintf(sum, "\x00%v %d %v\x00", h.Events, h.Weight, h.DeletePolicies)
		sum.Write(text)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// Outcome is what became of a request.
type Outcome struct {
	// Upgraded tells that there is a new revision; otherwise nothing was written.
	Upgraded bool
	// Why says why there is one, or none.
	Why string
	// Revision is the newest one's number, Deployed whether it is deployed.
	Revision int
	Deployed bool
	// Expected are the objects that should be in the cluster from now on.
	Expected []drift.Object
	// Warnings tell what had no effect, and which failures were ignored.
	Warnings []string
	// Tracking is the last report; zero where nothing was applied.
	Tracking api.Tracking
}

// check refuses a request that lacks something.
func (r Request) check() error {
	for _, part := range []struct{ what, value string }{
		{"namespace", r.Namespace}, {"instance", r.Instance}, {"package", r.Package}, {"version", r.Version},
	} {
		if part.value == "" {
			return errors.New("the release of an application needs its " + part.what)
		}
	}
	return nil
}
