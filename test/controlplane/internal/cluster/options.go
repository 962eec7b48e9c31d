package cluster

import (
	"time"

	"github.com/kubectl-tazuna/kubectl-tazuna/test/controlplane/internal/home"
)

const (
	// autoNodes asks for the default number of nodes.
	autoNodes    = -1
	defaultNodes = 2
)

// Options tells how to run a control plane.
type Options struct {
	// Home is where everything is kept.
	Home home.Home
	// Fsync makes etcd flush to disk as a real one does. Off, because only
	// benchmarks of the disk need it and it dominates the time of writes.
	Fsync bool
	// WithoutControllers leaves out the controller manager and the scheduler.
	WithoutControllers bool
	// Nodes is the number of stand-in nodes; negative means two, or none
	// without controllers, as nothing would schedule onto them.
	Nodes int
	// APIServerFlags are further flags of kube-apiserver, as name=value.
	APIServerFlags []string
	// MaxAge ends the control plane after this time; zero means never.
	MaxAge time.Duration
}

// DefaultOptions are the options used unless told otherwise.
func DefaultOptions() Options {
	// A forgotten control plane costs 300 MiB; no test runs this long.
	return Options{Nodes: autoNodes, MaxAge: 6 * time.Hour}
}

func (o Options) nodes() int {
	switch {
	case o.Nodes >= 0:
		return o.Nodes
	case o.WithoutControllers:
		return 0
	default:
		return defaultNodes
	}
}
