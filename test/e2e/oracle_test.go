package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

const (
	// oracleSeeds objects of each kind are edited at random.
	oracleSeeds = 40
	// maxEdits of the live object, and as many of the files.
	maxEdits = 3
	// established is how long a definition may take to be served.
	established = 30 * time.Second
	// partOf is the label that we add when we send an object, and kubectl doesn't.
	partOf = "applyset.kubernetes.io/part-of"
)

// TestOracle compares our verdicts with those of the server. Objects are applied,
// then edited at random both in the cluster and in the files. Of each object, we
// have to say that it differs exactly if `kubectl diff --server-side` does: if
// the server would change it. After an apply both have to be silent.
func TestOracle(t *testing.T) {
	s := newSite(t)
	o := newOracle(t, s)
	o.createNamespace(t)
	o.applyDefinition(t)
	o.write(t)
	o.tazuna(t, "apply", "--yes", "--wait=false")
	o.editLive(t)
	o.editFiles(t)
	o.write(t)
	o.compare(t)

	o.tazuna(t, "apply", "--yes", "--wait=false", "--force-conflicts")
	assert.Empty(t, o.ours(t), "after the apply, we still see differences")
	assert.Empty(t, o.kubectls(t), "after the apply, the server would still change objects")
}

// oracle is the state of the test.
type oracle struct {
	site
	namespace  string
	group      string
	kubeconfig string
	file       string // what we are given
	labelled   string // the same for kubectl, with our label
	client     dynamic.Interface
	kinds      []editedKind
	objects    []*subject
}

// subject is one object that is edited, in the files and in the cluster.
type subject struct {
	kind   editedKind
	name   string
	body   map[string]any
	random *rand.Rand
	edits  []string
}

func newOracle(t *testing.T, s site) *oracle {
	t.Helper()
	dir, id := t.TempDir(), newID("oracle")
	o := &oracle{
		site: s, namespace: id, group: id + ".example.com",
		kubeconfig: filepath.Join(dir, "kubeconfig"),
		file:       filepath.Join(dir, "objects.json"),
		labelled:   filepath.Join(dir, "labelled.json"),
	}
	_, _, err := useNamespace(s.kubeconfig, o.kubeconfig, id)
	require.NoError(t, err)
	config, err := clientcmd.BuildConfigFromFlags("", o.kubeconfig)
	require.NoError(t, err)
	config.WarningHandler = rest.NoWarnings{}
	config.QPS = -1 // the server has flow control of its own
	o.client, err = dynamic.NewForConfig(config)
	require.NoError(t, err)
	o.kinds = editedKinds(o.group)
	for _, kind := range o.kinds {
		for i := range oracleSeeds {
			o.objects = append(o.objects, newSubject(kind, uint64(seed(t)+i), o.namespace))
		}
	}
	return o
}

// seed is the first seed: another one, in TAZUNA_TEST_SEED, finds other things.
func seed(t *testing.T) int {
	t.Helper()
	text := os.Getenv("TAZUNA_TEST_SEED")
	if text == "" {
		return 1
	}
	n, err := strconv.Atoi(text)
	require.NoError(t, err, "TAZUNA_TEST_SEED")
	return n
}

func newSubject(kind editedKind, seed uint64, namespace string) *subject {
	s := &subject{
		kind: kind, name: fmt.Sprintf("%s-%d", kind.prefix, seed),
		body:   decode(kind.template),
		random: rand.New(rand.NewPCG(seed, uint64(len(kind.prefix)))),
	}
	s.body["metadata"] = map[string]any{"name": s.name, "namespace": namespace, "labels": map[string]any{"app": "a"}}
	return s
}

func decode(text string) map[string]any {
	var out map[string]any
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		panic(err) // a template of ours is wrong
	}
	return out
}

func (o *oracle) createNamespace(t *testing.T) {
	t.Helper()
	o.kubectl(t, "create", "namespace", o.namespace)
	t.Cleanup(func() {
		// Not the test's context, which has ended.
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		gvr := schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
		_ = o.client.Resource(gvr).Delete(ctx, o.namespace, metav1.DeleteOptions{})
	})
}

func (o *oracle) applyDefinition(t *testing.T) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "definition.json")
	require.NoError(t, os.WriteFile(file, []byte(definition(o.group)), 0o600))
	o.kubectl(t, "apply", "-f", file)
	// kubectl wait fails on a definition that has no status yet.
	require.Eventually(t, func() bool {
		return o.run(t, o.env(), "kubectl", "wait", "--for=condition=Established", "crd/gadgets."+o.group).code == 0
	}, established, waitPause)
}

// write puts all objects into the files.
func (o *oracle) write(t *testing.T) {
	t.Helper()
	list := map[string]any{"apiVersion": "v1", "kind": "List", "items": []any{}}
	for _, s := range o.objects {
		list["items"] = append(list["items"].([]any), s.body)
	}
	data, err := json.Marshal(list)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(o.file, data, 0o600))
}

// writeLabelled puts all objects into a file for kubectl, with the label they
// have in the cluster: without it kubectl would say that we remove it.
func (o *oracle) writeLabelled(t *testing.T) {
	t.Helper()
	live := o.live(t)
	list := map[string]any{"apiVersion": "v1", "kind": "List", "items": []any{}}
	for _, s := range o.objects {
		body := (&unstructured.Unstructured{Object: s.body}).DeepCopy()
		if label, ok := live[s.name].GetLabels()[partOf]; ok {
			labels := body.GetLabels()
			if labels == nil {
				labels = map[string]string{}
			}
			labels[partOf] = label
			body.SetLabels(labels)
		}
		list["items"] = append(list["items"].([]any), body.Object)
	}
	data, err := json.Marshal(list)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(o.labelled, data, 0o600))
}

// live returns the objects of the cluster by name.
func (o *oracle) live(t *testing.T) map[string]*unstructured.Unstructured {
	t.Helper()
	out := map[string]*unstructured.Unstructured{}
	for _, kind := range o.kinds {
		list, err := o.client.Resource(kind.resource).Namespace(o.namespace).List(t.Context(), metav1.ListOptions{})
		require.NoError(t, err)
		for i := range list.Items {
			out[list.Items[i].GetName()] = &list.Items[i]
		}
	}
	return out
}

// editLive changes objects in the cluster as others would.
func (o *oracle) editLive(t *testing.T) {
	t.Helper()
	for _, s := range o.objects {
		if n := s.random.IntN(maxEdits + 1); n > 0 {
			o.editOne(t, s, n)
		}
	}
}

func (o *oracle) editOne(t *testing.T, s *subject, edits int) {
	t.Helper()
	objects := o.client.Resource(s.kind.resource).Namespace(o.namespace)
	for try := 0; ; try++ {
		live, err := objects.Get(t.Context(), s.name, metav1.GetOptions{})
		require.NoError(t, err)
		var done []string
		for range edits {
			done = append(done, "live: "+s.kind.edit(s.random, live.Object))
		}
		_, err = objects.Update(t.Context(), live, metav1.UpdateOptions{FieldManager: "somebody"})
		// A controller may have been faster.
		if apierrors.IsConflict(err) && try < 5 {
			continue
		}
		require.NoError(t, err, "%s: %v", s.name, done)
		s.edits = append(s.edits, done...)
		return
	}
}

// editFiles changes the wanted objects.
func (o *oracle) editFiles(t *testing.T) {
	t.Helper()
	for _, s := range o.objects {
		for range s.random.IntN(maxEdits + 1) {
			s.edits = append(s.edits, "files: "+s.kind.edit(s.random, s.body))
		}
	}
}

// compare holds the two verdicts against each other, object by object.
func (o *oracle) compare(t *testing.T) {
	t.Helper()
	o.writeLabelled(t)
	ours, kubectls := o.ours(t), o.kubectls(t)
	differ := 0
	for _, s := range o.objects {
		if slices.Contains(kubectls, s.name) {
			differ++
		}
		if slices.Contains(ours, s.name) == slices.Contains(kubectls, s.name) {
			continue
		}
		t.Errorf("%s %s: we say it differs: %v, the server: %v\n%q\nwanted %s", s.kind.resource.Resource, s.name,
			slices.Contains(ours, s.name), slices.Contains(kubectls, s.name), s.edits, encode(s.body))
	}
	t.Logf("%d objects, %d of them differ", len(o.objects), differ)
	// A test in which nothing or everything differs says little.
	assert.Greater(t, differ, len(o.objects)/5)
	assert.Less(t, differ, len(o.objects)*19/20)
}

func encode(body map[string]any) string {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(body) // was decoded from JSON
	return out.String()
}

// ours are the names of the objects that we say differ.
func (o *oracle) ours(t *testing.T) []string {
	t.Helper()
	result := o.run(t, o.env(), "kubectl-tazuna", "diff", "-o", "json", "-f", o.file, "--manifest", o.namespace)
	require.LessOrEqual(t, result.code, 1, result.stderr)
	var r report
	require.NoError(t, json.Unmarshal([]byte(result.stdout), &r))
	var names []string
	for _, object := range r.Objects {
		if object.changesValues() {
			names = append(names, object.Name)
		}
	}
	return names
}

// changesValues reports whether values would change. What is only released goes
// on living with its other owner, so the server sees no difference.
func (o reportedObject) changesValues() bool {
	if o.Op == "" {
		return false
	}
	for _, d := range o.Differences {
		if d.Verdict != "release" {
			return true
		}
	}
	return len(o.Differences) == 0
}

// kubectls are the names of the objects that the server would change.
func (o *oracle) kubectls(t *testing.T) []string {
	t.Helper()
	env := append(o.env(), "KUBECTL_EXTERNAL_DIFF=diff -U0 -N")
	result := o.run(t, env, "kubectl", "diff", "--server-side", "--force-conflicts", "--field-manager=tazuna", "-f", o.labelled)
	require.LessOrEqual(t, result.code, 1, result.stderr)
	return changedFiles(result.stdout)
}

// generation is the one line that the server changes without a change: it counts
// an empty list that it doesn't store, each time it is applied.
var generation = regexp.MustCompile(`^[-+] +generation: \d+$`)

// changedFiles returns the last part of the names of the files, which is the
// object's name, that a unified diff changes.
func changedFiles(diff string) []string {
	var names []string
	name := ""
	for _, line := range strings.Split(diff, "\n") {
		switch {
		case strings.HasPrefix(line, "--- "):
			file := strings.Fields(line)[1]
			name = file[strings.LastIndex(file, ".")+1:]
		case strings.HasPrefix(line, "+++ "), generation.MatchString(line):
		case strings.HasPrefix(line, "+"), strings.HasPrefix(line, "-"):
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

func (o *oracle) env() []string {
	return []string{"KUBECONFIG=" + o.kubeconfig, "HOME=" + filepath.Dir(o.file)}
}

func (o *oracle) kubectl(t *testing.T, args ...string) {
	t.Helper()
	result := o.run(t, o.env(), "kubectl", args...)
	require.Zero(t, result.code, "kubectl %q: %s", args, result.stderr)
}

func (o *oracle) tazuna(t *testing.T, command string, args ...string) {
	t.Helper()
	args = append([]string{command, "-f", o.file, "--manifest", o.namespace}, args...)
	result := o.run(t, o.env(), "kubectl-tazuna", args...)
	require.Zero(t, result.code, "kubectl-tazuna %q: %s%s", args, result.stdout, result.stderr)
}
