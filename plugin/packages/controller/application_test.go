package controller

import (
	"context"
	"log/slog"
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
