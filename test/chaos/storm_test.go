package chaos

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// storm is one kind of trouble that the server makes during a run.
type storm struct {
	// rules are matches with the actions to take on them.
	rules [][]string
	// complete: the run has to end well. Else it may end with an error that says
	// what happened.
	complete bool
	// clear is what an error has to say.
	clear string
}

// storms are those that rules on the run's own requests can make.
func storms() map[string]storm {
	return map[string]storm{
		"conflicts on the objects": {
			rules:    [][]string{{"writes=true,namespace=ID", "--status", "409", "--message", "Operation cannot be fulfilled: the object has been modified", "--times", "15"}},
			complete: true,
		},
		"conflicts on the record": {
			rules: [][]string{{"method=PUT,resource=configmaps,namespace=tazuna", "--status", "409", "--times", "2"}},
			clear: `record|locked`,
		},
		"too many requests": {
			rules:    [][]string{{"", "--status", "429", "--retry-after", "1", "--times", "8"}},
			complete: true,
		},
		"a change of the leader": {
			rules:    [][]string{{"writes=true,nth=4", "--status", "500", "--message", "etcdserver: leader changed", "--times", "15"}},
			complete: true,
		},
		"unavailable": {
			rules:    [][]string{{"nth=15", "--status", "503", "--times", "15"}},
			complete: true,
		},
		"bad gateway": {
			rules:    [][]string{{"nth=20", "--status", "502", "--times", "4"}},
			complete: true,
		},
		"cut before": {
			rules:    [][]string{{"writes=true,nth=3", "--cut", "--times", "6"}},
			complete: true,
		},
		"cut after": {
			rules:    [][]string{{"writes=true,nth=3", "--cut-after", "--times", "6"}},
			complete: true,
		},
		"cut watches": {
			rules:    [][]string{{"verb=watch", "--cut-in", "100ms", "--times", "20"}},
			complete: true,
		},
		// No server takes the configuration of such a webhook any more, old ones have some.
		"a webhook that takes no dry run": {
			rules:    [][]string{{"dry-run=true", "--status", "400", "--message", "admission webhook hook.chaos.example does not support dry run"}},
			complete: true,
		},
		"slow": {
			rules:    [][]string{{"", "--delay", "100ms"}},
			complete: true,
		},
		"an expired token": {
			rules: [][]string{{"nth=40", "--status", "401", "--times", "100000"}},
			clear: `(?i)unauthorized|provide credentials`,
		},
		"rights that are taken away": {
			rules: [][]string{{"writes=true,nth=10", "--status", "403", "--times", "100000"}},
			clear: `(?i)forbidden|lock`,
		},
	}
}

// TestStorms disturbs runs that create, update and prune. A run ends well or with an
// error that says why, and the next one, undisturbed, converges.
func TestStorms(t *testing.T) {
	p := startPlane(t)
	want := undisturbed(t, p)
	t.Run("rules", func(t *testing.T) {
		n := 0
		for name, s := range storms() {
			n++
			id := fmt.Sprintf("storm%d", n)
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, p, id)
				one, two := w.write(t, "one.yaml", before()), w.write(t, "two.yaml", after())
				w.must(t, w.apply(one)...)
				run := w.prepare(t, w.apply(two)...)
				for _, rule := range s.rules {
					p.fault(t, run.agent, strings.ReplaceAll(rule[0], "ID", id), rule[1:]...)
				}
				o := run.run(t)
				if s.complete {
					require.Zero(t, o.code, o.text)
				} else if o.code != 0 {
					assert.Regexp(t, s.clear, o.text)
				}
				w.recover(t, two)
				w.snapshot(t).hashless().requireEqual(t, want, "after the storm")
			})
		}
	})
	t.Run("a server that is started again", func(t *testing.T) { restarted(t, p, want) })
}

// undisturbed is what the second version leaves behind in a world of its own.
func undisturbed(t *testing.T, p plane) snapshot {
	t.Helper()
	w := newWorld(t, p, "calm")
	w.must(t, w.apply(w.write(t, "one.yaml", before()))...)
	w.must(t, w.apply(w.write(t, "two.yaml", after()))...)
	return w.snapshot(t).hashless()
}

// restarted kills the server in the middle of a run and starts it again. The run
// waits for it.
func restarted(t *testing.T, p plane, want snapshot) {
	w := newWorld(t, p, "restarted")
	one, two := w.write(t, "one.yaml", before()), w.write(t, "two.yaml", after())
	w.must(t, w.apply(one)...)
	run := w.prepare(t, w.apply(two, "--concurrency", "1")...)
	p.fault(t, run.agent, "writes=true", "--delay", "200ms")
	require.NoError(t, run.command.Start())
	w.waitFor(t, run, "c06 is written", func() bool { return w.valueOf(t, "c06") == "two" })
	p.control(t, "stop", "--kill")
	p.start(t)
	o := run.end(t)
	if o.code != 0 {
		assert.Regexp(t, `(?i)connection refused|connect|EOF|reset|unavailable|lock`, o.text)
	}
	t.Logf("exit code %d", o.code)
	w.recover(t, two)
	w.snapshot(t).hashless().requireEqual(t, want, "after the restart")
}

// valueOf is data.value of a ConfigMap.
func (w *world) valueOf(t *testing.T, name string) string {
	t.Helper()
	u, err := w.client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}).Namespace(w.id).Get(t.Context(), name, metav1.GetOptions{})
	require.NoError(t, err)
	data, _ := u.Object["data"].(map[string]any)
	text, _ := data["value"].(string)
	return text
}

// waitFor polls until something is so, or the run has ended without it.
func (w *world) waitFor(t *testing.T, run *started, what string, ok func() bool) {
	t.Helper()
	for range 600 {
		if ok() {
			return
		}
		if run.command.Process.Signal(syscall.Signal(0)) != nil {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	require.Fail(t, "it never came: "+what)
}

// TestObstacles are troubles that objects make: each run ends well, or with an
// error that says what stands in the way, and the next one converges once it is
// gone.
func TestObstacles(t *testing.T) {
	p := startPlane(t)
	t.Run("a quota", func(t *testing.T) { quota(t, newWorld(t, p, "quota")) })
	t.Run("a namespace on its way out", func(t *testing.T) { terminating(t, newWorld(t, p, "leaving")) })
	t.Run("a broken API", func(t *testing.T) { brokenAPI(t, newWorld(t, p, "broken")) })
	t.Run("webhooks", func(t *testing.T) { webhooks(t, newWorld(t, p, "hooked")) })
}

// many are n ConfigMaps.
func many(n int, value string) string {
	var b strings.Builder
	for i := range n {
		configMap(&b, i, value)
	}
	return b.String()
}

// A quota is counted by a controller that writes it while objects are created:
// conflicts are retried. What doesn't fit is an error, and fits later.
func quota(t *testing.T, w *world) {
	quotas := schema.GroupVersionResource{Version: "v1", Resource: "resourcequotas"}
	w.create(t, quotas, `{"apiVersion":"v1","kind":"ResourceQuota","metadata":{"name":"q","namespace":"quota"},"spec":{"hard":{"count/configmaps":"30"}}}`)
	require.Eventually(t, func() bool {
		u, err := w.client.Resource(quotas).Namespace(w.id).Get(t.Context(), "q", metav1.GetOptions{})
		require.NoError(t, err)
		return u.Object["status"] != nil
	}, time.Minute, 50*time.Millisecond, "the quota is counted")
	file := w.write(t, "few.yaml", many(20, "one"))
	w.must(t, w.apply(file, "--timeout", "1m")...)
	file = w.write(t, "many.yaml", many(40, "one"))
	o := w.prepare(t, w.apply(file, "--timeout", "3s")...).run(t)
	assert.Equal(t, 1, o.code, o.text)
	assert.Contains(t, o.text, "exceeded quota")
	_, err := w.client.Resource(quotas).Namespace(w.id).Patch(t.Context(), "q", types.MergePatchType,
		[]byte(`{"spec":{"hard":{"count/configmaps":"100"}}}`), metav1.PatchOptions{})
	require.NoError(t, err)
	w.must(t, w.apply(file, "--timeout", "1m")...)
	w.recover(t, file)
	assert.Len(t, w.snapshot(t).Entries, 40)
}

// Nothing can be made in a namespace that is being deleted.
func terminating(t *testing.T, w *world) {
	maps := schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	w.create(t, maps, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"held","namespace":"leaving","finalizers":["chaos.example/held"]}}`)
	namespaces := schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
	require.NoError(t, w.client.Resource(namespaces).Delete(t.Context(), w.id, metav1.DeleteOptions{}))
	file := w.write(t, "two.yaml", many(5, "one"))
	o := w.prepare(t, w.apply(file, "--timeout", "2s")...).run(t)
	assert.Equal(t, 1, o.code, o.text)
	assert.Regexp(t, `(?i)is being terminated|terminating`, o.text)
	_, err := w.client.Resource(maps).Namespace(w.id).Patch(t.Context(), "held", types.JSONPatchType,
		[]byte(`[{"op":"remove","path":"/metadata/finalizers"}]`), metav1.PatchOptions{})
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		_, err := w.client.Resource(namespaces).Get(t.Context(), w.id, metav1.GetOptions{})
		return err != nil
	}, time.Minute, 100*time.Millisecond, "the namespace goes")
	w.create(t, namespaces, `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"leaving"}}`)
	w.recover(t, file)
	assert.Len(t, w.snapshot(t).Entries, 5)
}

// The API of a group that has nothing to do with the run is away.
func brokenAPI(t *testing.T, w *world) {
	services := schema.GroupVersionResource{Group: "apiregistration.k8s.io", Version: "v1", Resource: "apiservices"}
	w.create(t, services, `{"apiVersion":"apiregistration.k8s.io/v1","kind":"APIService","metadata":{"name":"v1.away.chaos.example"},
		"spec":{"group":"away.chaos.example","version":"v1","groupPriorityMinimum":100,"versionPriority":100,"insecureSkipTLSVerify":true,
		"service":{"name":"not-there","namespace":"default"}}}`)
	t.Cleanup(func() { _ = os.RemoveAll(filepath.Join(w.home, ".cache")) })
	one, two := w.write(t, "one.yaml", before()), w.write(t, "two.yaml", after())
	w.must(t, w.apply(one)...)
	w.must(t, w.apply(two)...)
	w.recover(t, two)
	w.must(t, "destroy", "--yes", "--manifest", w.id, "--prune-protected")
	assert.Empty(t, w.present(t))
	require.NoError(t, w.client.Resource(services).Delete(t.Context(), "v1.away.chaos.example", metav1.DeleteOptions{}))
}

// present are the objects of the files that are there, by name.
func (w *world) present(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, gvr := range w.kinds() {
		list, err := w.client.Resource(gvr).Namespace(w.id).List(t.Context(), metav1.ListOptions{})
		if err != nil {
			continue // the definition is not there
		}
		for _, u := range list.Items {
			if u.GetName() != "kube-root-ca.crt" && u.GetName() != "default" {
				out = append(out, u.GetKind()+" "+u.GetName())
			}
		}
	}
	return out
}
