package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/expression"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// Strategy is what the annotations of an object ask of a run. The zero value
// asks for nothing special.
type Strategy struct {
	// Exists: somebody else makes the object. It is waited for, never written
	// and never owned.
	Exists bool
	// Noop: the object is left as it is, also where it is not there.
	Noop bool
	// Authoritative is Input.Authoritative.
	Authoritative bool
	Create        CreateStrategy
	Update        UpdateStrategy
	Delete        DeleteStrategy
	// NoWait: nobody waits for the object to be ready. NoAssociatedWait is
	// kapp's for children, which are never waited for here.
	NoWait, NoAssociatedWait bool
	// MinimumReplicas is how many Pods of a Deployment are enough; nil is all.
	MinimumReplicas *Replicas
	// WaitTimeout is how long the object may take to become ready or gone; 0 is the
	// run's limit.
	WaitTimeout time.Duration
	// ReadyWhen and FailedWhen say when the object is ready and when it has failed,
	// before anything else does; nil for none.
	ReadyWhen, FailedWhen *expression.Condition

	// What follows only packages ask for, see Policy.Strategies.

	// ReplicasOnCreation is spec.replicas of a new object; what a live one has is left
	// to the cluster. nil is the files' own number.
	ReplicasOnCreation *int64
	// Propagation of its deletion; empty is that of the run.
	Propagation metav1.DeletionPropagation
	// FailureIgnored: nothing else is held up by a failure of the object.
	FailureIgnored bool
	// FailuresAllowed is how often containers of one replica of a workload may fail
	// before it counts as failed; nil for as often as they like.
	FailuresAllowed *int
	// Idle is how long nothing may change on an object that is waited for before it
	// counts as failed; 0 for as long as it likes.
	Idle time.Duration
}

// Annotations of ours about waiting.
const (
	// WaitTimeoutAnnotation is a duration such as 90s or 1h.
	WaitTimeoutAnnotation = "tazuna.pepabo.com/wait-timeout"
	// ReadyWhenAnnotation and FailedWhenAnnotation are CEL over self, the live object.
	ReadyWhenAnnotation  = "tazuna.pepabo.com/ready-when"
	FailedWhenAnnotation = "tazuna.pepabo.com/failed-when"
)

// CreateStrategy says what to do when an object to create turns out to exist.
type CreateStrategy string

// The create strategies. Usual is to refuse.
const (
	CreateUsual             CreateStrategy = ""
	CreateOrUpdate          CreateStrategy = "fallback-on-update"
	CreateOrUpdateOrNothing CreateStrategy = "fallback-on-update-or-noop"
)

// UpdateStrategy says how an object changes.
type UpdateStrategy string

// The update strategies. Usual is to update in place.
const (
	UpdateUsual   UpdateStrategy = ""
	UpdateReplace UpdateStrategy = "fallback-on-replace" // where the server refuses an update
	AlwaysReplace UpdateStrategy = "always-replace"
	UpdateSkip    UpdateStrategy = "skip" // never; the difference keeps being shown
)

// DeleteStrategy says what becomes of an object that left the files.
type DeleteStrategy string

// The delete strategies. Usual is to delete it.
const (
	DeleteUsual  DeleteStrategy = ""
	DeleteOrphan DeleteStrategy = "orphan" // it stays in the cluster and leaves the record
)

// Replicas is a number of Pods, or a share of those wanted.
type Replicas struct {
	Number  int
	Percent bool
}

// Of gives the number for a Deployment that wants total Pods, rounded up: at
// least 1 and no more than total.
func (r Replicas) Of(total int) int {
	n := r.Number
	if r.Percent {
		n = (total*r.Number + 99) / 100
	}
	return min(max(n, 1), max(total, 1))
}

// StrategyOf reads what the annotations of a live object ask of a run.
func StrategyOf(live map[string]any) (Strategy, error) { return strategyOf(live) }

// strategyOf reads the annotations of a body. For creating and updating that is
// what is wanted, for deleting what is live. A value that nobody knows is an
// error: a misspelt "orphan" must not delete.
func strategyOf(body map[string]any) (Strategy, error) {
	a := annotationReader{annotations: mapAt(body, "metadata", "annotations")}
	s := Strategy{
		Exists:           a.present(config.KappExists),
		Noop:             a.present(config.KappNoop),
		NoWait:           a.present(config.KappDisableWait),
		NoAssociatedWait: a.present(config.KappDisableAssociatedWait),
		Create: CreateStrategy(a.word(config.KappCreateStrategy,
			string(CreateOrUpdate), string(CreateOrUpdateOrNothing))),
		Update: UpdateStrategy(a.word(config.KappUpdateStrategy,
			string(UpdateReplace), string(AlwaysReplace), string(UpdateSkip))),
		Delete:          DeleteStrategy(a.word(config.KappDeleteStrategy, string(DeleteOrphan))),
		MinimumReplicas: a.replicas(config.KappMinimumReplicas),
		WaitTimeout:     a.duration(WaitTimeoutAnnotation),
		ReadyWhen:       a.expression(ReadyWhenAnnotation),
		FailedWhen:      a.expression(FailedWhenAnnotation),
	}
	if len(a.faults) > 0 {
		return Strategy{}, fmt.Errorf("%s: %s", object.RefOf(body), strings.Join(a.faults, "; "))
	}
	return s, nil
}

// annotationReader collects what is wrong with annotations.
type annotationReader struct {
	annotations map[string]any
	faults      []string
}

func (a *annotationReader) fault(key, format string, args ...any) {
	a.faults = append(a.faults, "annotation "+key+": "+fmt.Sprintf(format, args...))
}

// present reports whether an annotation is there. A value that says the opposite
// is a fault: kapp would not look at it, its author would be surprised.
func (a *annotationReader) present(key string) bool {
	v := get(a.annotations, key)
	if text, ok := v.v.(string); ok && (strings.EqualFold(text, "false") || strings.EqualFold(text, "no")) {
		a.fault(key, "it counts whatever its value is: leave it out instead of writing %q", text)
	}
	return v.ok
}

// word reads an annotation with a few values; the empty one is always known.
func (a *annotationReader) word(key string, known ...string) string {
	v := get(a.annotations, key)
	text, ok := v.v.(string)
	switch {
	case !v.ok || ok && (text == "" || slices.Contains(known, text)):
		return text
	case !ok:
		a.fault(key, "wanted text")
	default:
		a.fault(key, "wanted %s; found %q", strings.Join(known, ", "), brief(text))
	}
	return ""
}

func (a *annotationReader) replicas(key string) *Replicas {
	v := get(a.annotations, key)
	if !v.ok {
		return nil
	}
	text, _ := v.v.(string)
	number, percent := strings.CutSuffix(text, "%")
	n, err := strconv.Atoi(number)
	if err != nil || n < 0 || n > 1_000_000 || percent && n > 100 {
		a.fault(key, "wanted a number or a percentage such as 10 or 5%%; found %q", brief(text))
		return nil
	}
	return &Replicas{Number: n, Percent: percent}
}

// duration reads a time that is longer than nothing.
func (a *annotationReader) duration(key string) time.Duration {
	v := get(a.annotations, key)
	if !v.ok {
		return 0
	}
	text, _ := v.v.(string)
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		a.fault(key, "wanted a time such as 90s or 1h; found %q", brief(text))
		return 0
	}
	return d
}

func (a *annotationReader) expression(key string) *expression.Condition {
	v := get(a.annotations, key)
	if !v.ok {
		return nil
	}
	text, _ := v.v.(string)
	c, err := expression.Compile(text)
	if err != nil {
		a.fault(key, "%s", err)
	}
	return c
}

// brief keeps a foreign text from filling a message.
func brief(text string) string {
	const most = 40
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
