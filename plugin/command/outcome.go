package command

import (
	"errors"
	"fmt"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/apply"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

// nothingToDo ends a run without writes. Refused objects still give exit code 3, and
// what has failed since it was applied is a failure, as when it was waited for.
func (o *applyOptions) nothingToDo(env *Env, p *plan.Plan) error {
	if err := refusals(p); err != nil {
		return fmt.Errorf("%w\nnothing was written", err)
	}
	var failed []error
	for _, u := range p.NotReady() {
		if u.Failed && o.wait {
			failed = append(failed, fmt.Errorf("not ready: %s", u))
			continue
		}
		env.warn("not ready: " + u.String())
	}
	if len(failed) > 0 {
		return errors.Join(append(failed, errors.New("everything is as wanted and was applied before, but has failed"))...)
	}
	env.note("Nothing to do: everything is as wanted.")
	return nil
}

// refusals is the error of a plan in which objects failed or are refused.
func refusals(p *plan.Plan) error {
	if failed := p.Failed(); len(failed) > 0 {
		return errors.Join(failed...)
	}
	var refused []string
	for _, o := range p.Objects {
		if o.Op == plan.OpRefuse || o.Op == plan.OpBlocked {
			refused = append(refused, fmt.Sprintf("%s: %s", o.Ref, apply.Refusal(o)))
		}
	}
	if len(refused) == 0 {
		return nil
	}
	text := fmt.Sprintf("refused: %d of %s", len(refused), counted(len(p.Objects), "object"))
	for i, line := range refused {
		if i == mostRefusals {
			text += fmt.Sprintf("\n  and %d more", len(refused)-i)
			break
		}
		text += "\n  " + line
	}
	return exit(ExitRefused, errors.New(text))
}

// mostRefusals bounds how many refusals the end of a run repeats.
const mostRefusals = 5

// unserved stops a run before its first write where a kind or version of the
// files doesn't exist in the cluster: such files were not meant for it.
func unserved(p *plan.Plan) error {
	var all []error
	for _, o := range p.Objects {
		if plan.Unserved(o.Err) {
			all = append(all, o.Err)
		}
	}
	if len(all) == 0 {
		return nil
	}
	return errors.Join(append(all, errors.New("nothing was written"))...)
}

// unrecorded words a run of which a record can't be written: at its end what became
// of the objects is told all the same, and how to go on.
func unrecorded(env *Env, r apply.Result, err error) error {
	if len(r.Unsaved) == 0 {
		return err
	}
	env.countOutcomes(r.Counts)
	if r.Interrupted {
		err = errors.Join(err, fmt.Errorf("interrupted: %s not started", counted(len(r.Left), "object")))
	}
	return errors.Join(err, fmt.Errorf("what this run did is not recorded yet for manifest %s. Nothing is lost, since the record announces it: "+
		"once the server answers, run the same command again; it goes on from there", strings.Join(r.Unsaved, ", ")))
}

func (e *Env) countOutcomes(c apply.Counts) {
	e.note("%d created, %d updated, %d replaced, %d deleted, %d unchanged, %d refused, %d failed, %d skipped, %d left",
		c.Created, c.Updated, c.Replaced, c.Deleted, c.Unchanged, c.Refused+c.Kept, c.Failed, c.Skipped, c.Left)
}

// conclude says how the run ended, and with which code.
func conclude(env *Env, r apply.Result) error {
	env.countOutcomes(r.Counts)
	c := r.Counts
	switch r.Verdict {
	case apply.VerdictDone:
		return nil
	case apply.VerdictRefused:
		return exit(ExitRefused, errors.New("some objects were refused"))
	case apply.VerdictInterrupted:
		if len(r.Left) == 0 {
			return exit(ExitInterrupted, errors.New("interrupted while waiting; run the same command again to go on"))
		}
		return exit(ExitInterrupted, fmt.Errorf("interrupted: %s not started; run the same command again to go on", counted(len(r.Left), "object")))
	case apply.VerdictFailed:
	}
	var all []error
	for _, g := range r.Gates {
		all = append(all, g)
	}
	if c.Failed > 0 || len(all) == 0 {
		all = append(all, errors.New("some objects failed"))
	}
	return errors.Join(all...)
}
