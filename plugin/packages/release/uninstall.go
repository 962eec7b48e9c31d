package release

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"helm.sh/helm/v4/pkg/release/common"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/apply"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/chart"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/nelm"
)

// Uninstall deletes the objects of an application's release, waits until they are gone,
// and then deletes its record. What was not installed is uninstalled already. After an
// error the record is still there and says "uninstalling": the next call goes on. The
// error names each object that is not gone, and what holds it. waits, if it isn't nil, is
// told of these every few seconds while nothing else goes on.
func (s *Service) Uninstall(ctx context.Context, namespace, instance string, waits func([]Waiting)) error {
	id := identity{namespace, instance, api.InstanceName(namespace, instance)}
	history, err := s.store().history(ctx, namespace, id.name)
	if err == nil && len(history) > 0 {
		err = s.uninstall(ctx, id, history, waits)
	}
	if err != nil {
		return fmt.Errorf("uninstall release '%s': %w", id.name, withCause(ctx, err))
	}
	return nil
}

func (s *Service) uninstall(ctx context.Context, id identity, history []*Revision, waits func([]Waiting)) error {
	last := latest(history)
	revisions := since(history) // before the mark is set: which one was deployed
	if err := s.store().mark(ctx, last, common.StatusUninstalling, "Deletion in progress (or silently failed)"); err != nil {
		return err
	}
	hooks, err := s.arrange(ctx, id, readable(last.Objects), readableHooks(last.Hooks))
	if err != nil {
		return err
	}
	run := &runner{Service: s, id: id, deadline: s.clock().Now().Add(s.limit()), waits: waits}
	for _, name := range nelm.Stages() {
		if err := s.uninstallStage(ctx, run, name, hooks.at(nelm.Uninstall, name), revisions); err != nil {
			return asUninstall(err)
		}
	}
	if err := run.sweep(ctx); err != nil {
		return err
	}
	for _, r := range history { // the newest last: it says that there is something to be ended
		if err := s.store().remove(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

// readable leaves out objects whose annotations can't be understood. No upgrade of ours
// lets them in, and an uninstallation must not be held up by those of others.
func readable(objects []object.Object) []object.Object {
	return slices.DeleteFunc(slices.Clone(objects), func(o object.Object) bool {
		_, err := nelm.Read(o)
		return err != nil
	})
}

func readableHooks(hooks []chart.Hook) []chart.Hook {
	return slices.DeleteFunc(slices.Clone(hooks), func(h chart.Hook) bool {
		_, err := nelm.ReadHook(h)
		return err != nil
	})
}

// uninstallStage runs the hooks of a stage; in the main one the objects go.
func (s *Service) uninstallStage(ctx context.Context, run *runner, name nelm.Stage, parts []part, revisions []*Revision) error {
	wanted := map[object.Ref]bool{}
	for _, p := range parts {
		wanted[p.object.Ref()] = true
	}
	var entries []entry
	if name == nelm.Main {
		all, _, err := s.entries(ctx, run.id, revisions)
		if err != nil {
			return err
		}
		entries = entriesFor(all, wanted, nil)
	}
	if len(parts) == 0 && len(entries) == 0 {
		return nil
	}
	st, err := s.planStage(ctx, run.id, name, parts, entries, false)
	if err != nil {
		return err
	}
	return run.stage(ctx, 0, st)
}

// asUninstall words the end of the time for what was being done.
func asUninstall(err error) error {
	var timeout *TimeoutError
	if !errors.As(err, &timeout) {
		return err
	}
	return fmt.Errorf("not done after %s, waiting for %s", timeout.Limit, Names(timeout.Waiting))
}

// Names lists what is waited for, each with the reason, for a text.
func Names(waiting []Waiting) string {
	var names []string
	for i, w := range waiting {
		if i == mostNamed {
			names = append(names, fmt.Sprintf("and %d more", len(waiting)-mostNamed))
			break
		}
		name := w.Name
		if w.Reason != "" {
			name += " (" + w.Reason + ")"
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

// pending are the objects that a run still waits for.
func pending(objects []apply.PendingObject) []Waiting {
	var all []Waiting
	for _, o := range objects {
		all = append(all, Waiting{Ref: o.Ref, Name: o.Ref.Kind + "/" + o.Ref.Name, Reason: o.Reason})
	}
	return all
}
