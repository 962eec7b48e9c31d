package controller

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
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
	if err := r.client.Status().Patch(ctx, app, client.MergeFrom(base)); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("write the status of Application %s/%s: %w", app.Namespace, app.Name, err)
	}
	if before := base.Status.Summary; before == nil || before.State != verdict.Summary.State {
		r.log.Info("the application has another state", "application", api.InstanceName(app.Namespace, app.Name),
			"state", verdict.Summary.State, "message", verdict.Summary.Message)
	}
	return nil
}

// describe puts what was committed, and the progress of the apply, into a status.
// Without news, after a restart, what stands there stays.
func describe(app *api.Application, known status.Internal) error {
	if known.Tracking != nil {
		app.Status.Tracking = known.Tracking.DeepCopy()
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
