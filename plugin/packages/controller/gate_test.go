package controller

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle/repository"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/catalog"
)

func requestFor(name string) reconcile.Request {
	return reconcile.Request{NamespacedName: types.NamespacedName{Name: name}}
}

func TestGate(t *testing.T) {
	g := newGate(2)
	queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
	defer queue.ShutDown()
	require.NoError(t, g.Start(t.Context(), queue))
	var leave []func()
	for i := range 5 {
		l, ok := g.enter("slow", requestFor(fmt.Sprint(i)))
		require.Equal(t, i < 2, ok)
		leave = append(leave, l)
	}
	other, ok := g.enter("other", requestFor("x"))
	require.True(t, ok)
	other()
	assert.Zero(t, queue.Len())
	leave[0]()
	next, _ := queue.Get()
	assert.Equal(t, requestFor("2"), next, "in the order in which they came")
	l, ok := g.enter("slow", next)
	require.True(t, ok)
	l()
	leave[1]()
	assert.Equal(t, 2, queue.Len())
	assert.Empty(t, g.inside)
	assert.Empty(t, g.waiting)
}

// hungVersions is more than what one repository may take of the workers.
const hungVersions = 2 * workersOfOne

// hung is a repository that offers many versions, and then never answers again. It counts
// who waits for it.
type hung struct {
	catalog.Catalog
	waiting *atomic.Int32
}

func (hung) Versions(context.Context, string) (repository.Offer, error) {
	var o repository.Offer
	for i := range hungVersions {
		o.Names = append(o.Names, fmt.Sprintf("v1.%d.0", i))
	}
	return o, nil
}

func (hung) Channels(context.Context, string) (map[string]string, error) { return nil, nil }

func (h hung) Metadata(ctx context.Context, _, _ string) (*bundle.Metadata, error) {
	h.waiting.Add(1)
	<-ctx.Done()
	return nil, context.Cause(ctx)
}

// hungScan is one that doesn't even say what it has.
type hungScan struct{ hung }

func (h hungScan) Packages(ctx context.Context) (repository.Offer, error) {
	h.waiting.Add(1)
	<-ctx.Done()
	return repository.Offer{}, context.Cause(ctx)
}

type hungPackages struct {
	hung
	name string
}

func (h hungPackages) Packages(context.Context) (repository.Offer, error) {
	return repository.Offer{Names: []string{h.name}}, nil
}

// TestComplaint14HungRepositoriesHoldUpNoOther, neither with metadata nor with scans.
func TestComplaint14HungRepositoriesHoldUpNoOther(t *testing.T) {
	var w *world
	var metadata, scans atomic.Int32
	w = newWorld(t, func(o *Options) {
		open := o.Open
		o.Open = func(spec api.RegistrySpec) (catalog.Catalog, error) {
			switch spec.Repo {
			case "hung.example.com/metadata":
				return hungPackages{hung: hung{waiting: &metadata}, name: w.id + "-hung"}, nil
			case "hung.example.com/scan":
				return hungScan{hung{waiting: &scans}}, nil
			}
			return open(spec)
		}
	})
	for _, of := range []string{"metadata", "scan"} {
		p := &api.PackageRepository{
			ObjectMeta: metav1.ObjectMeta{Name: w.id + "-" + of},
			Spec:       api.PackageRepositorySpec{Registry: api.RegistrySpec{Repo: "hung.example.com/" + of}},
		}
		w.create(p)
		t.Cleanup(func() { w.forget(p) })
	}
	w.waitFor("all versions are drafts", func() bool {
		list := &api.ApplicationPackageVersionList{}
		require.NoError(t, w.client.List(t.Context(), list, labelled(w.id+"-metadata")))
		return len(list.Items) == hungVersions
	})
	for i := range hungVersions {
		o := manual(w, fmt.Sprintf("hung-%d", i), true)
		o.Spec.PackageRepositoryName = w.id + "-scan"
		w.create(o)
		t.Cleanup(func() { _ = w.client.Delete(context.WithoutCancel(t.Context()), o) })
	}
	w.waitFor("workers wait", func() bool { return metadata.Load() == workersOfOne && scans.Load() == 1 })
	web := w.id + "-web"
	w.push(web, "v1.0.0", "")
	w.repository()
	eventually(w, version(w, web, "v1.0.0"), isLoaded)
}
