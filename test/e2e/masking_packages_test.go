package e2e

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPackagesMasking puts random secrets wherever an application or the repository of
// its package can have one, into the working of packages and into each kind of failure,
// and looks for them in all that a controller says, keeps in the cluster and answers.
// TAZUNA_TEST_MASKING (a duration) asks for more rounds than one, TAZUNA_TEST_SEED for
// others.
func TestPackagesMasking(t *testing.T) {
	t.Parallel()
	s := newSite(t).startOwn(t)
	limit, _ := time.ParseDuration(os.Getenv("TAZUNA_TEST_MASKING")) // 0 without it
	start := time.Now()
	for round := 0; round == 0 || time.Since(start) < limit; round++ {
		newPackagesMasking(t, s, uint64(seed(t)+round)).run(t)
		if t.Failed() {
			t.Fatalf("seed %d", seed(t)+round)
		}
	}
}

// packagesMasking is one round: a controller with its applications.
type packagesMasking struct {
	masking
	socket string
	log    string
	apps   []string
}

func newPackagesMasking(t *testing.T, s site, seed uint64) *packagesMasking {
	t.Helper()
	b := s.newSandbox(t, "secret")
	dir, err := os.MkdirTemp("", "tz") // a socket has a short path
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, os.RemoveAll(dir)) })
	return &packagesMasking{
		masking: masking{sandbox: b, secrets: newSecrets(seed)},
		socket:  filepath.Join(dir, "s"), log: filepath.Join(b.home, "controller.log"),
	}
}

func (w *packagesMasking) run(t *testing.T) {
	t.Helper()
	names := []string{"good", "fails", "template", "yaml", "refused", "patch", "operation", "settings"}
	for _, name := range names {
		w.write(t, name)
	}
	stop := w.controller(t)
	w.repositories(t)
	for _, name := range names {
		w.application(t, name)
	}
	w.settle(t)
	w.foreignEvents(t)
	w.lookInside(t)
	w.inTheCluster(t)
	for _, name := range names { // a removal runs hooks, too
		w.kubectl(t, "delete", "application", name, "--wait=false")
	}
	w.kubectl(t, "wait", "--for=delete", "application", "good", "--timeout=60s")
	for _, command := range []string{"queue dump", "logs"} {
		w.ask(t, append(strings.Fields(command), w.namespace+".good")...)
	}
	w.inTheCluster(t)
	stop()
	said, err := os.ReadFile(w.log)
	require.NoError(t, err)
	require.Contains(t, string(said), "hook output")
	w.clean(t, "the log of the controller", string(said))
	w.onTheDisk(t)
	t.Logf("%d outputs without any of %d runs", w.outputs, len(w.runs))
}

const (
	maskedSettings = `type: object
properties:
  password: {type: string, format: password}
  tokens: {type: array, default: [], items: {type: string, x-secret: true}}
  nested: {type: object, x-secret: true, additionalProperties: true}
  dsn: {type: string, writeOnly: true}
  open: {type: string}
`
	maskedValues = `x-extend: {schema: settings.yaml}
type: object
properties:
  internal:
    type: object
    default: {}
    properties:
      key: {type: string, x-secret: true}
`
	maskedObjects = `apiVersion: v1
kind: Secret
metadata: {name: d8a-{{ .Application.Instance.Name }}-s}
stringData:
  password: {{ .Values.password | quote }}
  key: {{ .Values.internal.key | quote }}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: d8a-{{ .Application.Instance.Name }}-c
  annotations: {note: {{ .Values.password | quote }}}
data:
  dsn: {{ .Values.dsn | quote }}
  tokens: {{ .Values.tokens | toJson | quote }}
  coded: {{ .Values.password | b64enc | quote }}
  nested: {{ .Values.nested | toJson | quote }}
  key: {{ printf "key=%s;" .Values.internal.key | quote }}
  open: {{ .Values.open | quote }}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: d8a-{{ .Application.Instance.Name }}-server}
spec:
  selector: {matchLabels: {app: d8a-{{ .Application.Instance.Name }}-server}}
  template:
    metadata: {labels: {app: d8a-{{ .Application.Instance.Name }}-server}}
    spec:
      containers:
      - name: server
        image: example.com/server:1
        env: [{name: PASSWORD, value: {{ .Values.password | quote }}}]
        args: {{ .Values.tokens | toJson }}
`
)

// hook is a program that says all that it was told, and does something.
func (w *packagesMasking) hook(name, config, do string) string {
	return "#!/bin/sh\nif [ \"$1\" = --config ]; then\ncat <<'END'\nconfigVersion: v1\n" + config + `
kubernetes:
- {name: secrets, apiVersion: v1, kind: Secret, jqFilter: ".data"}
- {name: all, apiVersion: v1, kind: Secret, executeHookOnEvent: []}
- {name: maps, apiVersion: v1, kind: ConfigMap, jqFilter: ".data", executeHookOnEvent: [], labelSelector: {matchLabels: {packages.deckhouse.io/instance: ` + name + `}}}
END
exit 0
fi
cat "$VALUES_PATH" >&2
echo
cat "$BINDING_CONTEXT_PATH" >&2
cat "$CONFIG_VALUES_PATH"
` + do + "\n"
}

// json is a secret that a hook writes, as JSON.
func (w *packagesMasking) json() string {
	return "$(cat <<'SECRET'\n" + quoted(w.next()) + "\nSECRET\n)"
}

func quoted(text string) string {
	data, _ := json.Marshal(text)
	return string(data)
}

// write makes the sources of a package, each with a fault of its own.
func (w *packagesMasking) write(t *testing.T, name string) {
	t.Helper()
	files := map[string]string{
		"package.yaml":          "apiVersion: v1\ntype: Application\nname: " + name + "\nversion: v1.0.0\nstage: Preview\ndescriptions: {en: x}\n",
		"openapi/settings.yaml": maskedSettings, "openapi/values.yaml": maskedValues, "templates/all.yaml": maskedObjects,
	}
	key := `printf '{"op":"add","path":"/internal/key","value":%s}' "` + w.json() + `" >"$VALUES_JSON_PATCH_PATH"` + "\n"
	secret := func(text string) string {
		return "cat >\"$KUBERNETES_PATCH_PATH\" <<'END'\n" + text + "\nEND\n"
	}
	made := fmt.Sprintf(`{"operation":"CreateOrUpdate","object":{"apiVersion":"v1","kind":"Secret","metadata":{"name":"made"},"stringData":{"a":%s}}}`, quoted(w.next()))
	switch name {
	case "good":
		files["hooks/h.sh"] = w.hook(name, "beforeHelm: 1\nafterDeleteHelm: 1", key+secret(made))
	case "fails":
		files["hooks/h.sh"] = w.hook(name, "beforeHelm: 1", secret(made)+"exit 1")
	case "template":
		files["templates/fail.yaml"] = `{{ fail (printf "no: %s, %s" .Values.password (.Values.nested | toJson)) }}`
	case "yaml":
		files["templates/bad.yaml"] = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: d8a-x}\ndata: {a: {{ .Values.dsn }}: \"{{ .Values.password }}\n"
	case "refused":
		files["templates/bad.yaml"] = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: d8a-{{ .Application.Instance.Name }}-bad\n  labels: {a: {{ printf \"-%s-\" .Values.password | quote }}, b: {{ .Values.dsn | quote }}}\n" +
			"---\napiVersion: v1\nkind: Service\nmetadata: {name: d8a-{{ .Application.Instance.Name }}-bad}\nspec: {ports: [{port: 80, name: {{ index .Values.tokens 0 | quote }}}], type: {{ .Values.password | quote }}}\n"
	case "patch":
		files["hooks/h.sh"] = w.hook(name, "beforeHelm: 1", `printf '{"op":"add","path":"/internal/key","value":{"in":%s}}' "`+w.json()+`" >"$VALUES_JSON_PATCH_PATH"`)
	case "operation":
		files["hooks/h.sh"] = w.hook(name, "beforeHelm: 1", secret(strings.TrimSuffix(made, "}}}")+`,"b":`+quoted(w.next())))
	}
	for file, text := range files {
		writeExample(t, filepath.Join(w.home, "packages", name, filepath.FromSlash(file)), text)
	}
}

// controller runs one until stop is called.
func (w *packagesMasking) controller(t *testing.T) (stop func()) {
	t.Helper()
	log, err := os.Create(w.log)
	require.NoError(t, err)
	args := []string{"packages", "controller", "--packages-dir", filepath.Join(w.home, "bundles"), "--log-level", "debug", "--log-format", "json"}
	if w.socket != "" { // else that of the user
		args = append(args, "--socket", w.socket, "--namespaces", w.namespace)
	}
	command := exec.CommandContext(t.Context(), filepath.Join(w.bin, "kubectl-tazuna"), args...)
	command.Env = append(os.Environ(), append(w.env(), "TMPDIR="+t.TempDir())...)
	command.Stdout, command.Stderr = log, log
	require.NoError(t, command.Start())
	ended := false
	stop = func() {
		if !ended {
			ended = true
			_ = command.Process.Signal(syscall.SIGINT)
			assert.NoError(t, command.Wait())
			assert.NoError(t, log.Close())
		}
	}
	t.Cleanup(stop)
	require.Eventually(t, func() bool {
		return w.site.run(t, w.env(), "kubectl", "get", "applications,packagerepositories").code == 0
	}, patienceOfPackages, waitPause, "the kinds are not served")
	return stop
}

const patienceOfPackages = 90 * time.Second

// repositories are one that works, and two whose registry quotes what it is sent.
func (w *packagesMasking) repositories(t *testing.T) {
	t.Helper()
	echo := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		if user == "" {
			out.Header().Set("WWW-Authenticate", `Basic realm="x"`)
			http.Error(out, `{"errors":[{"code":"UNAUTHORIZED","message":"who are you"}]}`, http.StatusUnauthorized)
			return
		}
		http.Error(out, fmt.Sprintf(`{"errors":[{"code":"DENIED","message":"no to %s: %s, %s"}]}`, user, password, r.Header.Get("Authorization")), http.StatusForbidden)
	}))
	t.Cleanup(echo.Close)
	host := strings.TrimPrefix(echo.URL, "http://")
	password := func() string { return w.keep(w.word(12)) } // no line break, which no header has
	auth := base64.StdEncoding.EncodeToString([]byte("robot:" + password()))
	config := base64.StdEncoding.EncodeToString([]byte(fmt.Sprintf(`{"auths":{%q:{"auth":%q}}}`, host, w.keep(auth))))
	for name, registry := range map[string]m{
		"main":   {"repo": filepath.Join(w.home, "packages")},
		"login":  {"repo": host + "/x", "scheme": "HTTP", "login": "robot", "password": password()},
		"config": {"repo": host + "/y", "scheme": "HTTP", "dockerCfg": w.keep(config)},
	} {
		w.create(t, m{"apiVersion": "deckhouse.io/v1alpha1", "kind": "PackageRepository", "metadata": m{"name": w.repository(name)}, "spec": m{"registry": registry}})
	}
	require.Eventually(t, func() bool {
		return strings.Count(w.kubectl(t, "get", "apv", "-o", "name"), w.repository("main")) == 8
	}, patienceOfPackages, waitPause, "the packages are not found")
}

// repository is the name of a PackageRepository of this round.
func (w *packagesMasking) repository(name string) string { return w.namespace + "-" + name }

func (w *packagesMasking) create(t *testing.T, body m) {
	t.Helper()
	w.kubectl(t, "create", "-f", w.file(t, "create.json", encode(body)))
}

// application makes one with secrets in its settings.
func (w *packagesMasking) application(t *testing.T, name string) {
	t.Helper()
	settings := m{
		"password": w.next(), "tokens": list(w.next(), w.next()), "nested": m{"a": w.next(), "b": list(m{"c": w.next()})},
		"dsn": "db://" + w.next(), "open": "public",
	}
	if name == "settings" {
		settings["password"], settings["tokens"], settings["dsn"] = m{"in": w.next()}, w.next(), list(w.next())
	}
	w.create(t, m{
		"apiVersion": "deckhouse.io/v1alpha1", "kind": "Application", "metadata": m{"name": name, "namespace": w.namespace},
		"spec": m{"packageName": name, "packageVersion": "v1.0.0", "packageRepositoryName": w.repository("main"), "settings": settings},
	})
	w.apps = append(w.apps, name)
}

// settle waits until each application is as it stays.
func (w *packagesMasking) settle(t *testing.T) {
	t.Helper()
	for _, name := range w.apps {
		want := "Failed"
		if name == "good" {
			want = "Ready"
		}
		var got string
		require.Eventually(t, func() bool {
			got = w.kubectl(t, "get", "application", name, "-o", "jsonpath={.status.summary.state} {.status.summary.message}")
			return strings.HasPrefix(got, want)
		}, patienceOfPackages, waitPause, "%s never was %s", name, want)
		w.clean(t, "the summary of "+name, got)
		t.Logf("%s: %s", name, got)
	}
	assert.Contains(t, w.kubectl(t, "get", "packagerepository", "-o", "yaml"), "no to", "the registry was asked with credentials")
}

// foreignEvents are what others say about objects of the application.
func (w *packagesMasking) foreignEvents(t *testing.T) {
	t.Helper()
	live := w.kubectl(t, "get", "configmap", "d8a-good-c", "-o", "json")
	var c struct {
		Data     map[string]string
		Metadata struct{ Annotations map[string]string }
	}
	require.NoError(t, json.Unmarshal([]byte(live), &c))
	require.NotEmpty(t, w.leak(live), "the test finds nothing")
	for i, text := range []string{c.Metadata.Annotations["note"], c.Data["dsn"], c.Data["key"], c.Data["coded"]} {
		w.create(t, m{
			"apiVersion": "v1", "kind": "Event", "metadata": m{"name": fmt.Sprint("foreign-", i), "namespace": w.namespace},
			"involvedObject": m{"apiVersion": "v1", "kind": "ConfigMap", "name": "d8a-good-c", "namespace": w.namespace},
			"type":           "Warning", "reason": "Quoted", "message": "it says " + text, "lastTimestamp": time.Now().UTC().Format(time.RFC3339),
		})
	}
}

// ask runs a command of packages and looks at what it says.
func (w *packagesMasking) ask(t *testing.T, args ...string) {
	t.Helper()
	w.exec(t, nil, append([]string{"packages"}, append(args, "--socket", w.socket)...)...)
}

// exec is masking.exec without a directory for temporary files of its own.
func (w *packagesMasking) exec(t *testing.T, env []string, args ...string) {
	t.Helper()
	result := w.site.run(t, append(w.env(), env...), "kubectl-tazuna", args...)
	assert.NotContains(t, result.stderr, "panic:", "%q", args)
	assert.NotContains(t, result.stderr, "unknown flag", "%q", args)
	assert.NotContains(t, result.stderr, "no controller", "%q", args)
	w.clean(t, fmt.Sprintf("standard output of %q", args), result.stdout)
	w.clean(t, fmt.Sprintf("standard error of %q", args), result.stderr)
}

// lookInside asks the controller for everything.
func (w *packagesMasking) lookInside(t *testing.T) {
	t.Helper()
	w.ask(t, "dump", "-o", "json")
	w.ask(t, "queue", "dump", "-o", "yaml")
	w.ask(t, "scheduler", "dump")
	w.exec(t, nil, "packages", "list", "-A", "-o", "yaml")
	for _, name := range w.apps {
		full := w.namespace + "." + name
		commands := []string{"status", "explain", "logs"}
		if name == "good" || name == "refused" {
			commands = append(commands, "dump", "queue dump", "snapshots", "render", "diff")
		}
		for _, command := range commands {
			w.ask(t, append(strings.Fields(command), full)...)
		}
	}
	good := w.namespace + ".good"
	w.ask(t, "snapshots", good, "-o", "yaml")
	w.ask(t, "status", good, "-o", "json", "-v=8")
	w.ask(t, "render", good, "-o", "json", "-v=8")
	w.exec(t, nil, "packages", "events", good)
	w.exec(t, nil, "packages", "logs", good, "--workloads")
	// Other settings: neither these nor those of before.
	file := w.file(t, "settings.json", encode(m{"password": w.next(), "tokens": list(w.next()), "dsn": w.next(), "nested": m{"a": w.next()}}))
	for _, how := range [][]string{{}, {"--view=server", "-o", "json"}, {"--view=fields", "--context-lines=-1", "--explain"}} {
		w.ask(t, append([]string{"diff", good, "--settings", file}, how...)...)
	}
	w.ask(t, "diff", good, "--settings", w.file(t, "wrong.json", encode(m{"password": list(w.next()), "tokens": w.next(), "dsn": m{w.word(3): w.next()}})))
}

// inTheCluster looks at what the controller keeps there. Settings and credentials stand
// where their owners put them: spec, and status.lastAppliedConfiguration, which Deckhouse
// has as they are.
func (w *packagesMasking) inTheCluster(t *testing.T) {
	t.Helper()
	var all struct{ Items []map[string]any }
	require.NoError(t, json.Unmarshal([]byte(w.kubectl(t, "get", "applications,packagerepositories,pro,ap,apv,modules", "-A", "-o", "json")), &all))
	require.NotEmpty(t, all.Items)
	for _, item := range all.Items {
		delete(item, "spec")
		if status, ok := item["status"].(map[string]any); ok {
			delete(status, "lastAppliedConfiguration")
		}
		w.clean(t, fmt.Sprintf("%s in the cluster", item["kind"]), encode(item))
	}
	var events struct{ Items []map[string]any }
	require.NoError(t, json.Unmarshal([]byte(w.kubectl(t, "get", "events", "-A", "-o", "json")), &events))
	for _, e := range events.Items {
		if e["reason"] != "Quoted" {
			w.clean(t, "an event", encode(e))
		}
	}
}

// onTheDisk looks at the directories of the controller.
func (w *packagesMasking) onTheDisk(t *testing.T) {
	t.Helper()
	seen := 0
	for _, dir := range []string{filepath.Join(w.home, "bundles"), filepath.Dir(w.socket)} {
		require.NoError(t, filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
			if err != nil || !entry.Type().IsRegular() || strings.Contains(path, "/hooks/") { // those have theirs written in
				return err
			}
			text, err := os.ReadFile(path)
			seen++
			w.clean(t, path, string(text))
			return err
		}))
	}
	require.NotZero(t, seen)
}
