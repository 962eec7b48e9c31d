package controller

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/status"
)

// behind is a client whose cache has an Application as it was, so that patches of it
// fail with fault.
type behind struct {
	client.Client
	app   api.Application
	fault error
}

func (b *behind) Get(_ context.Context, key client.ObjectKey, o client.Object, _ ...client.GetOption) error {
	app, ok := o.(*api.Application)
	if !ok {
		return apierrors.NewNotFound(schema.GroupResource{}, key.Name)
	}
	b.app.DeepCopyInto(app)
	return nil
}

func (b *behind) Patch(context.Context, client.Object, client.Patch, ...client.PatchOption) error {
	return b.fault
}

// small is a server that stores no status with more than so many bytes.
type small struct {
	behind
	most  int
	wrote []api.ApplicationStatus
}

func (s *small) Status() client.SubResourceWriter { return smallStatus{s: s} }

type smallStatus struct {
	client.SubResourceWriter
	s *small
}

func (w smallStatus) Patch(_ context.Context, o client.Object, _ client.Patch, _ ...client.SubResourcePatchOption) error {
	app, ok := o.(*api.Application)
	if !ok {
		return errors.New("no Application")
	}
	data, err := json.Marshal(app.Status)
	if err != nil || len(data) > w.s.most {
		return errors.Join(err, errors.New("etcdserver: request is too large"))
	}
	w.s.wrote = append(w.s.wrote, app.Status)
	return nil
}

// TestStatusThatIsTooLarge: the state is told all the same, and what is missing is in the
// log.
func TestStatusThatIsTooLarge(t *testing.T) {
	store := status.NewStore(clock.RealClock{}, nil)
	store.SetVersion("demo.shop", "v1.0.0")
	store.Set("demo.shop", status.True(status.RequirementsMet), status.True(status.ReadyOnFilesystem), status.True(status.Loaded),
		status.True(status.Configured), status.True(status.HooksProcessed), status.True(status.Scaled))
	store.Commit("demo.shop", status.Applied{Version: "v1.0.0", Settings: map[string]any{"text": strings.Repeat("x", 100<<10)}})
	var log strings.Builder
	s := &small{most: 50 << 10}
	r := &applications{client: s, store: store, clock: clock.RealClock{}, log: slog.New(slog.NewTextHandler(&log, nil))}
	app := &api.Application{ObjectMeta: metav1.ObjectMeta{Namespace: "demo", Name: "shop"}, Spec: api.ApplicationSpec{PackageVersion: "v1.0.0"}}
	require.NoError(t, r.tell(t.Context(), app))
	require.Len(t, s.wrote, 1)
	assert.Equal(t, api.StateReady, s.wrote[0].Summary.State)
	assert.Nil(t, s.wrote[0].LastAppliedConfiguration)
	assert.Contains(t, log.String(), "application=demo.shop")
}

// TestLongTracking: of very many operations those are told that aren't completed, and the
// counts are of all.
func TestLongTracking(t *testing.T) {
	all := api.Tracking{Completed: 1990, Remaining: 10}
	for i := range 2000 {
		op := api.Operation{ID: fmt.Sprint(i), Status: api.OperationCompleted}
		if i%200 == 199 {
			op.Status = api.OperationFailed
		}
		all.Report.Operations = append(all.Report.Operations, op)
	}
	short := shortened(all)
	assert.Len(t, short.Report.Operations, mostOperations)
	failed := 0
	for _, op := range short.Report.Operations {
		if op.Status == api.OperationFailed {
			failed++
		}
	}
	assert.Equal(t, 10, failed)
	assert.Equal(t, "1999", short.Report.Operations[mostOperations-1].ID, "in their order")
	assert.Equal(t, 1990, short.Completed)
	assert.Len(t, all.Report.Operations, 2000)
	few := api.Tracking{Report: api.TrackingReport{Operations: all.Report.Operations[:3]}}
	assert.Equal(t, &few, shortened(few))
}

// A cache that is behind is no fault, and nothing is done by what it says; other faults
// are told.
func TestFinalizersAndACacheThatIsBehind(t *testing.T) {
	resource := schema.GroupResource{Group: "deckhouse.io", Resource: "applications"}
	for name, c := range map[string]struct {
		fault error
		want  string
	}{
		"changed":   {fault: apierrors.NewConflict(resource, "shop", nil)},
		"gone":      {fault: apierrors.NewNotFound(resource, "shop")},
		"forbidden": {fault: apierrors.NewForbidden(resource, "shop", nil), want: "finalizer"},
	} {
		for _, deleted := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				app := api.Application{ObjectMeta: metav1.ObjectMeta{Namespace: "demo", Name: "shop"}}
				if now := metav1.Now(); deleted {
					app.DeletionTimestamp, app.Finalizers = &now, []string{api.FinalizerApplication}
				}
				gauge, err := newMaintenanceGauge(prometheus.NewRegistry())
				require.NoError(t, err)
				runtime, store := newStub(), status.NewStore(clock.RealClock{}, func(string) {})
				runtime.gone["demo.shop"] = true
				store.Set("demo.shop", status.True(status.Loaded))
				r := &applications{
					client: &behind{app: app, fault: c.fault}, runtime: runtime, store: store,
					gauge: gauge, clock: clock.RealClock{}, log: slog.New(slog.DiscardHandler),
				}
				_, err = r.Reconcile(t.Context(), reconcile.Request{NamespacedName: types.NamespacedName{Namespace: "demo", Name: "shop"}})
				if c.want == "" {
					require.NoError(t, err)
				} else {
					require.ErrorContains(t, err, c.want)
				}
				assert.Empty(t, runtime.updates, "without its finalizer nothing is installed")
				_, known := store.Get("demo.shop")
				assert.Equal(t, !deleted || name != "gone", known, "it is forgotten when its finalizer is off")
			})
		}
	}
}

// behindOnVersions is a client whose cache has a version that is used no more, and that
// has changed since.
type behindOnVersions struct{ client.Client }

func (behindOnVersions) Get(_ context.Context, _ client.ObjectKey, o client.Object, _ ...client.GetOption) error {
	o.SetName("main-web-v1.0.0")
	o.SetFinalizers([]string{api.FinalizerVersionUsed})
	return nil
}

func (behindOnVersions) List(context.Context, client.ObjectList, ...client.ListOption) error {
	return nil
}

func (behindOnVersions) Patch(context.Context, client.Object, client.Patch, ...client.PatchOption) error {
	return apierrors.NewConflict(schema.GroupResource{Resource: "applicationpackageversions"}, "main-web-v1.0.0", nil)
}

func TestVersionsAndACacheThatIsBehind(t *testing.T) {
	r := &versions{client: behindOnVersions{}, log: slog.New(slog.DiscardHandler)}
	_, err := r.Reconcile(t.Context(), reconcile.Request{NamespacedName: types.NamespacedName{Name: "main-web-v1.0.0"}})
	require.NoError(t, err, "and nothing is done by what it says: there is no registry here")
}
