package controller

import (
	"context"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/runtime"
)

// Desired is what an Application asks for.
type Desired = runtime.Desired

// Facts are what requirements are held against.
type Facts = runtime.Facts

// Runtime runs applications: a *runtime.Runtime. What it finds it reports to a status.Store. Its methods
// don't wait for anything to be done.
type Runtime interface {
	// Run works until the context ends, and returns when all that it began has ended.
	// applications are all that there are: what was installed for others before is
	// removed.
	Run(ctx context.Context, applications []Desired) error
	// Update says what an application is to be. The same again is no news.
	Update(d Desired) error
	// Remove has an application removed, and tells whether that is done. It may be
	// called any number of times.
	Remove(d Desired) (done bool, err error)
	// SetFacts tells what the cluster has.
	SetFacts(f Facts)
	// SetPlatform tells what templates see as .Platform besides its defaults.
	SetPlatform(values map[string]any)
}
