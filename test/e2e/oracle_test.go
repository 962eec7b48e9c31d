package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
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
	"k8s.io/client-go/dynamic"
)

const (
	// oracleSeeds objects of each kind are edited at random. TAZUNA_TEST_ORACLE asks
	// for more: it is their number, which is gone through in rounds.
	oracleSeeds = 10
	// oracleRound is how many of them live at a time.
	oracleRound = 25
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
// the server would change it. After an apply both have to be silent. On the way,
// what is believed without looking has to be what is seen by looking.
//
// docs/diff-oracle.md lists what is left out, and why.
func TestOracle(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	seeds := number(t, "TAZUNA_TEST_ORACLE", oracleSeeds)
	for from := 0; from < seeds; from += oracleRound {
		o := newOracle(t, s, seed(t)+from, min(oracleRound, seeds-from))
		o.consult(t)
		o.end(t)
		if t.Failed() {
			return
		}
	}
}

func (o *oracle) consult(t *testing.T) {
	t.Helper()
	o.apply(t)
	o.shuffle(t)
	assert.Empty(t, o.ours(t), "what was just applied differs, or differs with other orders of keys")
	o.editLive(t)
	o.believe(t)
	o.editFiles(t)
	o.write(t)
	o.believe(t)
	o.compare(t)

	o.apply(t, "--force-conflicts")
	assert.Empty(t, o.ours(t), "after the apply, we still see differences")
	assert.Empty(t, o.kubectls(t), "after the apply, the server would still change objects")
}

// oracle is the state of the test.
type oracle struct {
	*sandbox
	group    string
	file     string // what we are given
	labelled string // the same for kubectl, with our label
	kinds    []editedKind
	objects  []*subject
}

// subject is one object that is edited, in the files and in the cluster.
type subject struct {
	kind   editedKind
	name   string
	body   map[string]any
	random *rand.Rand
	edits  []string
}

func newOracle(t *testing.T, s site, from, seeds int) *oracle {
	t.Helper()
	o := &oracle{sandbox: s.newSandbox(t, "oracle")}
	o.group = o.namespace + ".example.com"
	o.file, o.labelled = o.sandbox.file(t, "objects.json", ""), o.sandbox.file(t, "labelled.json", "")
	o.kinds = editedKinds(o.group)
	o.define(t)
	for _, kind := range o.kinds {
		for i := range seeds {
			o.objects = append(o.objects, newSubject(kind, uint64(from+i), o.namespace))
		}
	}
	o.write(t)
	return o
}

// seed is the first seed: another one, in TAZUNA_TEST_SEED, finds other things.
func seed(t *testing.T) int {
	t.Helper()
	return number(t, "TAZUNA_TEST_SEED", 1)
}

// number reads a number from the environment.
func number(t *testing.T, variable string, otherwise int) int {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	require.NoError(t, err, variable)
	return n
}

func newSubject(kind editedKind, seed uint64, namespace string) *subject {
	s := &subject{
		kind: kind, name: fmt.Sprintf("%s-%d", kind.prefix, seed),
		body:   decode(kind.template),
		random: rand.New(rand.NewPCG(seed, uint64(len(kind.prefix)))),
	}
	meta := map[string]any{"labels": map[string]any{"app": "a"}}
	if kind.cluster {
		s.name = namespace + "-" + s.name
	} else {
		meta["namespace"] = namespace
	}
	if kind.named != nil {
		s.name = kind.named(s.body, seed)
	}
	meta["name"] = s.name
	s.body["metadata"] = meta
	return s
}

func decode(text string) map[string]any {
	var out map[string]any
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&out); err != nil {
		panic(fmt.Sprintf("%v in %s", err, text)) // a template of ours is wrong
	}
	return integers(out).(map[string]any)
}

// integers gives numbers the types that the client has.
func integers(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for key := range v {
			v[key] = integers(v[key])
		}
	case []any:
		for i := range v {
			v[i] = integers(v[i])
		}
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		f, _ := v.Float64() // JSON has no others
		return f
	}
	return value
}

// define has the kinds of our own served.
func (o *oracle) define(t *testing.T) {
	t.Helper()
	for _, definition := range definitions(o.group) {
		name := decode(definition)["metadata"].(m)["name"].(string)
		o.kubectl(t, "apply", "-f", o.sandbox.file(t, "definition.json", definition))
		o.deleteAtEnd(t, customResourceDefinitions, name)
		// kubectl wait fails on a definition that has no status yet.
		require.Eventually(t, func() bool {
			return o.run(t, o.env(), "kubectl", "wait", "--for=condition=Established", "crd/"+name).code == 0
		}, established, waitPause)
	}
}

// end deletes what lives outside the namespace, which takes the rest with it.
func (o *oracle) end(t *testing.T) {
	t.Helper()
	for _, s := range o.objects {
		if s.kind.cluster {
			_ = o.resource(s).Delete(t.Context(), s.name, metav1.DeleteOptions{})
		}
	}
}

// resource is the client of a subject.
func (o *oracle) resource(s *subject) dynamic.ResourceInterface {
	if s.kind.cluster {
		return o.client.Resource(s.kind.resource)
	}
	return o.client.Resource(s.kind.resource).Namespace(o.namespace)
}

// write puts all objects into the files.
func (o *oracle) write(t *testing.T) {
	t.Helper()
	o.sandbox.file(t, "objects.json", encode(o.all()))
}

func (o *oracle) all() map[string]any {
	list := map[string]any{"apiVersion": "v1", "kind": "List", "items": []any{}}
	for _, s := range o.objects {
		list["items"] = append(list["items"].([]any), s.body)
	}
	return list
}

// shuffle writes the files with the keys of every mapping in another order.
func (o *oracle) shuffle(t *testing.T) {
	t.Helper()
	o.sandbox.file(t, "objects.json", shuffled(rand.New(rand.NewPCG(1, 2)), o.all()))
}

func shuffled(r *rand.Rand, value any) string {
	var parts []string
	switch v := value.(type) {
	case map[string]any:
		for key, item := range v {
			name, _ := json.Marshal(key) // text can always be written
			parts = append(parts, string(name)+":"+shuffled(r, item))
		}
		slices.Sort(parts)
		r.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		return "{" + strings.Join(parts, ",") + "}"
	case []any:
		for _, item := range v {
			parts = append(parts, shuffled(r, item))
		}
		return "[" + strings.Join(parts, ",") + "]"
	default:
		data, _ := json.Marshal(v) // was decoded from JSON
		return string(data)
	}
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
	o.sandbox.file(t, "labelled.json", encode(list))
}

// live returns the objects of the cluster by name.
func (o *oracle) live(t *testing.T) map[string]*unstructured.Unstructured {
	t.Helper()
	out := map[string]*unstructured.Unstructured{}
	for _, s := range o.objects {
		if _, listed := out[s.name]; listed {
			continue
		}
		list, err := o.resource(s).List(t.Context(), metav1.ListOptions{})
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

// editOne changes one object in the cluster. An edit that the server doesn't take,
// or beside which it doesn't take the files, is left out.
func (o *oracle) editOne(t *testing.T, s *subject, edits int) {
	t.Helper()
	for tries := 0; edits > 0; tries++ {
		live, err := o.resource(s).Get(t.Context(), s.name, metav1.GetOptions{})
		require.NoError(t, err)
		before := live.DeepCopy()
		done := "live: " + s.kind.edit(s.random, live.Object)
		_, err = o.resource(s).Update(t.Context(), live, metav1.UpdateOptions{FieldManager: "somebody"})
		// A controller may have been faster.
		if (apierrors.IsConflict(err) || apierrors.IsInvalid(err)) && tries < 20 {
			continue
		}
		require.NoError(t, err, "%s: %v", s.name, done)
		if edits--; o.takes(t, s) {
			s.edits = append(s.edits, done)
			continue
		}
		before.SetResourceVersion("") // whatever a controller has written since
		_, err = o.resource(s).Update(t.Context(), before, metav1.UpdateOptions{FieldManager: "somebody"})
		require.NoError(t, err, "%s: undo %v", s.name, done)
	}
}

// takes tells whether the server would accept the files of an object.
func (o *oracle) takes(t *testing.T, s *subject) bool {
	t.Helper()
	_, err := o.resource(s).Apply(t.Context(), s.name, &unstructured.Unstructured{Object: s.body},
		metav1.ApplyOptions{FieldManager: "tazuna", Force: true, DryRun: []string{metav1.DryRunAll}})
	if !apierrors.IsInvalid(err) {
		require.NoError(t, err, "%s: %v", s.name, encode(s.body))
	}
	return err == nil
}

// editFiles changes the wanted objects, in ways that the server takes.
func (o *oracle) editFiles(t *testing.T) {
	t.Helper()
	for _, s := range o.objects {
		for range s.random.IntN(maxEdits + 1) {
			before := (&unstructured.Unstructured{Object: s.body}).DeepCopy().Object
			done := "files: " + s.kind.edit(s.random, s.body)
			if o.takes(t, s) {
				s.edits = append(s.edits, done)
			} else {
				s.body = before
			}
		}
	}
}

// compare holds the two verdicts against each other, object by object.
func (o *oracle) compare(t *testing.T) {
	t.Helper()
	o.writeLabelled(t)
	ours, kubectls := o.ours(t), o.kubectls(t)
	differ := map[string]int{}
	for _, s := range o.objects {
		if slices.Contains(kubectls, s.name) {
			differ[s.kind.prefix]++
			differ[""]++
		}
		if slices.Contains(ours, s.name) == slices.Contains(kubectls, s.name) {
			continue
		}
		t.Errorf("%s %s: we say it differs: %v, the server: %v\n%q\nwanted %s", s.kind.resource.Resource, s.name,
			slices.Contains(ours, s.name), slices.Contains(kubectls, s.name), s.edits, encode(s.body))
	}
	t.Logf("%d objects of %d kinds, %d of them differ", len(o.objects), len(o.kinds), differ[""])
	// A test in which nothing or everything differs says little.
	assert.Greater(t, differ[""], len(o.objects)/5)
	assert.Less(t, differ[""], len(o.objects)*19/20)
}

func encode(body map[string]any) string {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(body) // was decoded from JSON
	return out.String()
}

func (o *oracle) files() []string { return []string{"-f", o.file, "--manifest", o.namespace} }

// believe holds what we say with the proofs of earlier runs against what we say
// after looking at everything.
func (o *oracle) believe(t *testing.T) {
	t.Helper()
	believed, seen := o.report(t, o.files()...), o.report(t, append(o.files(), "--refresh")...)
	assert.Equal(t, seen.lines(), believed.lines(), "what was believed is not so")
	assert.Equal(t, seen.code, believed.code)
}

// ours are the names of the objects that we say differ.
func (o *oracle) ours(t *testing.T) []string {
	t.Helper()
	var names []string
	for _, object := range o.report(t, o.files()...).Objects {
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
	return o.changedFiles(result.stdout)
}

// generation is the one line that the server changes without a change: it counts
// an empty list that it doesn't store, each time it is applied.
var generation = regexp.MustCompile(`^[-+] +generation: \d+$`)

// changedFiles returns the objects whose files a unified diff changes. Their names
// end the names of the files.
func (o *oracle) changedFiles(diff string) []string {
	ends := map[string]string{}
	for _, s := range o.objects {
		namespace := o.namespace
		if s.kind.cluster {
			namespace = ""
		}
		ends[fmt.Sprintf(".%s.%s.%s", s.body["kind"], namespace, s.name)] = s.name
	}
	var names []string
	name := ""
	for _, line := range strings.Split(diff, "\n") {
		switch {
		case strings.HasPrefix(line, "--- "):
			file := strings.Fields(line)[1]
			name = ""
			for end := range ends {
				if strings.HasSuffix(file, end) {
					name = ends[end]
				}
			}
		case strings.HasPrefix(line, "+++ "), generation.MatchString(line):
		case strings.HasPrefix(line, "+"), strings.HasPrefix(line, "-"):
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

func (o *oracle) apply(t *testing.T, args ...string) {
	t.Helper()
	args = append(append([]string{"apply", "--yes", "--wait=false"}, o.files()...), args...)
	result := o.tazuna(t, args...)
	if result.code == 0 {
		return
	}
	for _, line := range regexp.MustCompile(`(?m)^.* (refused|failed|skipped) .*$`).FindAllString(result.stderr, -1) {
		for _, s := range o.objects {
			if strings.Contains(line+":", "/"+s.name+":") || strings.Contains(line+":", " "+s.name+":") {
				t.Logf("%s\n%q\nwanted %s", line, s.edits, encode(s.body))
			}
		}
	}
	t.Fatalf("kubectl-tazuna %q ended with exit code %d", args, result.code)
}
