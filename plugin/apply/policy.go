package apply

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/apply/prune"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
)

// Policy holds what a user, or the kind of record, may decide differently.
type Policy struct {
	// FieldManager is the manager of our server-side applies; empty is the client's.
	FieldManager string
	// Validation is the server's field validation: Strict, Warn or Ignore; empty is
	// the server's default.
	Validation string
	// NoWait ends an object's part of the run with its write. Edges that need
	// readiness (a CustomResourceDefinition before its objects) wait all the same,
	// and so do deletions.
	NoWait bool
	// IgnoreUnchanged: what is as wanted is not waited for before deletions, and doesn't
	// hold them up: whether it is ready has nothing to do with this run.
	IgnoreUnchanged bool
	// Answerable: the run answers for every object, also for one that it does not
	// change and that was not ready before: all are waited for, and what is not ready
	// has failed.
	Answerable bool
	// ObjectTimeout bounds the retries of one object, and then its wait, each;
	// 0 means 15 minutes.
	ObjectTimeout time.Duration
	// WaitTimeout bounds the wait alone, where it is not 0. An annotation of the
	// object (plan.Strategy) beats it.
	WaitTimeout time.Duration
	// Timeout bounds the whole run; 0 means no bound.
	Timeout time.Duration
	// Replan goes on with what planning again gives, when an object has changed
	// since the plan was shown.
	Replan bool
	// Propagation of deletions; empty means Background.
	Propagation metav1.DeletionPropagation
	// Guards decide what deletions may do; see DefaultPolicy for the usual ones.
	Guards []prune.Filter
	// MaxPrune refuses all deletions when there would be more.
	MaxPrune prune.Limit
	// WaitRules are the user's own conditions for readiness; they are asked before
	// anything else, the first that matches an object decides.
	WaitRules []config.WaitRule
	// CollectLogs adds the last lines of a failing Pod's log to the failure.
	CollectLogs bool
}

// DefaultPolicy is the policy of manifests (docs/concepts.md). protected says whether
// Namespaces, CustomResourceDefinitions and volumes may be deleted.
func DefaultPolicy(pruneProtected bool) Policy {
	return Policy{
		ObjectTimeout: defaultObjectTimeout,
		Propagation:   metav1.DeletePropagationBackground,
		Guards:        prune.DefaultFilters(pruneProtected),
		CollectLogs:   true,
	}
}

const (
	defaultObjectTimeout = 15 * time.Minute
	defaultConcurrency   = 16
	// grace is how long what is in flight may take after an interrupt: as long as the
	// client waits for the answer to a write then. Somebody waits for the end.
	grace = 15 * time.Second
	// staleGrace is how long an old failure may stand in the status after a write
	// before it counts as a failure of the write: controllers need a moment.
	staleGrace = 10 * time.Second
	// maxReplans bounds how often one object may be outrun by others.
	maxReplans = 10
)
