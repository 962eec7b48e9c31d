package chaos

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

// stuckName is the application whose Job never completes.
const stuckName = "stuck"

// fleetVersions are those of the package of the others.
func fleetVersions() []string { return []string{"v1.0.0", "v1.1.0"} }

// fleet is a world with applications in it, which a controller looks after.
type fleet struct {
	*world
	// want has the version of each application; deleted ones are not in it.
	want       map[string]string
	controller *started
	// deletions is how many applications are or have to be gone.
	deletions int

	mu    sync.Mutex
	gone  int      // how many were seen to go
	early []string // objects that were left when their application went
}

// newFleet starts a controller, gives it a repository and the application that is
// stuck, and waits until the repository has been looked through.
func newFleet(t *testing.T, p plane) *fleet {
	t.Helper()
	f := &fleet{world: newWorld(t, p, "fleet"), want: map[string]string{}}
	f.start(t)
	t.Cleanup(func() { // the test failed: what did the controller say?
		if f.controller != nil {
			_ = f.controller.command.Process.Kill()
			_ = f.controller.command.Wait()
			t.Logf("the log of the last controller:\n%s", f.controller.out)
		}
	})
	f.eventually(t, "the definitions are there", func() string {
		_, err := f.list(t.Context(), deckhouse("applications"), "")
		return missing(err)
	})
	repository := f.repository(t)
	f.eventually(t, "the repository is there", func() string {
		u := parsed(t, fmt.Sprintf(`{"apiVersion":"deckhouse.io/v1alpha1","kind":"PackageRepository","metadata":{"name":"main"},"spec":{"registry":{"repo":%q}}}`, repository))
		_, err := f.client.Resource(deckhouse("packagerepositories")).Create(t.Context(), u, metav1.CreateOptions{})
		return missing(err)
	})
	f.eventually(t, "all versions are known", f.unknownVersions(t))
	f.watchDeletions(t)
	f.add(t, stuckName, stuckName, fleetVersions()[0])
	return f
}

// start starts the controller. None stands by: the Lease of a killed one would have
// to run out before the next could work.
func (f *fleet) start(t *testing.T) {
	t.Helper()
	f.controller = f.prepare(t, "packages", "controller", "--leader-elect=false",
		"--socket", filepath.Join(f.dir, "ctl", "s"), "--packages-dir", filepath.Join(f.home, "bundles"))
	require.NoError(t, f.controller.command.Start())
}

// kill ends the controller with SIGKILL. One that had ended by itself is a failure.
func (f *fleet) kill(t *testing.T) {
	t.Helper()
	c := f.controller
	f.controller = nil
	_ = c.command.Process.Kill() // whether it was still there is seen below
	o := c.end(t)
	require.True(t, o.killed, "the controller ended by itself with code %d:\n%s", o.code, o.text)
}

// stop ends it in an orderly way.
func (f *fleet) stop(t *testing.T) { t.Helper(); f.end(t, os.Interrupt) }

// end ends it with a signal that asks for it.
func (f *fleet) end(t *testing.T, with os.Signal) {
	t.Helper()
	c := f.controller
	f.controller = nil
	require.NoError(t, c.command.Process.Signal(with))
	o := c.end(t)
	require.Zero(t, o.code, o.text)
}

// add makes an application.
func (f *fleet) add(t *testing.T, name, packageName, version string) {
	t.Helper()
	f.create(t, deckhouse("applications"), fmt.Sprintf(`{"apiVersion":"deckhouse.io/v1alpha1","kind":"Application","metadata":{"name":%q,"namespace":%q},
		"spec":{"packageName":%q,"packageVersion":%q,"packageRepositoryName":"main"}}`, name, f.id, packageName, version))
	f.want[name] = version
}

// move asks for another version.
func (f *fleet) move(t *testing.T, name, version string) {
	t.Helper()
	_, err := f.client.Resource(deckhouse("applications")).Namespace(f.id).Patch(t.Context(), name, types.MergePatchType,
		fmt.Appendf(nil, `{"spec":{"packageVersion":%q}}`, version), metav1.PatchOptions{})
	require.NoError(t, err)
	f.want[name] = version
}

// remove deletes an application.
func (f *fleet) remove(t *testing.T, name string) {
	t.Helper()
	require.NoError(t, f.client.Resource(deckhouse("applications")).Namespace(f.id).Delete(t.Context(), name, metav1.DeleteOptions{}))
	delete(f.want, name)
	f.deletions++
}

// watchDeletions looks, whenever an application goes, for objects that it left.
func (f *fleet) watchDeletions(t *testing.T) {
	t.Helper()
	longest := int64((4 * time.Hour).Seconds())
	w, err := f.client.Resource(deckhouse("applications")).Namespace(f.id).Watch(t.Context(), metav1.ListOptions{TimeoutSeconds: &longest})
	require.NoError(t, err)
	t.Cleanup(w.Stop)
	ctx := t.Context()
	go func() {
		for event := range w.ResultChan() {
			u, ok := event.Object.(*unstructured.Unstructured)
			if event.Type != watch.Deleted || !ok {
				continue
			}
			left, err := f.objects(ctx, u.GetName(), rendered())
			if err != nil {
				left = []string{err.Error()}
			}
			f.mu.Lock()
			f.gone++
			f.early = append(f.early, left...)
			f.mu.Unlock()
		}
	}()
}

// departed is how many applications were seen to go, and what they left.
func (f *fleet) departed() (int, []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.gone, slices.Clone(f.early)
}

// rendered are the kinds of what a controller makes for an application.
func rendered() []schema.GroupVersionResource {
	return []schema.GroupVersionResource{
		{Version: "v1", Resource: "configmaps"},
		{Version: "v1", Resource: "services"},
		{Version: "v1", Resource: "secrets"},
		{Group: "apps", Version: "v1", Resource: "deployments"},
		{Group: "batch", Version: "v1", Resource: "jobs"},
	}
}

// all are those and what Kubernetes makes of them.
func all() []schema.GroupVersionResource {
	return append(rendered(), schema.GroupVersionResource{Version: "v1", Resource: "pods"},
		schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "replicasets"})
}

func deckhouse(resource string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "deckhouse.io", Version: "v1alpha1", Resource: resource}
}

// objects are those of an application, the revisions of its release among them.
func (f *fleet) objects(ctx context.Context, application string, kinds []schema.GroupVersionResource) ([]string, error) {
	var out []string
	for _, gvr := range kinds {
		items, err := f.list(ctx, gvr, f.id)
		if err != nil {
			return nil, err
		}
		for i := range items {
			if name := items[i].GetName(); ownerOf(f.id, name) == application {
				out = append(out, gvr.Resource+"/"+name)
			}
		}
	}
	return out, nil
}

// ownerOf is the application that an object's name speaks of; empty: none.
func ownerOf(namespace, name string) string {
	if rest, ok := strings.CutPrefix(name, "d8a-"); ok {
		owner, _, _ := strings.Cut(rest, "-")
		return owner
	}
	if rest, ok := strings.CutPrefix(name, "sh.helm.release.v1."+namespace+"."); ok {
		owner, _, _ := strings.Cut(rest, ".")
		return owner
	}
	return ""
}

// list reads objects, once more where the server is only too busy to answer.
func (f *fleet) list(ctx context.Context, gvr schema.GroupVersionResource, namespace string) ([]unstructured.Unstructured, error) {
	for try := 1; ; try++ {
		list, err := f.client.Resource(gvr).Namespace(namespace).List(ctx, metav1.ListOptions{})
		busy := apierrors.IsTimeout(err) || apierrors.IsServerTimeout(err) || apierrors.IsTooManyRequests(err) || apierrors.IsServiceUnavailable(err)
		switch {
		case err == nil:
			return list.Items, nil
		case !busy || try == 10:
			return nil, err
		}
		time.Sleep(time.Second)
	}
}

// longestWait is far beyond what anything takes, and below what an apply may take: a
// stuck application that held up others would not be over by then.
const longestWait = 4 * time.Minute

// eventually waits until what keeps it from being so is nothing.
func (f *fleet) eventually(t *testing.T, what string, problem func() string) {
	t.Helper()
	var last string
	for until := time.Now().Add(longestWait); ; time.Sleep(200 * time.Millisecond) {
		if last = problem(); last == "" {
			return
		}
		if time.Now().After(until) {
			break
		}
	}
	require.Fail(t, "waited in vain until "+what, last)
}

// missing tells of errors that end by themselves when definitions are served.
func missing(err error) string {
	if err == nil || apierrors.IsAlreadyExists(err) {
		return ""
	}
	return err.Error()
}

func parsed(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	u := &unstructured.Unstructured{}
	require.NoError(t, u.UnmarshalJSON([]byte(text)))
	return u
}
