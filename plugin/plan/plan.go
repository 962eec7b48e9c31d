package plan

import (
	"errors"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

// Plan is what a run would do, with the bodies it would send. It holds secrets:
// it refuses to be marshalled, Report is the form that may leave the process.
type Plan struct {
	Context   cluster.ContextInfo
	Manifests []Manifest
	// Objects stand in input order, deletions last.
	Objects  []*Object
	Leftover []Leftover
	Warnings []string
	// Disorder says why there is no order in which the plan could be carried out: a
	// *CycleError, or an annotation that can't be read; nil for a plan that can.
	Disorder error
	// Notes tell what else a run would do: hooks of charts.
	Notes []string
	// rules are those that the plan was made by.
	rules *config.KappConfig
}

// Manifest is one manifest of the run with the record it was compared with.
type Manifest struct {
	Name   string
	Record *state.Record
	// Repair says why the record must be written although no object changes;
	// empty when it needs no write.
	Repair string
	// Gone are entries of the record whose object no longer exists and that the
	// files don't name: they leave the record with the next write.
	Gone []state.Key
	// DefaultNamespace is where objects without a namespace go.
	DefaultNamespace string
}

// Object is one planned object.
type Object struct {
	Manifest string
	Ref      object.Ref
	// Key is the entry of the record: the old one for deletions.
	Key state.Key
	// Mapping is the resource to talk to; MappingKnown is false for a kind whose
	// CustomResourceDefinition is created by the same run.
	Mapping      cluster.Mapping
	MappingKnown bool
	// Desired is the built object; Body nil for deletions.
	Desired object.Object
	// Live is an untouched copy of what the cluster has, nil when absent.
	Live map[string]any
	// Send is the body of the server-side apply: the built object without
	// server-owned metadata, nulls and status, stringData folded, labels of the
	// ApplySet put on. It carries no uid and resourceVersion; see UID.
	// Of a kind that only takes whole objects (Mapping.OnlyPut), an update is the live
	// object with the changes made.
	Send map[string]any
	// Adopt is the JSON patch that comes before Send where another tool's entries
	// of managedFields become ours; nil for none. The apply that follows carries
	// the resourceVersion of its answer.
	Adopt []byte
	// Status is what goes to the status subresource afterwards; nil for nothing.
	Status map[string]any

	// Strategy is what the annotations of the wanted object ask of the run, of the
	// live one for deletions.
	Strategy Strategy

	Op          Op
	Force       bool // drift, or an owner that is taken over on purpose
	Differences []Difference
	Hidden      []Difference
	Overridden  []Author // owners that --force-conflicts takes fields from
	Reason      string
	Unverified  string
	Notes       []string

	// disputed: it is refused because another manifest of the file has the object.
	disputed bool

	// Finished: a Job that has run and is gone, as it was meant to; nothing is done.
	Finished bool

	// Awaited: the run that wrote it last ended while it waited for it to become
	// ready; as long as it isn't, the next run goes on waiting.
	Awaited bool

	// UID and ResourceVersion of Live are the preconditions of the write.
	UID             types.UID
	ResourceVersion string
	Created         *time.Time
	// ContentHash is the hash that the record will hold.
	ContentHash string
	// Err is set where the object could not be planned; Op is then OpError.
	Err error

	// before and after are the compared values of the text diff, unmasked.
	before, after map[string]any
	// live and result are the same sides whole, for the server's view; nil where
	// they are absent or the server was not asked.
	live, result map[string]any
	// hidden are the paths that the record says a rule masked, which this run's rules
	// may not know.
	hidden []object.Path
	// evidence is what the decision about an existing object rests on, for Explain.
	evidence *evidence
	// again is what the object was planned from, for planning it once more.
	again *wanted
}

// ErrUnmarshalable is returned by every attempt to serialise a Plan.
var ErrUnmarshalable = errors.New("a plan holds secret values and can't be serialised: use its Report")

// MarshalJSON refuses.
func (*Plan) MarshalJSON() ([]byte, error) { return nil, ErrUnmarshalable }

// MarshalJSON refuses.
func (*Object) MarshalJSON() ([]byte, error) { return nil, ErrUnmarshalable }

// Empty reports whether applying the plan would write nothing at all.
func (p *Plan) Empty() bool {
	for _, o := range p.Objects {
		if o.Op != OpNone {
			return false
		}
	}
	for _, m := range p.Manifests {
		if m.Repair != "" {
			return false
		}
	}
	return true
}

// Known reports whether the word names an operation.
func (op Op) Known() bool {
	switch op {
	case OpCreate, OpUpdate, OpAdopt, OpReplace, OpDelete, OpRefuse, OpBlocked, OpExists, OpSkip, OpError:
		return true
	default:
		return false
	}
}

// Writes reports whether an operation writes to the object.
func (op Op) Writes() bool {
	switch op {
	case OpCreate, OpUpdate, OpAdopt, OpReplace, OpDelete:
		return true
	default:
		return false
	}
}
