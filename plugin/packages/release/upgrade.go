package release

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"helm.sh/helm/v4/pkg/release/common"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/drift"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/nelm"
)

// concludeTimeout bounds what is written after the context has ended.
const concludeTimeout = 30 * time.Second

// Upgrade brings an application to what it renders to, if that is due (see Decide), and
// waits until its objects are ready. Whatever the error, the Outcome says what is true
// now. An error is about the record, about objects (the text names them), a
// *TimeoutError, or the cause with which ctx was ended.
func (s *Service) Upgrade(ctx context.Context, r Request) (Outcome, error) {
	if err := r.check(); err != nil {
		return Outcome{}, err
	}
	u := &upgrade{Service: s, Request: r, id: identity{r.Namespace, r.Instance, r.Name()}, deadline: s.clock().Now().Add(s.limit())}
	err := u.run(ctx)
	if last := latest(u.history); last != nil {
		u.outcome.Revision, u.outcome.Deployed = last.Number, last.Deployed()
	}
	if err != nil {
		var timeout *TimeoutError
		if errors.As(err, &timeout) {
			return u.outcome, err // it names the release
		}
		return u.outcome, fmt.Errorf("install release '%s': %w", u.id.name, withCause(ctx, err))
	}
	return u.outcome, nil
}

// withCause puts the reason for the end of a context into the place of the bare fact
// that it has ended.
func withCause(ctx context.Context, err error) error {
	cause := context.Cause(ctx)
	if cause == nil || errors.Is(err, cause) && !errors.Is(cause, ctx.Err()) {
		return err
	}
	if errors.Is(err, ctx.Err()) {
		return cause
	}
	return err
}

// upgrade is one Upgrade on its way.
type upgrade struct {
	*Service
	Request
	id       identity
	deadline time.Time
	checksum string
	history  []*Revision
	arranged arranged
	outcome  Outcome
}

func (u *upgrade) run(ctx context.Context) error {
	var err error
	if u.checksum, err = u.Checksum(); err != nil {
		return err
	}
	last, err := u.store().outline(ctx, u.Namespace, u.id.name)
	if err != nil {
		return err
	}
	if last != nil && last.Status != common.StatusUninstalling {
		if due, err := u.decide(ctx, last); err != nil || !due {
			u.history = []*Revision{last}
			return err
		}
	}
	if u.history, err = u.store().history(ctx, u.Namespace, u.id.name); err != nil {
		return err
	}
	if last := latest(u.history); last != nil && last.Status == common.StatusUninstalling {
		if err := u.finishUninstall(ctx); err != nil {
			return err
		}
		u.history = nil
	}
	// Once more by the history itself, which may have moved on.
	if due, err := u.decide(ctx, latest(u.history)); err != nil || !due {
		return err
	}
	stages, err := u.plan(ctx)
	if err != nil {
		return err
	}
	return u.perform(ctx, stages)
}

// finishUninstall ends an uninstallation that was begun: what is left of the release is
// nothing to build on.
func (u *upgrade) finishUninstall(ctx context.Context) error {
	if err := u.Uninstall(ctx, u.Namespace, u.Instance, nil); err != nil {
		return fmt.Errorf("end the uninstallation that was begun before: %w", err)
	}
	return nil
}

// decide finds out whether anything is to be done. What is rendered is only looked at
// as far as that needs.
func (u *upgrade) decide(ctx context.Context, last *Revision) (bool, error) {
	decision := Decide(last, u.checksum, u.Maintenance)
	defer func() { u.outcome.Why = decision.Why }()
	if !decision.Upgrade && !decision.Look {
		return false, nil // in maintenance nothing is expected either
	}
	var err error
	if u.arranged, err = u.arrange(ctx, u.id, u.Objects, u.Hooks); err != nil {
		return false, err
	}
	u.outcome.Warnings = slices.Clone(u.arranged.warnings)
	u.outcome.Expected = u.arranged.expected()
	if decision.Look {
		missing, err := drift.Absent(ctx, u.Cluster, u.outcome.Expected)
		if err != nil {
			return false, fmt.Errorf("look for missing objects: %w", err)
		}
		decision = decision.Looked(missing)
	}
	return decision.Upgrade, nil
}

// action is installation until a revision has been deployed for the first time.
func (u *upgrade) action() nelm.Action {
	if slices.ContainsFunc(u.history, func(r *Revision) bool {
		return r.Status == common.StatusDeployed || r.Status == common.StatusSuperseded
	}) {
		return nelm.Upgrade
	}
	return nelm.Install
}

// plan plans all stages. What can't be done is found here, before anything is written.
func (u *upgrade) plan(ctx context.Context) ([]*stage, error) {
	stages, err := u.eachStage(ctx, (*stage).conclude)
	if err != nil {
		return nil, err
	}
	return stages, unmet(stages)
}

// eachStage compares the objects of each stage with the cluster and has conclude finish
// it, which gets what is wrong with its objects.
func (u *upgrade) eachStage(ctx context.Context, conclude func(st *stage, faults error) error) ([]*stage, error) {
	revisions := since(u.history)
	all, warnings, err := u.entries(ctx, u.id, revisions)
	if err != nil {
		return nil, err
	}
	u.outcome.Warnings = append(u.outcome.Warnings, warnings...)
	last := latest(u.history)
	answerable := last != nil && !last.Deployed()
	var stages []*stage
	for _, name := range nelm.Stages() {
		parts := u.arranged.at(u.action(), name)
		wanted, elsewhere := map[object.Ref]bool{}, map[object.Ref]bool{}
		for _, other := range nelm.Stages() {
			for _, p := range u.arranged.at(u.action(), other) {
				if other == name {
					wanted[p.object.Ref()] = true
				} else {
					elsewhere[p.object.Ref()] = true
				}
			}
		}
		entries := entriesFor(all, wanted, elsewhere)
		if name != nelm.Main { // what leaves the release goes in the main stage
			entries = slices.DeleteFunc(entries, func(e entry) bool { return !wanted[e.Key.Ref()] })
		}
		if len(parts) == 0 && len(entries) == 0 {
			continue
		}
		st, faults, err := u.compareStage(ctx, u.id, name, parts, entries, answerable)
		if err == nil {
			err = conclude(st, faults)
		}
		if err != nil {
			return nil, err
		}
		stages = append(stages, st)
	}
	return stages, nil
}

// perform writes the pending revision, runs the stages and concludes the revision.
func (u *upgrade) perform(ctx context.Context, stages []*stage) error {
	revision, err := u.begin(ctx)
	if err != nil {
		return err
	}
	u.outcome.Upgraded = true
	run := &runner{
		Service: u.Service, id: u.id, deadline: u.deadline, warnings: u.outcome.Warnings,
		tracking: newTracking(u.Service, u.id, revision.Number, stages, u.Progress),
	}
	run.tracking.begin()
	failed := run.stages(ctx, stages)
	u.outcome.Warnings = run.warnings
	after, cancel := context.WithTimeout(context.WithoutCancel(ctx), concludeTimeout)
	defer cancel()
	err = errors.Join(failed, u.conclude(after, revision, failed))
	u.outcome.Tracking = run.tracking.end(err == nil)
	if run.tracking.panicked != nil {
		u.outcome.Warnings = append(u.outcome.Warnings, fmt.Sprintf("the listener to the progress panicked and heard no more: %s", object.PanicText(run.tracking.panicked)))
	}
	return err
}

// begin writes the pending revision. What an earlier run left pending is failed by then.
func (u *upgrade) begin(ctx context.Context) (*Revision, error) {
	now := u.clock().Now()
	revision := &Revision{
		Namespace: u.Namespace, Name: u.id.name, Number: 1, Status: common.StatusPendingInstall, Description: "Initial install underway",
		Package: u.Package, Version: u.Version, Checksum: u.checksum, Maintenance: u.Maintenance, First: now, Last: now,
		Objects: u.recorded(u.arranged, u.action()), Hooks: u.Hooks,
	}
	if last := latest(u.history); last != nil {
		revision.Number, revision.First = last.Number+1, last.First
		revision.Status, revision.Description = common.StatusPendingUpgrade, "Preparing upgrade"
	}
	for _, old := range u.history {
		if old.Status.IsPending() {
			if err := u.store().mark(ctx, old, common.StatusFailed, "interrupted: a later revision was begun"); err != nil {
				return nil, err
			}
		}
	}
	if err := u.store().create(ctx, revision); err != nil {
		return nil, err
	}
	u.history = append(u.history, revision)
	return revision, nil
}

// conclude brings the revision to its end and tidies up behind it.
func (u *upgrade) conclude(ctx context.Context, revision *Revision, failed error) error {
	if failed != nil {
		first, _, _ := strings.Cut(failed.Error(), "\n")
		return errors.Join(
			u.store().mark(ctx, revision, common.StatusFailed, fmt.Sprintf("Release %q failed: %s", u.id.name, first)),
			u.forget(ctx),
		)
	}
	word := "Install"
	if revision.Number > 1 {
		word = "Upgrade"
	}
	if err := u.store().mark(ctx, revision, common.StatusDeployed, word+" complete"); err != nil {
		return err
	}
	for _, old := range u.history {
		if old != revision && old.Deployed() {
			if err := u.store().mark(ctx, old, common.StatusSuperseded, old.Description); err != nil {
				return err
			}
		}
	}
	return u.forget(ctx)
}

// forget deletes the oldest revisions beyond the number that is kept, failed ones as
// well; the deployed one stays whatever its age.
func (u *upgrade) forget(ctx context.Context) error {
	most := u.History
	if most <= 0 {
		most = DefaultHistory
	}
	for i := 0; len(u.history) > most && i < len(u.history)-1; {
		if u.history[i].Deployed() {
			i++
			continue
		}
		if err := u.store().remove(ctx, u.history[i]); err != nil {
			return err
		}
		u.history = slices.Delete(u.history, i, i+1)
	}
	return nil
}
