package apply

import (
	"time"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

// Outcome is how an object's part of a run ended.
type Outcome string

// Outcomes of objects.
const (
	OutcomeUnchanged Outcome = "unchanged" // nothing was written
	OutcomeApplied   Outcome = "applied"   // written; Ready tells more
	OutcomeDeleted   Outcome = "deleted"   // gone
	OutcomeKept      Outcome = "kept"      // a guard kept it from being deleted
	OutcomeFailed    Outcome = "failed"
	OutcomeRefused   Outcome = "refused" // conflict, immutable field or guard
	OutcomeSkipped   Outcome = "skipped" // what it depends on failed, or no time was left
	OutcomeLeft      Outcome = "left"    // interrupted
)

// ObjectResult is the outcome of one object.
type ObjectResult struct {
	Manifest string     `json:"manifest,omitempty"`
	Ref      object.Ref `json:"ref"`
	// Op is the planned operation.
	Op      plan.Op `json:"op,omitempty"`
	Outcome Outcome `json:"outcome"`
	// Ready is set where readiness was seen, on the answer or by waiting.
	Ready bool `json:"ready,omitempty"`
	// Written is set where the cluster was changed, even if the object failed
	// afterwards.
	Written bool `json:"written,omitempty"`
	// Unready is set where nothing was left to write and the object then failed to become
	// ready.
	Unready bool `json:"unready,omitempty"`
	// Reason explains every outcome but a plain success.
	Reason  string   `json:"reason,omitempty"`
	Details []string `json:"details,omitempty"`
	Notes   []string `json:"notes,omitempty"`
	// Elapsed is the time from the first attempt to the outcome.
	Elapsed time.Duration `json:"elapsed,omitempty"`
	// Err is the error behind Reason, for errors.As; may be nil.
	Err error `json:"-"`
}

// Verdict sums a run up; it decides the exit code.
type Verdict string

// Verdicts, the gravest first.
const (
	VerdictInterrupted Verdict = "interrupted"
	VerdictFailed      Verdict = "failed"
	VerdictRefused     Verdict = "refused"
	VerdictDone        Verdict = "done"
)

// Counts sums up outcomes.
type Counts struct {
	Created   int `json:"created"`
	Updated   int `json:"updated"` // adopted ones too
	Replaced  int `json:"replaced"`
	Deleted   int `json:"deleted"`
	Unchanged int `json:"unchanged"`
	Kept      int `json:"kept"`
	Failed    int `json:"failed"`
	Refused   int `json:"refused"`
	Skipped   int `json:"skipped"`
	Left      int `json:"left"`
}

// Result is what a run came to.
type Result struct {
	// Objects stand in the order of the plan.
	Objects []ObjectResult `json:"objects"`
	Counts  Counts         `json:"counts"`
	Verdict Verdict        `json:"verdict"`
	// Gates are those that failed.
	Gates []GateError `json:"-"`
	// Interrupted tells that the context ended the run; Left names what it did
	// not get to.
	Interrupted bool         `json:"interrupted,omitempty"`
	Left        []object.Ref `json:"left,omitempty"`
	// Unsaved are the manifests whose record could not be written at the end. It
	// still announces what the run wrote.
	Unsaved []string `json:"unsaved,omitempty"`
	// TimedOut tells that Policy.Timeout ended the run.
	TimedOut bool `json:"timedOut,omitempty"`
	// Warnings are what was told as Warning events, in order.
	Warnings []string      `json:"warnings,omitempty"`
	Elapsed  time.Duration `json:"elapsed"`
}

// tally fills Counts, Left and Verdict from the objects.
func (r *Result) tally() {
	for _, o := range r.Objects {
		r.Counts.add(o)
		if o.Outcome == OutcomeLeft {
			r.Left = append(r.Left, o.Ref)
		}
	}
	switch {
	case r.Interrupted:
		r.Verdict = VerdictInterrupted
	case r.Counts.Failed > 0 || len(r.Gates) > 0 || r.TimedOut:
		r.Verdict = VerdictFailed
	case r.Counts.Refused > 0 || r.Counts.Skipped > 0:
		r.Verdict = VerdictRefused
	default:
		r.Verdict = VerdictDone
	}
}

func (c *Counts) add(o ObjectResult) {
	switch o.Outcome {
	case OutcomeApplied:
		c.addApplied(o.Op)
	case OutcomeDeleted:
		c.Deleted++
	case OutcomeUnchanged:
		c.Unchanged++
	case OutcomeKept:
		c.Kept++
	case OutcomeFailed:
		c.Failed++
	case OutcomeRefused:
		c.Refused++
	case OutcomeSkipped:
		c.Skipped++
	case OutcomeLeft:
		c.Left++
	}
}

func (c *Counts) addApplied(op plan.Op) {
	switch op {
	case plan.OpCreate:
		c.Created++
	case plan.OpReplace:
		c.Replaced++
	default:
		c.Updated++
	}
}
