package controller

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/status"
)

// tell writes how an Application is, if that is news.
func (r *applications) tell(ctx context.Context, app *api.Application) error {
	known, _ := r.store.Get(api.InstanceName(app.Namespace, app.Name))
	base := app.DeepCopy()
	if err := describe(app, known); err != nil {
		return fmt.Errorf("status of Application %s/%s: %w", app.Namespace, app.Name, err)
	}
	told := status.Told{
		Conditions: app.Status.Conditions, WantedVersion: app.Spec.PackageVersion, Deleting: !app.DeletionTimestamp.IsZero(),
		Generation: app.Generation, Now: r.clock.Now(),
	}
	if app.Status.CurrentVersion != nil {
		told.CurrentVersion = app.Status.CurrentVersion.Version
	}
	verdict := status.Judge(known, told)
	app.Status.Conditions, app.Status.Summary = verdict.Conditions, &verdict.Summary
	if verdict.Phase == status.PhaseSuspended {
		app.Status.URLs = nil // nothing answers there
	}
	if equality.Semantic.DeepEqual(base.Status, app.Status) {
		return nil
	}
	if err := r.write(ctx, app, base); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("write the status of Application %s/%s: %w", app.Namespace, app.Name, err)
	}
	if before := base.Status.Summary; before == nil || before.State != verdict.Summary.State {
		r.log.Info("the application has another state", "application", api.InstanceName(app.Namespace, app.Name),
			"state", verdict.Summary.State, "message", verdict.Summary.Message)
	}
	return nil
}

// write writes a status. Of one that is too large for the server, that is written which
// people need most; the log says what is missing.
func (r *applications) write(ctx context.Context, app, base *api.Application) error {
	whole := app.DeepCopy()
	err := r.client.Status().Patch(ctx, app, client.MergeFrom(base))
	if !isTooLarge(err) {
		return err
	}
	r.log.Error("the status is too large for the server: tracking and lastAppliedConfiguration are not told",
		"application", api.InstanceName(app.Namespace, app.Name), "error", err.Error())
	whole.Status.Tracking, whole.Status.LastAppliedConfiguration = nil, base.Status.LastAppliedConfiguration
	whole.DeepCopyInto(app)
	return r.client.Status().Patch(ctx, app, client.MergeFrom(base))
}

// isTooLarge tells that the server doesn't store an object of this size: itself, or its
// database.
func isTooLarge(err error) bool {
	return apierrors.IsRequestEntityTooLargeError(err) || err != nil && strings.Contains(err.Error(), "request is too large")
}

// describe puts what was committed, and the progress of the apply, into a status.
// Without news, after a restart, what stands there stays.
func describe(app *api.Application, known status.Internal) error {
	if known.Tracking != nil {
		app.Status.Tracking = shortened(*known.Tracking)
		normalize(app.Status.Tracking)
	}
	a := known.Applied
	if a == nil {
		return nil
	}
	current := &api.CurrentVersion{Version: a.Version}
	if a.Version == app.Spec.PackageVersion {
		current.Channel = app.Spec.ReleaseChannel
	} else if app.Status.CurrentVersion != nil && app.Status.CurrentVersion.Version == a.Version {
		current.Channel = app.Status.CurrentVersion.Channel
	}
	app.Status.CurrentVersion = current
	app.Status.URLs = slices.Clone(a.URLs)
	settings := a.Settings
	if settings == nil {
		settings = map[string]any{}
	}
	if told := app.Status.LastAppliedConfiguration; told != nil {
		if before, err := object.DecodeJSON(told.Raw); err == nil && object.Equal(before, settings) {
			return nil // in whatever order the server writes it
		}
	}
	data, err := object.EncodeJSON(settings)
	if err != nil {
		return fmt.Errorf("effective settings: %w", err)
	}
	app.Status.LastAppliedConfiguration = &runtime.RawExtension{Raw: bytes.TrimSpace(data)}
	return nil
}

// mostOperations is how many operations a status tells of. The counts are always those of
// all.
const mostOperations = 500

// shortened is a copy of a report. Of a long one those operations are told that aren't
// completed, and then of the others as many as there is room for, all in their order.
func shortened(t api.Tracking) *api.Tracking {
	all := t.Report.Operations
	if len(all) <= mostOperations {
		return t.DeepCopy()
	}
	room := mostOperations
	kept := make([]bool, len(all))
	for _, completed := range []bool{false, true} {
		for i := range all {
			if room > 0 && (all[i].Status == api.OperationCompleted) == completed {
				kept[i] = true
				room--
			}
		}
	}
	t.Report.Operations = nil
	for i := range all {
		if kept[i] {
			t.Report.Operations = append(t.Report.Operations, all[i])
		}
	}
	return t.DeepCopy()
}

// normalize makes lists of lists that are not there: who reads them need not care.
func normalize(t *api.Tracking) {
	if t.Report.Operations == nil {
		t.Report.Operations = []api.Operation{}
	}
	for i := range t.Report.Operations {
		if t.Report.Operations[i].DependsOn == nil {
			t.Report.Operations[i].DependsOn = []string{}
		}
	}
}
