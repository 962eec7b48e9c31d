package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// reader is somebody who does what a document says.
type reader struct {
	// prepare is a shell script that makes what the document takes for granted.
	prepare string
	// fill are pairs: what a reader replaces, and with what.
	fill []string
	// cannot are beginnings of commands that can't be done here, with the reason.
	cannot map[string]string
	// patience is how long what a console block shows may take to come.
	patience time.Duration
}

const (
	oneObject = `printf '%s\n' 'apiVersion: v1' 'kind: ConfigMap' 'metadata: {name: settings}' 'data: {mode: fast}' >`
	oneFile   = `printf '%s\n' 'spec:' '  manifests:' '  - {name: web, type: yaml, path: web}' >tazuna.yaml
mkdir web
` + oneObject + `web/settings.yaml
`
	applied = oneFile + "kubectl tazuna apply --yes\n"
	// kappApp is what `kapp deploy -a web` leaves.
	kappApp = `kubectl create configmap web --from-literal='spec={"labelKey":"kapp.k14s.io/app","labelValue":"17"}'
kubectl label configmap web kapp.k14s.io/is-app=
kubectl create --field-manager=kapp configmap settings --from-literal=mode=fast
kubectl label --field-manager=kapp configmap settings kapp.k14s.io/app=17 kapp.k14s.io/association=v1.1
kubectl annotate --field-manager=kapp configmap settings "kapp.k14s.io/identity=v1;$NAMESPACE//ConfigMap/settings;v1"
`
)

// kindsOfPackages starts the controller for as long as it takes until its kinds are
// there.
const kindsOfPackages = `dir=$(mktemp -d)
kubectl tazuna packages controller --socket "$dir/s" --packages-dir "$dir" --metrics-bind-address= >"$dir/log" 2>&1 &
controller=$!
tries=0
until kubectl wait --for=condition=Established crd/applications.deckhouse.io crd/modules.deckhouse.io crd/packagerepositories.deckhouse.io crd/packagerepositoryoperations.deckhouse.io; do
	tries=$((tries + 1))
	[ $tries -lt 120 ] || { cat "$dir/log"; exit 1; }
	sleep 0.5
done
kill -INT $controller
wait $controller
rm -rf "$dir"
`

// readers are those of the documents whose commands need a cluster. ci.md and
// packages.md have tests of their own.
func readers() map[string]reader {
	return map[string]reader{
		"docs/quick-start.md": {},
		"README.md": {
			prepare: `kubectl config rename-context "$(kubectl config current-context)" prod-1
mkdir -p platform overlays/prod manifests
` + oneObject + `platform/a.yaml
sed s/settings/more/ platform/a.yaml >overlays/prod/b.yaml
sed s/settings/plain/ platform/a.yaml >manifests/c.yaml
echo 'resources: [b.yaml]' >overlays/prod/kustomization.yaml
`,
			cannot: map[string]string{
				"make": "a target of its own", "cp bin/": "writes outside of the test", "kubectl tazuna completion kubectl --install": "see completion.txtar",
			},
		},
		"docs/install.md": {
			cannot: map[string]string{
				"kubectl krew": "see release-check", "make build": "what is tested is built already", "cp bin/": "writes outside of the test",
				"curl ": "there is no release yet", "sha256sum ": "there is no release yet", "tar ": "there is no release yet",
				"kubectl-tazuna completion bash >": "writes outside of the test", "kubectl tazuna completion kubectl --install": "see completion.txtar and release-check",
				"source ": "for a shell that goes on",
			},
		},
		"docs/coming-from.md": {
			prepare: kappApp + oneObject + "old.yaml\nkubectl label --local -f old.yaml app=legacy -o yaml | sed s/settings/old/ | kubectl apply -f -\n",
			fill:    []string{"web        # or: helm RELEASE, applyset ID", "web"},
		},
		"docs/state.md": {
			prepare: kappApp + oneObject + "old.yaml\nkubectl label --local -f old.yaml app=web -o yaml | sed s/settings/old/ | kubectl apply -f -\n",
			fill:    []string{"APP", "web"},
			cannot: map[string]string{
				"kubectl tazuna state adopt web --from helm": "see state-adopt.txtar", "kubectl tazuna state adopt web --from applyset": "see state-adopt.txtar",
			},
		},
		"docs/leaving.md":         {prepare: applied, fill: []string{"label KIND NAME", "label configmap settings", "delete namespace tazuna", "delete namespace tazuna; kubectl create namespace tazuna"}},
		"docs/troubleshooting.md": {prepare: applied, fill: []string{"KIND/NAME", "configmap/settings"}},
		"docs/rules.md":           {prepare: applied},
		"docs/packages-controller.md": {
			prepare: kindsOfPackages,
			cannot: map[string]string{
				"kubectl tazuna packages controller": "runs until somebody ends it: see packages-controller.txtar",
				"kubectl tazuna packages install":    "there is no image: see packages-install.txtar", "kubectl tazuna packages uninstall": "see packages-install.txtar",
			},
		},
		"docs/events.md": {prepare: oneFile, cannot: withoutProgram("jq", "kubectl tazuna apply --yes -o events |")},
	}
}

// withoutProgram are commands that can't be run where a program is missing.
func withoutProgram(program, command string) map[string]string {
	if _, err := exec.LookPath(program); err != nil {
		return map[string]string{command: "there is no " + program}
	}
	return nil
}

// TestDocuments does what the documents say, each from an empty home directory. A file
// that a block names is written, commands are run in order, and what a console block
// shows is compared with what is printed; "..." stands for any text.
//
//nolint:tparallel // the documents are read one after the other: they use one record
func TestDocuments(t *testing.T) {
	t.Parallel()
	s := newSite(t).startOwn(t) // one of them deletes namespace tazuna
	readers := readers()
	for _, name := range keysOf(readers) {
		document, err := os.ReadFile(filepath.Join(repository(t), name))
		require.NoError(t, err)
		b := s.newSandbox(t, strings.ToLower(strings.TrimSuffix(filepath.Base(name), ".md")))
		t.Run(name, func(t *testing.T) {
			b.follow(t, readers[name], string(document))
		})
		// The next one has other manifests with the same names.
		b.run(t, b.env(), "kubectl", "delete", "configmap,secret,lease", "--all", "-n", "tazuna")
	}
}

func keysOf(m map[string]reader) []string {
	var keys []string
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// follow has one reader do what one document says.
func (b *sandbox) follow(t *testing.T, r reader, document string) {
	t.Helper()
	if r.prepare != "" {
		out, code := b.shell(t, r.prepare)
		require.Zero(t, code, out)
	}
	done := 0
	for _, block := range fence.FindAllStringSubmatch(document, -1) {
		kind, name, _ := strings.Cut(block[1], " ")
		switch {
		case name != "":
			writeExample(t, filepath.Join(b.home, filepath.FromSlash(name)), block[2])
		case kind == "yaml" && isObject(block[2]):
			b.accepts(t, block[2])
		case kind == "console":
			for _, step := range strings.Split("\n"+block[2], "\n$ ")[1:] {
				command, want, _ := strings.Cut(step, "\n")
				b.does(t, r, command, &want)
				done++
			}
		case kind == "sh":
			for _, command := range commandsOf(block[2]) {
				b.does(t, r, command, nil)
				done++
			}
		}
	}
	assert.NotZero(t, done, "the commands are not found any more")
}

var inNamespace = regexp.MustCompile(`namespace: ([a-z-]+)`)

// isObject tells an object of a cluster from other examples and parts of objects.
func isObject(text string) bool {
	version, ok := strings.CutPrefix(text, "apiVersion: ")
	return ok && !strings.HasPrefix(version, "kapp.k14s.io/") && !strings.HasPrefix(version, "tazuna.pepabo.com/")
}

// accepts has the API server judge an object that a document shows.
func (b *sandbox) accepts(t *testing.T, object string) {
	t.Helper()
	b.file(t, "example.yaml", object)
	script := "kubectl create --dry-run=server --validate=strict -f example.yaml"
	if namespace := inNamespace.FindStringSubmatch(object); namespace != nil {
		script = "kubectl get namespace " + namespace[1] + " || kubectl create namespace " + namespace[1] + "\n" + script
	}
	out, code := b.shell(t, script)
	require.Zero(t, code, "%s\n%s", object, out)
}

// does runs one command of a document, unless it can't be done here.
func (b *sandbox) does(t *testing.T, r reader, command string, want *string) {
	t.Helper()
	for beginning, reason := range r.cannot {
		if strings.HasPrefix(command, beginning) {
			t.Logf("not run (%s): %s", reason, command)
			return
		}
	}
	command = agree(strings.NewReplacer(r.fill...).Replace(command))
	out, code := b.shell(t, command)
	for begun := time.Now(); want != nil && time.Since(begun) < r.patience && !shows(out, *want); {
		time.Sleep(waitPause)
		out, code = b.shell(t, command)
	}
	allowed := []int{0}
	if compares.MatchString(command) {
		allowed = append(allowed, 1) // there are differences
	}
	require.Contains(t, allowed, code, "%s\n%s", command, out)
	if want != nil {
		assert.Regexp(t, "(?s)^"+pattern(*want)+"\n*$", out, command)
	}
}

// shows tells whether an output is the one that a document has.
func shows(out, want string) bool {
	return regexp.MustCompile("(?s)^" + pattern(want) + "\n*$").MatchString(out)
}

var (
	// asks are our commands that ask before they write.
	asks     = regexp.MustCompile(`^(kubectl tazuna (?:apply|destroy|state (?:adopt|forget|rebuild|sync))\b[^#|]*)`)
	compares = regexp.MustCompile(`^kubectl tazuna (diff|plan)\b`)
)

// agree answers the question that a command asks a person.
func agree(command string) string {
	if strings.Contains(command, "--yes") {
		return command
	}
	return asks.ReplaceAllStringFunc(command, func(s string) string { return strings.TrimRight(s, " ") + " --yes " })
}

// commandsOf splits a block into commands; a line that ends in | or \ goes on.
func commandsOf(block string) []string {
	var out []string
	open := false
	for _, line := range strings.Split(strings.TrimRight(block, "\n"), "\n") {
		if open {
			out[len(out)-1] += "\n" + line
		} else if line != "" && !strings.HasPrefix(line, "#") {
			out = append(out, line)
		}
		open = strings.HasSuffix(line, "|") || strings.HasSuffix(line, `\`)
	}
	return out
}

// pattern is a regular expression for an output with "..." in it.
func pattern(want string) string {
	parts := strings.Split(strings.TrimRight(want, "\n"), "...")
	for i := range parts {
		parts[i] = regexp.QuoteMeta(parts[i])
	}
	return strings.Join(parts, ".*")
}

// shell runs a script in the home directory with our programs on its PATH, and
// returns what a person sees and the exit code.
func (b *sandbox) shell(t *testing.T, script string) (string, int) {
	t.Helper()
	shell := exec.CommandContext(t.Context(), "sh", "-euc", script)
	shell.Dir = b.home
	shell.Env = append(os.Environ(), append(b.env(), "NAMESPACE="+b.namespace, "PATH="+b.bin+string(os.PathListSeparator)+os.Getenv("PATH"))...)
	out, err := shell.CombinedOutput()
	code, err := exitCode(err)
	require.NoError(t, err)
	return string(out), code
}

func TestCommandsOf(t *testing.T) {
	assert.Equal(t, []string{"a # x", "b |\n  c", "d \\\n  e"}, commandsOf("a # x\n\n# no\nb |\n  c\nd \\\n  e\n"))
	assert.Equal(t, "kubectl tazuna apply -k x --yes ", agree("kubectl tazuna apply -k x"))
	assert.Equal(t, "kubectl tazuna apply --yes # why", agree("kubectl tazuna apply # why"))
	assert.Equal(t, "kubectl tazuna diff", agree("kubectl tazuna diff"))
}

// TestEveryCommandIsRead holds that no document has commands that nobody runs.
func TestEveryCommandIsRead(t *testing.T) {
	elsewhere := map[string]string{
		"docs/ci.md": "TestRecipesOfCI", "docs/packages.md": "TestPackagesDocument",
		"docs/packages-troubleshooting.md": "TestPackagesTroubleshooting",
		"docs/packages-objects.md":         "packages-release.txtar, in which Helm looks",
		"docs/performance.md":              "make bench", "docs/diff-oracle.md": "TestOracle, for hours",
	}
	files, err := filepath.Glob(filepath.Join(repository(t), "docs", "*.md"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	read := readers()
	for _, file := range files {
		document, err := os.ReadFile(file)
		require.NoError(t, err)
		name := "docs/" + filepath.Base(file)
		if _, ok := read[name]; ok || elsewhere[name] != "" {
			continue
		}
		for _, block := range fence.FindAllStringSubmatch(string(document), -1) {
			assert.NotContains(t, []string{"sh", "console"}, block[1], "%s: nobody runs\n%s", name, block[2])
		}
	}
}
