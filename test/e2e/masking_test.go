package e2e

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// maskingTime is how long rounds with other secrets are begun. TAZUNA_TEST_MASKING
// (a duration) sets another one.
const maskingTime = 15 * time.Second

// TestMasking puts random secrets wherever secrets may be, in files and in the
// cluster, and looks for them in everything that any command prints, writes to the
// disk or keeps in the cluster. Other seeds are in TAZUNA_TEST_SEED.
func TestMasking(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	limit := maskingTime
	if text := os.Getenv("TAZUNA_TEST_MASKING"); text != "" {
		var err error
		limit, err = time.ParseDuration(text)
		require.NoError(t, err, "TAZUNA_TEST_MASKING")
	}
	start := time.Now()
	for round := 0; round == 0 || time.Since(start) < limit; round++ {
		newMasking(t, s, uint64(seed(t)+round)).run(t)
		if t.Failed() {
			t.Fatalf("seed %d", seed(t)+round)
		}
	}
}

// masking is one round of TestMasking.
type masking struct {
	*sandbox
	*secrets
	manifest string
	diffs    string // where the external diff tool puts what it is given
	outputs  int
}

func newMasking(t *testing.T, s site, seed uint64) *masking {
	t.Helper()
	b := s.newSandbox(t, "masking")
	w := &masking{sandbox: b, secrets: newSecrets(seed), manifest: b.namespace, diffs: filepath.Join(b.home, "diffs")}
	require.NoError(t, os.Mkdir(w.diffs, 0o700))
	require.NoError(t, os.Mkdir(filepath.Join(b.home, "tmp"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(b.home, "differ"), []byte("#!/bin/sh\ncp -r \"$1\" \"$2\" "+w.diffs+"\nls -lR \"$1\" \"$2\"\nexit 1\n"), 0o700)) //nolint:gosec // a program
	return w
}

func (w *masking) run(t *testing.T) {
	t.Helper()
	w.refusing(t)
	w.publishCaches(t)
	w.file(t, "objects.json", w.objects())
	require.NotEmpty(t, w.leak(w.must(t, "build", "--show-secrets", "-f", filepath.Join(w.home, "objects.json")).stdout), "the test finds nothing")
	w.look(t)
	w.say(t, "apply", "--yes", "-v=8", "--wait=false", "--force-conflicts")
	w.kept(t)
	w.say(t, "diff")

	// Other values in the files, in the cluster and in what others remember there.
	w.file(t, "objects.json", w.objects())
	w.changeLive(t)
	w.look(t)
	w.say(t, "apply", "--yes", "-v=8", "--wait=false", "--force-conflicts")
	w.kept(t)

	w.adopt(t)
	w.released(t)
	w.refused(t)
	w.broken(t)
	w.files(t)
	t.Logf("%d outputs without any of %d runs", w.outputs, len(w.runs))
}

// publishCaches has our program store what the server publishes about itself.
func (w *masking) publishCaches(t *testing.T) {
	t.Helper()
	w.file(t, "public.json", encode(m{"apiVersion": "v1", "kind": "List", "items": list(
		m{"apiVersion": "v1", "kind": "ConfigMap", "metadata": m{"name": "kube-root-ca.crt"}}, m{"apiVersion": "v1", "kind": "Secret", "metadata": m{"name": "public"}},
	)}))
	w.kubectl(t, "create", "secret", "generic", "public")
	w.sayOf(t, "public.json", "diff")
	w.walk(t, func(_, text string) { w.publish(text) })
}

// say runs a command on the files and looks at what it says.
func (w *masking) say(t *testing.T, args ...string) {
	t.Helper()
	w.sayOf(t, "objects.json", args...)
}

func (w *masking) sayOf(t *testing.T, file string, args ...string) {
	t.Helper()
	args = append(args, "-f", filepath.Join(w.home, file))
	if !slices.Contains([]string{"build", "check"}, args[0]) {
		args = append(args, "--manifest", w.manifest)
	}
	w.exec(t, nil, args...)
}

func (w *masking) exec(t *testing.T, env []string, args ...string) {
	t.Helper()
	env = append(append(w.env(), "TMPDIR="+filepath.Join(w.home, "tmp")), env...)
	result := w.site.run(t, env, "kubectl-tazuna", args...)
	assert.NotContains(t, result.stderr, "panic:", "%q", args)
	assert.NotContains(t, result.stderr, "unknown flag", "%q", args)
	w.clean(t, fmt.Sprintf("standard output of %q", args), result.stdout)
	w.clean(t, fmt.Sprintf("standard error of %q", args), result.stderr)
}

// encoded is what is written in base64 and holds no secret: hashes, and where a list
// goes on.
var encoded = regexp.MustCompile(`applyset-[\w-]{43}-v1|continue=[\w%-]+`)

// clean says where a secret is in a text.
func (w *masking) clean(t *testing.T, what, text string) {
	t.Helper()
	w.outputs++
	if found := w.leak(encoded.ReplaceAllString(text, "")); found != "" {
		t.Errorf("%s: %s", what, found)
	}
}

// look asks for the difference in every form there is.
func (w *masking) look(t *testing.T) {
	t.Helper()
	w.say(t, "build")
	w.say(t, "diff", "--explain", "-v=8")
	for _, view := range []string{"text", "fields", "server"} {
		w.say(t, "diff", "--view", view, "--show-ignored", "--context-lines=-1")
	}
	for _, form := range []string{"json", "yaml", "kyaml", "name", "jsonpath={.objects[*]}", "go-template={{range .objects}}{{.after}}{{end}}"} {
		w.say(t, "diff", "--view=server", "-o", form, "--show-ignored")
	}
	w.say(t, "plan", "--dry-run=server", "-v=9")
	w.say(t, "state", "diff")
	w.say(t, "state", "diff", "-o", "json")
	w.exec(t, nil, "state", "list", "-o", "yaml", "--manifest", w.manifest)
	w.exec(t, nil, "diff", "-f", filepath.Join(w.home, "objects.json"), "--against", w.file(t, "other.json", w.objects()))
	w.exec(t, nil, "config", "explain", "secret/plain", "-f", filepath.Join(w.home, "objects.json"), "--manifest", w.manifest)
	w.exec(t, []string{"KUBECTL_EXTERNAL_DIFF=" + filepath.Join(w.home, "differ")}, "diff", "-f", filepath.Join(w.home, "objects.json"), "--manifest", w.manifest)
}

// objects are files with secrets in all the places that count as secret.
func (w *masking) objects() string {
	secret := func(name string, more m) m {
		body := m{"apiVersion": "v1", "kind": "Secret", "metadata": m{"name": name, "namespace": w.namespace}}
		for k, v := range more {
			body[k] = v
		}
		return body
	}
	data := func(n int) m {
		out := m{}
		for i := range n {
			out[fmt.Sprintf("key%d", i)] = base64.StdEncoding.EncodeToString([]byte(w.next()))
		}
		return out
	}
	lastApplied, _ := json.Marshal(secret("annotated", m{"data": data(2)}))
	annotated := secret("annotated", m{"data": data(1)})
	annotated["metadata"].(m)["annotations"] = m{
		"kubectl.kubernetes.io/last-applied-configuration": string(lastApplied),
		"kapp.k14s.io/original":                            string(lastApplied),
		"kapp.k14s.io/original-diff":                       "- " + w.next(),
	}
	extended := secret("extended", m{"data": data(1)})
	extended["metadata"].(m)["labels"] = m{"extend": "yes"}
	items := []any{
		secret("plain", m{"data": data(3), "stringData": m{"text": w.next(), "more": w.next()}}),
		secret("dockerconfig", m{"type": "kubernetes.io/dockerconfigjson", "stringData": m{".dockerconfigjson": fmt.Sprintf(`{"auths":{%q:{"auth":%q}}}`, w.keep(w.word(6)), w.keep(w.word(12)))}}),
		annotated, extended,
		m{
			"apiVersion": "v1", "kind": "ConfigMap",
			"metadata": m{"name": "former", "namespace": w.namespace, "annotations": m{"kubectl.kubernetes.io/last-applied-configuration": fmt.Sprintf(`{"data":{"a":%q}}`, w.keep(w.word(9)))}},
			"data":     m{"open": "public"},
		},
		m{
			"apiVersion": "v1", "kind": "ConfigMap",
			"metadata": m{"name": "paths", "namespace": w.namespace, "annotations": m{"werf.io/sensitive-paths": "$.data.token,$.data['pass.word']"}},
			"data":     m{"token": w.next(), "pass.word": w.next(), "open": "public"},
		},
		m{
			"apiVersion": "v1", "kind": "ConfigMap",
			"metadata": m{"name": "sensitive", "namespace": w.namespace, "annotations": m{"werf.io/sensitive": "true"}},
			"data":     m{"token": w.next(), "other": w.next()},
		},
		m{"apiVersion": "v1", "kind": "SecretList", "items": []any{
			m{"metadata": m{"name": "listed", "namespace": w.namespace}, "data": data(1)},
		}},
	}
	return encode(m{"apiVersion": "v1", "kind": "List", "items": items})
}

// changeLive writes other secrets to the cluster, as others would.
func (w *masking) changeLive(t *testing.T) {
	t.Helper()
	patch := func(resource, name string, body m) {
		gvr := configMapResource
		if resource == "secrets" {
			gvr = secretResource
		}
		_, err := w.client.Resource(gvr).Namespace(w.namespace).Patch(t.Context(), name, types.MergePatchType, []byte(encode(body)), metav1.PatchOptions{FieldManager: "somebody"})
		require.NoError(t, err)
	}
	former, _ := json.Marshal(m{"apiVersion": "v1", "kind": "Secret", "metadata": m{"name": "plain"}, "stringData": m{"text": w.next()}})
	patch("secrets", "plain", m{
		"metadata": m{"annotations": m{"kubectl.kubernetes.io/last-applied-configuration": string(former)}},
		"data":     m{"key0": base64.StdEncoding.EncodeToString([]byte(w.next())), "theirs": base64.StdEncoding.EncodeToString([]byte(w.next())), "key1": nil},
	})
	patch("configmaps", "paths", m{"data": m{"token": w.next(), "open": "changed"}})
	patch("configmaps", "sensitive", m{"data": m{"token": w.next(), "theirs": w.next()}})
	patch("configmaps", "former", m{"metadata": m{"annotations": m{"kubectl.kubernetes.io/last-applied-configuration": `{"data":{"a":"` + w.keep(w.word(8)) + `"}}`}}, "data": m{"open": "changed"}})
}

// refusing has the server quote what it refuses, and put secrets of its own into
// what it is sent.
func (w *masking) refusing(t *testing.T) {
	t.Helper()
	name := w.namespace
	matches := func(label string) m {
		rule := m{"apiGroups": list(""), "apiVersions": list("v1"), "operations": list("CREATE", "UPDATE"), "resources": list("secrets", "configmaps")}
		return m{
			"namespaceSelector": m{"matchLabels": m{"kubernetes.io/metadata.name": w.namespace}},
			"objectSelector":    m{"matchLabels": m{label: "yes"}}, "resourceRules": list(rule),
		}
	}
	validating := policies.GroupVersion().WithResource("validatingadmissionpolicies")
	create := func(kind string, spec m) {
		gvr := policies.GroupVersion().WithResource(map[string]string{
			"ValidatingAdmissionPolicy": "validatingadmissionpolicies", "ValidatingAdmissionPolicyBinding": "validatingadmissionpolicybindings",
			"MutatingAdmissionPolicy": "mutatingadmissionpolicies", "MutatingAdmissionPolicyBinding": "mutatingadmissionpolicybindings",
		}[kind])
		body := m{"apiVersion": validating.GroupVersion().String(), "kind": kind, "metadata": m{"name": name}, "spec": spec}
		_, err := w.client.Resource(gvr).Create(t.Context(), &unstructured.Unstructured{Object: body}, metav1.CreateOptions{})
		require.NoError(t, err)
		w.deleteAtEnd(t, gvr, name)
	}
	create("ValidatingAdmissionPolicy", m{
		"failurePolicy": "Fail", "matchConstraints": matches("refuse"),
		"validations": list(m{"expression": "false", "messageExpression": `"no to " + string(object.data["token"]) + ", it is not " + object.metadata.name`}),
	})
	create("ValidatingAdmissionPolicyBinding", m{"policyName": name, "validationActions": list("Deny")})
	create("MutatingAdmissionPolicy", m{
		"failurePolicy": "Fail", "reinvocationPolicy": "Never", "matchConstraints": matches("extend"),
		"mutations": list(m{"patchType": "JSONPatch", "jsonPatch": m{
			"expression": `[JSONPatch{op: "add", path: "/data/injected", value: "` + base64.StdEncoding.EncodeToString([]byte(w.next())) + `"}]`,
		}}),
	})
	create("MutatingAdmissionPolicyBinding", m{"policyName": name})
	refused := encode(m{"apiVersion": "v1", "kind": "ConfigMap", "metadata": m{"name": "probe", "labels": m{"refuse": "yes"}}, "data": m{"token": "probe"}})
	file := w.file(t, "probe.json", refused)
	require.Eventually(t, func() bool {
		return strings.Contains(w.site.run(t, w.env(), "kubectl", "create", "--dry-run=server", "-f", file).stderr, "no to probe")
	}, established, waitPause, "the policy is not in force")
}

// adopt takes over a Secret and an object that says which of its paths are secret,
// both with values that left the files.
func (w *masking) adopt(t *testing.T) {
	t.Helper()
	body := func(values int) string {
		text := m{}
		for i := range values {
			text[fmt.Sprint("key", i)] = w.next()
		}
		return encode(m{"apiVersion": "v1", "kind": "List", "items": list(
			m{"apiVersion": "v1", "kind": "Secret", "metadata": m{"name": "adopted"}, "stringData": text},
			m{"apiVersion": "v1", "kind": "ConfigMap", "metadata": m{"name": "adopted", "annotations": m{"werf.io/sensitive-paths": "$.data"}}, "data": text},
		)})
	}
	w.kubectl(t, "create", "-f", w.file(t, "adopted.json", body(3)))
	w.kubectl(t, "apply", "-f", w.file(t, "adopted.json", body(2)))
	w.file(t, "adopted.json", body(1))
	w.manifest = w.namespace + "-adopted"
	w.sayOf(t, "adopted.json", "diff", "--view=server", "-o", "yaml", "-v=8")
	w.sayOf(t, "adopted.json", "apply", "--yes", "-v=8")
	w.kept(t)
	w.manifest = w.namespace
}

// refused are objects that the server or one of its policies doesn't take.
func (w *masking) refused(t *testing.T) {
	t.Helper()
	raw := func() string { return w.next() }
	b64 := func() string { return base64.StdEncoding.EncodeToString([]byte(w.next())) }
	secret := func(name string, more m) m {
		body := m{"apiVersion": "v1", "kind": "Secret", "metadata": m{"name": name}}
		for k, v := range more {
			body[k] = v
		}
		return body
	}
	sensitive := m{"werf.io/sensitive": "true"}
	all := []any{
		secret("no-base64", m{"data": m{"token": "!" + raw()}}),
		secret("bad-key", m{"data": m{"to ken": b64()}}),
		secret("nested", m{"stringData": m{"token": m{"inside": raw()}}}),
		secret("number", m{"data": m{"token": 12, "other": b64()}}),
		secret("list", m{"data": list(b64(), raw())}),
		secret("text", m{"data": raw()}),
		secret("text-as-text", m{"stringData": raw()}),
		secret("misspelt", m{"stringdata": m{"token": raw()}}),
		secret("dockerconfig", m{"type": "kubernetes.io/dockerconfigjson", "data": m{".dockerconfigjson": b64()}}),
		secret("tls", m{"type": "kubernetes.io/tls", "data": m{"tls.crt": b64(), "other": b64()}}),
		secret("basic", m{"type": "kubernetes.io/basic-auth", "data": m{"other": b64()}}),
		m{"apiVersion": "v1", "kind": "Secret", "metadata": m{"name": "refused", "labels": m{"refuse": "yes"}}, "data": m{"token": b64()}},
		m{"apiVersion": "v1", "kind": "Secret", "metadata": m{"name": "refused-text", "labels": m{"refuse": "yes"}}, "stringData": m{"token": raw()}},
		m{"apiVersion": "v1", "kind": "ConfigMap", "metadata": m{"name": "refused", "labels": m{"refuse": "yes"}, "annotations": sensitive}, "data": m{"token": raw()}},
		m{"apiVersion": "v1", "kind": "ConfigMap", "metadata": m{"name": "refused-path", "labels": m{"refuse": "yes"}, "annotations": m{"werf.io/sensitive-paths": "$.data.token"}}, "data": m{"token": raw()}},
		m{"apiVersion": "v1", "kind": "ConfigMap", "metadata": m{"name": "no-text", "annotations": sensitive}, "data": m{"token": m{"inside": raw()}, "bad key": raw()}},
		m{"apiVersion": "v1", "kind": "ConfigMap", "metadata": m{"name": "no-field", "annotations": sensitive}, "dataa": m{"token": raw()}},
	}
	w.file(t, "refused.json", encode(m{"apiVersion": "v1", "kind": "List", "items": all}))
	w.manifest = w.namespace + "-refused"
	for _, form := range []string{"text", "fields"} {
		w.sayOf(t, "refused.json", "diff", "--dry-run=server", "--view", form)
	}
	w.sayOf(t, "refused.json", "diff", "--dry-run=server", "-o", "json", "-v=8")
	w.sayOf(t, "refused.json", "apply", "--yes", "-v=8", "--timeout=2s")
	w.kept(t)
	// The same with objects that exist, whose values the server may quote as well.
	var exist []any
	for i, o := range all {
		o := o.(m)
		meta := o["metadata"].(m)
		live := m{"apiVersion": "v1", "kind": o["kind"], "metadata": m{"name": fmt.Sprint("exists-", i), "namespace": w.namespace}, "immutable": true}
		if o["kind"] == "Secret" {
			live["data"] = m{"token": b64()}
		} else {
			live["metadata"].(m)["annotations"] = meta["annotations"]
			live["data"] = m{"token": raw()}
		}
		gvr := configMapResource
		if o["kind"] == "Secret" {
			gvr = secretResource
		}
		_, err := w.client.Resource(gvr).Namespace(w.namespace).Create(t.Context(), &unstructured.Unstructured{Object: live}, metav1.CreateOptions{FieldManager: "helm"})
		require.NoError(t, err)
		meta["name"] = fmt.Sprint("exists-", i)
		exist = append(exist, o)
	}
	w.file(t, "exist.json", encode(m{"apiVersion": "v1", "kind": "List", "items": exist}))
	w.sayOf(t, "exist.json", "diff", "--view=server", "-v=8")
	w.sayOf(t, "exist.json", "diff", "-o", "json")
	w.sayOf(t, "exist.json", "apply", "--yes", "-v=8", "--timeout=2s", "--recreate")
	w.kept(t)
	w.manifest = w.namespace
}

// broken are files that can't be read.
func (w *masking) broken(t *testing.T) {
	t.Helper()
	head := "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\n"
	for i, text := range []string{
		head + "stringData:\n  token: " + w.keep(w.word(8)) + ": " + w.keep(w.word(8)) + "\n",
		head + "stringData:\n  token: \"" + w.keep(w.word(8)) + "\n",
		head + "stringData:\n  token: " + w.keep(w.word(8)) + "\n  token: " + w.keep(w.word(8)) + "\n",
		head + "stringData:\n\ttoken: " + w.keep(w.word(8)) + "\n",
		head + "stringData:\n  token: *" + w.keep(w.word(8)) + "\n",
		head + "stringData: {token: " + w.keep(w.word(8)) + "\n",
		head + "stringData: {? [" + w.keep(w.word(8)) + "] : a}\n",
		head + "stringData: {token: !!binary " + w.keep(w.word(8)) + "!}\n",
		head + "stringData: {token: !" + w.keep(w.word(6)) + " " + w.keep(w.word(8)) + "}\n",
		`{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}, "stringData": {"token": "` + w.keep(w.word(8)) + `" "` + w.keep(w.word(8)) + `"}}`,
		"kind: Secret\nmetadata: {name: a}\nstringData: {token: " + w.keep(w.word(8)) + "}\n",
		"apiVersion: v1\nkind: Secret\nmetadata: {generateName: a}\nstringData: {token: " + w.keep(w.word(8)) + "}\n",
		"apiVersion: v1\nkind: SecretList\nitems:\n- stringData: {token: " + w.keep(w.word(8)) + "}\n- " + w.keep(w.word(8)) + "\n",
		"apiVersion: v9\nkind: Secret\nmetadata: {name: a}\nstringData: {token: " + w.keep(w.word(8)) + "}\n",
		"apiVersion: example.com/v1\nkind: Secret\nmetadata: {name: a}\nstringData: {token: " + w.keep(w.word(8)) + "}\n",
	} {
		file := fmt.Sprint("broken-", i, ".yaml")
		w.file(t, file, text)
		w.sayOf(t, file, "diff", "-v=8")
		w.sayOf(t, file, "build")
	}
}

// kept looks at what is kept in the cluster.
func (w *masking) kept(t *testing.T) {
	t.Helper()
	w.clean(t, "the state and the lease", w.kubectl(t, "-n", "tazuna", "get", "configmap/tazuna-state-"+w.manifest, "lease/tazuna-lock-"+w.manifest, "--ignore-not-found", "-o", "yaml"))
	w.clean(t, "events", w.kubectl(t, "get", "events", "-o", "yaml"))
	record := w.kubectl(t, "-n", "tazuna", "get", "secret/tazuna-record-"+w.manifest, "--ignore-not-found", "-o", "json")
	if record == "" {
		return
	}
	var secret struct{ Data map[string][]byte }
	require.NoError(t, json.Unmarshal([]byte(record), &secret))
	require.NotEmpty(t, secret.Data)
	for _, packed := range secret.Data {
		w.clean(t, "the record, unpacked", gunzip(t, packed))
	}
}

// files looks at what is left on the disk, and at what the external diff tool got.
func (w *masking) files(t *testing.T) {
	t.Helper()
	seen := 0
	w.walk(t, func(path, text string) {
		seen++
		w.clean(t, path, text)
		w.clean(t, "the name of a file", path)
	})
	assert.Greater(t, seen, 10, "no files to look at")
	left, err := os.ReadDir(filepath.Join(w.home, "tmp"))
	require.NoError(t, err)
	assert.Empty(t, left, "temporary files are left")
}

// walk visits the files that our program may have left, and those that the external
// diff tool got.
func (w *masking) walk(t *testing.T, visit func(path, text string)) {
	t.Helper()
	for _, dir := range []string{".cache", ".kube", "tmp", "diffs"} {
		_ = filepath.WalkDir(filepath.Join(w.home, dir), func(path string, entry os.DirEntry, err error) error {
			if err != nil || !entry.Type().IsRegular() {
				return nil //nolint:nilerr // a directory that nobody made
			}
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			visit(path, string(text))
			return nil
		})
	}
}
