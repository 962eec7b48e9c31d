package chaos

import (
	"fmt"
	"os"
	"path/filepath"
	goruntime "runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestControllerKilledInHooks ends the packages controller inside a hook of each stage,
// first in an orderly way and then with SIGKILL, and at the requests of a removal, Purge
// among them. The hook's processes don't live on, no finalizer goes before its application
// is gone, the next controller ends what was begun, and of removed applications nothing is
// left. So it is when the API server is started anew in the middle.
func TestControllerKilledInHooks(t *testing.T) {
	f := newFleet(t, startPlane(t))
	h := newHooked(t, f)
	t.Run("installation", h.installation)
	t.Run("removal", h.removal)
	t.Run("the server begins anew", h.serverRestart)
	for i, at := range h.requests() {
		t.Run("removal, at "+at.String(), func(t *testing.T) { h.removalAt(t, fmt.Sprintf("r%d", i), at) })
	}
	_, early := f.departed()
	require.Empty(t, early, "objects that were left when their application went")
	f.stop(t)
}

// hooked is a package whose hooks wait where they are told to.
type hooked struct {
	*fleet
	// whole outlives the parts of the test, and so does what is started for it.
	whole *testing.T
	dir   string // where hooks write, and look
}

// hookedHook writes down where it is, leaves a process behind, and waits while it is held.
// It makes an object that nobody but Purge deletes.
const hookedHook = `#!/bin/sh
if [ "$1" = --config ]; then
cat <<'END'
configVersion: v1
onStartup: 1
beforeHelm: 1
afterHelm: 1
beforeDeleteHelm: 1
afterDeleteHelm: 1
kubernetes: [{name: watched, apiVersion: v1, kind: ConfigMap, nameSelector: {matchNames: [nothing]}}]
END
exit 0
fi
stage=$(grep -o '"binding": *"[A-Za-z]*"' "$BINDING_CONTEXT_PATH" | head -n 1 | cut -d '"' -f 4)
at=DIR/$APPLICATION_NAME-$stage
if [ "$stage" = beforeHelm ]; then
cat >"$KUBERNETES_PATCH_PATH" <<END
{"operation":"CreateOrUpdate","object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"d8a-$APPLICATION_NAME-orphan","namespace":"$APPLICATION_NAMESPACE","labels":{"packages.deckhouse.io/instance":"$APPLICATION_NAME"}}}}
END
fi
[ -e "$at.hold" ] || exit 0
sleep 600 &
echo "$$ $!" >"$at.new"
mv "$at.new" "$at.in"
while [ -e "$at.hold" ]; do sleep 0.05; done
`

const hookedValues = `type: object
properties:
  orphanResources:
    type: array
    default: [{kind: ConfigMap, version: v1}]
    items: {type: object, properties: {kind: {type: string}, version: {type: string}}}
`

func newHooked(t *testing.T, f *fleet) *hooked {
	t.Helper()
	h := &hooked{fleet: f, whole: t, dir: filepath.Join(f.home, "stages")}
	require.NoError(t, os.Mkdir(h.dir, 0o750))
	sources := filepath.Join(f.home, "hooked")
	writePackage(t, sources, fmt.Sprintf(fleetDefinition, "hooked", "version: v1.0.0\n"), strings.ReplaceAll(fleetTemplate, "VERSION", "v1.0.0"))
	require.NoError(t, os.MkdirAll(filepath.Join(sources, "openapi"), 0o750))
	require.NoError(t, os.WriteFile(filepath.Join(sources, "openapi", "values.yaml"), []byte(hookedValues), 0o600))
	require.NoError(t, os.MkdirAll(filepath.Join(sources, "hooks"), 0o750))
	require.NoError(t, os.WriteFile(filepath.Join(sources, "hooks", "all.sh"), []byte(strings.ReplaceAll(hookedHook, "DIR", h.dir)), 0o700))
	u := parsed(t, fmt.Sprintf(`{"apiVersion":"deckhouse.io/v1alpha1","kind":"PackageRepository","metadata":{"name":"hooked"},"spec":{"registry":{"repo":%q}}}`, sources))
	_, err := f.client.Resource(deckhouse("packagerepositories")).Create(t.Context(), u, metav1.CreateOptions{})
	require.NoError(t, err)
	return h
}

func (h *hooked) install(t *testing.T, name string) {
	t.Helper()
	h.create(t, deckhouse("applications"), fmt.Sprintf(`{"apiVersion":"deckhouse.io/v1alpha1","kind":"Application","metadata":{"name":%q,"namespace":%q},
		"spec":{"packageName":"hooked","packageVersion":"v1.0.0","packageRepositoryName":"hooked"}}`, name, h.id))
}

func (h *hooked) delete(t *testing.T, name string) {
	t.Helper()
	require.NoError(t, h.client.Resource(deckhouse("applications")).Namespace(h.id).Delete(t.Context(), name, metav1.DeleteOptions{}))
}

// hold has the hook of an application wait in a stage.
func (h *hooked) hold(t *testing.T, name, stage string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(h.dir, name+"-"+stage+".hold"), nil, 0o600))
}

// inside waits until the hook is there, and returns its process and that which it left.
func (h *hooked) inside(t *testing.T, name, stage string) (leader, left int) {
	t.Helper()
	file := filepath.Join(h.dir, name+"-"+stage+".in")
	h.eventually(t, name+" is in "+stage, func() string {
		data, err := os.ReadFile(file)
		if err == nil {
			_, err = fmt.Sscan(string(data), &leader, &left)
		}
		return missing(err)
	})
	require.NoError(t, os.Remove(file)) // the next one is another run
	return leader, left
}

// crash kills the controller, lets the hooks go on that are held, and starts another one.
// meanwhile is what has to be so when there is none.
func (h *hooked) crash(t *testing.T, processes []int, meanwhile func()) {
	t.Helper()
	h.kill(t)
	if goruntime.GOOS == "linux" {
		for i := 0; i < len(processes); i += 2 {
			h.ended(t, "the program of a hook of a killed controller", processes[i])
		}
	}
	meanwhile()
	h.release(t)
	h.start(h.whole)
	if goruntime.GOOS != "linux" {
		return
	}
	for _, pid := range processes {
		h.ended(t, "what a hook of a killed controller had started", pid)
	}
}

// release lets all hooks go on that are held.
func (h *hooked) release(t *testing.T) {
	t.Helper()
	held, err := filepath.Glob(filepath.Join(h.dir, "*.hold"))
	require.NoError(t, err)
	for _, file := range held {
		require.NoError(t, os.Remove(file))
	}
}

// ended waits until a process has ended, whether or not somebody has collected it.
func (h *hooked) ended(t *testing.T, what string, pid int) {
	t.Helper()
	h.eventually(t, what+" ends", func() string {
		if syscall.Kill(pid, 0) != nil {
			return ""
		}
		stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
		if _, state, _ := strings.Cut(string(stat), ") "); err != nil || strings.HasPrefix(state, "Z") {
			return ""
		}
		return string(stat)
	})
}

// held wants an application to be there with its finalizer.
func (h *hooked) held(t *testing.T, name string) {
	t.Helper()
	app, there := h.applications(t)[name]
	require.True(t, there, "application %s", name)
	require.NotEmpty(t, app.GetFinalizers())
}

// installation kills once, in a hook of every stage at the same time.
func (h *hooked) installation(t *testing.T) {
	stages := []string{"watched", "onStartup", "beforeHelm", "afterHelm"}
	var processes []int
	for i, stage := range stages {
		name := fmt.Sprintf("i%d", i)
		h.hold(t, name, stage)
		h.install(t, name)
	}
	all := func() {
		processes = nil
		for i, stage := range stages {
			leader, left := h.inside(t, fmt.Sprintf("i%d", i), stage)
			processes = append(processes, leader, left)
		}
	}
	all()
	h.end(t, syscall.SIGTERM)
	for _, pid := range processes {
		h.ended(t, "what a hook of a stopped controller had started", pid)
	}
	h.start(h.whole)
	all()
	h.crash(t, processes, func() {
		for i := range stages {
			h.held(t, fmt.Sprintf("i%d", i))
		}
	})
	for i := range stages {
		h.ready(t, fmt.Sprintf("i%d", i))
	}
	for i := range stages {
		h.delete(t, fmt.Sprintf("i%d", i))
	}
	for i := range stages {
		h.nothingLeft(t, fmt.Sprintf("i%d", i))
	}
}

// removal kills once, in both stages of a removal.
func (h *hooked) removal(t *testing.T) {
	names := map[string]string{"d0": "beforeDeleteHelm", "d1": "afterDeleteHelm"}
	for name, stage := range names {
		h.install(t, name)
		h.ready(t, name)
		h.hold(t, name, stage)
		h.delete(t, name)
	}
	var processes []int
	for name, stage := range names {
		leader, left := h.inside(t, name, stage)
		processes = append(processes, leader, left)
	}
	h.crash(t, processes, func() {
		for name, left := range map[string]string{"d0": "configmaps/d8a-d0-orphan", "d1": "configmaps/d8a-d1-orphan"} {
			h.held(t, name)
			there, err := h.objects(t.Context(), name, rendered())
			require.NoError(t, err)
			assert.Contains(t, there, left, "not before all hooks have run")
			assert.Equal(t, name == "d0", strings.Contains(strings.Join(there, "\n"), "deployments"), "%s: %v", name, there)
		}
	})
	for name := range names {
		h.nothingLeft(t, name)
	}
}

// serverRestart kills the API server in the middle of an installation and of a removal,
// and starts it again. The controller goes on: it is not started anew.
func (h *hooked) serverRestart(t *testing.T) {
	h.install(t, "s0")
	h.ready(t, "s0")
	h.hold(t, "s0", "beforeDeleteHelm")
	h.delete(t, "s0")
	h.hold(t, "s1", "afterHelm")
	h.install(t, "s1")
	h.inside(t, "s0", "beforeDeleteHelm")
	h.inside(t, "s1", "afterHelm")
	h.control(t, "stop", "--kill")
	h.release(t)
	h.plane.start(t)
	h.watchDeletions(h.whole) // the watch of the test has ended with the server
	h.ready(t, "s1")
	h.nothingLeft(t, "s0")
	h.delete(t, "s1")
	h.nothingLeft(t, "s1")
}

// at is a request of the controller at which it is killed.
type at struct{ match, when string }

func (a at) String() string { return a.match + ", " + a.when }

// requests are those of a removal: with TAZUNA_TEST_CHAOS all kinds, else those of Purge.
func (h *hooked) requests() []at {
	matches := []string{"verb=delete,resource=configmaps,name=d8a-NAME-orphan"}
	if os.Getenv("TAZUNA_TEST_CHAOS") != "" {
		matches = append(matches, "verb=delete,resource=deployments", "verb=delete,resource=secrets", "verb=patch,resource=applications")
	}
	var all []at
	for _, match := range matches {
		all = append(all, at{match, "before"}, at{match, "after"})
	}
	return all
}

// removalAt kills at a request.
func (h *hooked) removalAt(t *testing.T, name string, a at) {
	h.install(t, name)
	h.ready(t, name)
	c := h.controller
	h.fault(t, c.agent, strings.ReplaceAll(a.match, "NAME", name), "--kill-pid-file", c.pidFile, "--when", a.when, "--times", "1")
	h.delete(t, name)
	h.controller = nil
	o := c.end(t)
	require.True(t, o.killed, "the controller ended by itself with code %d:\n%s", o.code, o.text)
	if !strings.Contains(a.match, "applications") { // else it may be that very request
		h.held(t, name)
	}
	h.start(h.whole)
	h.nothingLeft(t, name)
}

// ready waits until an application is installed.
func (h *hooked) ready(t *testing.T, name string) {
	t.Helper()
	h.eventually(t, name+" is ready", func() string {
		u, ok := h.applications(t)[name]
		if !ok {
			return "it is not there"
		}
		if state, version := standing(u); state != "Ready" || version != "v1.0.0" {
			return fmt.Sprint(u.Object["status"])
		}
		return ""
	})
}

// nothingLeft waits until an application is gone, and wants nothing of it to be there.
func (h *hooked) nothingLeft(t *testing.T, name string) {
	t.Helper()
	h.eventually(t, name+" is gone", func() string {
		if u, ok := h.applications(t)[name]; ok {
			return fmt.Sprint(u.Object["status"])
		}
		return ""
	})
	left, err := h.objects(t.Context(), name, rendered())
	require.NoError(t, err)
	require.Empty(t, left)
}
