package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	// idleBudget is what a controller of idleApplications or fewer may hold, in MiB.
	idleBudget       = 300
	idleApplications = 1000
	// idleRequests are those beside one a second and the searches for missing objects:
	// watches that are opened again. It doesn't grow with the applications.
	idleRequests = 20
	// driftInterval is the least time between two searches for missing objects, of four
	// minutes in earnest, so that some are counted.
	driftInterval = 10 * time.Second
	// benchKinds is how many kinds the package has objects of: each search costs one list
	// of each, in pages of pageSize; of a full one the server can't tell that it is the last.
	benchKinds = 2
	pageSize   = 500
	// lookRequests are those by which the controller finds out with each search which
	// version and which kinds the cluster has: /version, /api and /apis.
	lookRequests = 3
	// spread is the number of namespaces that applications are in.
	spread = 10
	// settled is how long a controller is left alone before it counts as idle: statuses
	// are written a moment after what they tell.
	settled = 10 * time.Second
	// readyLimit bounds the wait until all applications are ready.
	readyLimit = 15 * time.Minute
)

// benchPackage is a small package without hooks; its Deployment needs no Pods.
var benchPackage = map[string]string{
	"package.yaml": "apiVersion: v1\ntype: Application\nname: small\nversion: v1.0.0\ndescriptions: {en: Small}\n",
	"openapi/settings.yaml": "type: object\nproperties:\n  text: {type: string, default: something}\n" +
		"  replicas: {type: integer, default: 0}\n",
	"openapi/values.yaml": "x-extend: {schema: settings.yaml}\ntype: object\n",
	"templates/config.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: 'd8a-{{ .Application.Instance.Name }}-config'}\n" +
		"data: {text: '{{ .Values.text }}'}\n",
	"templates/web.yaml": `{{- $name := .Application.Instance.Name }}
apiVersion: apps/v1
kind: Deployment
metadata: {name: 'd8a-{{ $name }}-web'}
spec:
  replicas: {{ .Values.replicas }}
  selector: {matchLabels: {app: '{{ $name }}'}}
  template:
    metadata: {labels: {app: '{{ $name }}'}}
    spec: {containers: [{name: web, image: registry.example/web:1}]}
`,
}

// idle measures one controller with more and more applications: until all are ready, and
// while nothing happens.
func (w *world) idle(t *table, sizes []int, during time.Duration) error {
	if err := w.repository(); err != nil {
		return err
	}
	b, err := w.controller()
	if err != nil {
		return err
	}
	defer b.stop()
	if err := b.until("its kinds are there", func() (bool, error) {
		_, err := w.run(kubectl("get", "applications", "-A"))
		return err == nil, nil
	}); err != nil {
		return err
	}
	if err := w.all(kubectl("apply", "--server-side", "-f", w.path("repository.yaml"))); err != nil {
		return err
	}
	for from, i := 0, 0; i < len(sizes) && sizes[i] <= idleApplications; from, i = sizes[i], i+1 {
		if err := steps(
			func() error { return w.becomeReady(t, b, from, sizes[i]) },
			func() error { return w.rest(t, b, sizes[i], during) },
		); err != nil {
			return fmt.Errorf("%d applications: %w", sizes[i], err)
		}
	}
	return nil
}

// repository writes the package, and the repository and namespaces that applications need.
func (w *world) repository() error {
	dir := w.path("small")
	for name, text := range benchPackage {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return err
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "apiVersion: deckhouse.io/v1alpha1\nkind: PackageRepository\nmetadata: {name: main}\nspec: {registry: {repo: %q}}\n", dir)
	for i := range spread {
		fmt.Fprintf(&b, "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: apps-%d}\n", i)
	}
	return os.WriteFile(w.path("repository.yaml"), []byte(b.String()), 0o600)
}

// becomeReady adds applications and waits for them.
func (w *world) becomeReady(t *table, b *background, from, to int) error {
	var text strings.Builder
	for i := from; i < to; i++ {
		fmt.Fprintf(&text, "---\napiVersion: deckhouse.io/v1alpha1\nkind: Application\nmetadata: {name: a-%05d, namespace: apps-%d}\n"+
			"spec: {packageName: small, packageVersion: v1.0.0, packageRepositoryName: main}\n", i, i%spread)
	}
	file := w.path(fmt.Sprintf("applications-%d.yaml", to))
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		return err
	}
	before, err := b.outcome()
	if err != nil {
		return err
	}
	if _, err := w.cp("requests", "--reset"); err != nil {
		return err
	}
	began := time.Now()
	if err := w.all(kubectl("create", "-f", file)); err != nil {
		return err
	}
	states := ""
	if err := b.until("all are ready", func() (bool, error) {
		out, err := w.run(kubectl("get", "applications", "-A", "-o", `jsonpath={range .items[*]}{.status.summary.state} {end}`))
		states = tally(strings.Fields(out.stdout))
		return states == fmt.Sprintf("%d Ready", to), err
	}); err != nil {
		return fmt.Errorf("%w; they are: %s", err, states)
	}
	cost, err := w.since(b, before, began)
	if err != nil {
		return err
	}
	t.add(newRow(fmt.Sprintf("%d applications, %d more until all are ready", to, to-from), cost.outcome))
	return nil
}

// rest lets a controller be idle.
func (w *world) rest(t *table, b *background, n int, during time.Duration) error {
	time.Sleep(settled)
	before, err := b.outcome()
	if err != nil {
		return err
	}
	if _, err := w.cp("requests", "--reset"); err != nil {
		return err
	}
	began := time.Now()
	time.Sleep(during)
	if err := b.gone(); err != nil {
		return err
	}
	cost, err := w.since(b, before, began)
	if err != nil {
		return err
	}
	goroutines, err := b.metric("go_goroutines")
	if err != nil {
		return err
	}
	r := newRow(fmt.Sprintf("%d applications idle, %.0f goroutines", n, goroutines), cost.outcome)
	r.lines = append(r.lines, line{
		program: "its requests",
		instead: fmt.Sprintf("%.1f a second: %s", float64(cost.requests)/cost.seconds, orNone(tally(cost.kinds))),
	})
	r.memory(idleBudget)
	r.note(cost.others == "", true, "watches, leases, lists and looks only%s", cost.others)
	searches := int(during/driftInterval) + 1
	lists := searches * benchKinds * (n/pageSize + 1)
	listed := 0
	for _, kind := range cost.kinds {
		if strings.HasPrefix(kind, "list ") {
			listed++
		}
	}
	r.note(listed > 0, true, "missing objects are looked for")
	r.note(listed <= lists, true, "≤ %d lists for that (found %d)", lists, listed)
	r.requests(int(during.Seconds()) + idleRequests + lists + searches*lookRequests)
	t.add(r)
	return nil
}

// spent is what a controller cost in a while.
type spent struct {
	outcome
	// kinds has the verb and resource of each request, others those that one that is idle
	// doesn't send.
	kinds  []string
	others string
}

// since is what a controller cost since it was at before; memory is what it holds now.
func (w *world) since(b *background, before outcome, began time.Time) (s spent, err error) {
	if s.outcome, err = b.outcome(); err != nil {
		return s, err
	}
	s.seconds, s.cpu = time.Since(began).Seconds(), s.cpu-before.cpu
	text, err := w.cp("requests", "--list", "--user-agent", "kubectl-tazuna/")
	if err != nil {
		return s, err
	}
	s.writes = 0
	var others []string
	for line := range strings.Lines(text) {
		var r request
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			return s, fmt.Errorf("a request in the list of the control plane: %w", err)
		}
		s.kinds = append(s.kinds, r.String())
		if r.writes() {
			s.writes++
		}
		if !r.idle() {
			others = append(others, r.String())
		}
	}
	s.requests = len(s.kinds)
	if len(others) > 0 {
		s.others = " (" + tally(others) + ")"
	}
	return s, nil
}

// request is what the control plane tells of one.
type request struct {
	Verb, Resource, Route string
	DryRun                bool
}

func (r request) String() string { return strings.TrimSpace(r.Verb + " " + r.Resource + r.Route) }

func (r request) writes() bool {
	return !r.DryRun && slices.Contains([]string{"create", "update", "patch", "delete", "deletecollection"}, r.Verb)
}

// idle reports whether a controller may send it while nothing happens. A list may be
// that of the search for what is missing, or begin a watch anew; with the search it asks
// for the version of the server and its kinds.
func (r request) idle() bool {
	switch {
	case r.Verb == "watch", r.Verb == "list":
		return true
	case r.Resource == "leases":
		return r.Verb == "get" || r.Verb == "update"
	}
	return r.Verb == "get" && slices.Contains([]string{"/version", "/api", "/apis"}, r.Route)
}

// until asks again and again, a second apart, until it is so or the controller has ended.
func (b *background) until(what string, so func() (bool, error)) error {
	for began := time.Now(); time.Since(began) < readyLimit; time.Sleep(time.Second) {
		if err := b.gone(); err != nil {
			return err
		}
		if is, err := so(); is || err != nil {
			return err
		}
	}
	return fmt.Errorf("wait for %v until %s: it took longer", readyLimit, what)
}

// tally counts like words: "3 get leases, 1 watch pods".
func tally(words []string) string {
	counts := map[string]int{}
	for _, word := range words {
		counts[word]++
	}
	parts := make([]string, 0, len(counts))
	for _, word := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%d %s", counts[word], word))
	}
	return strings.Join(parts, ", ")
}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}
