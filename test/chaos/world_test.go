package chaos

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// world is a namespace with the files of one manifest, which the namespace gives
// its name.
type world struct {
	plane
	id     string
	home   string
	client dynamic.Interface
	config *rest.Config
	runs   int
}

// newWorld makes the namespace.
func newWorld(t *testing.T, p plane, id string) *world {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", p.kubeconfig)
	require.NoError(t, err)
	config.QPS, config.WarningHandler = -1, rest.NoWarnings{}
	client, err := dynamic.NewForConfig(config)
	require.NoError(t, err)
	w := &world{plane: p, id: id, home: t.TempDir(), client: client, config: config}
	w.create(t, schema.GroupVersionResource{Version: "v1", Resource: "namespaces"},
		fmt.Sprintf(`{"apiVersion":"v1","kind":"Namespace","metadata":{"name":%q}}`, id))
	return w
}

// create makes an object that is not ours.
func (w *world) create(t *testing.T, gvr schema.GroupVersionResource, text string) {
	t.Helper()
	var u unstructured.Unstructured
	require.NoError(t, u.UnmarshalJSON([]byte(text)))
	_, err := w.client.Resource(gvr).Namespace(u.GetNamespace()).Create(t.Context(), &u, metav1.CreateOptions{FieldManager: "somebody"})
	require.NoError(t, err)
}

// write puts files into the home directory; ID is replaced by the world's name.
func (w *world) write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(w.home, name)
	require.NoError(t, os.WriteFile(path, []byte(strings.ReplaceAll(text, "ID", w.id)), 0o600))
	return path
}

// outcome is how a run of our program ended.
type outcome struct {
	code   int
	killed bool
	text   string // what it printed on both streams
}

// started is a run on its way.
type started struct {
	command *exec.Cmd
	out     *bytes.Buffer
	agent   string
	pidFile string
}

// longestRun ends a run that hangs, far beyond what any takes.
const longestRun = 5 * time.Minute

// prepare makes a run without starting it, so that rules can be made for it.
func (w *world) prepare(t *testing.T, args ...string) *started {
	t.Helper()
	w.runs++
	s := &started{
		agent:   fmt.Sprintf("kubectl-tazuna/chaos-%s-%d.", w.id, w.runs),
		pidFile: filepath.Join(w.home, fmt.Sprintf("pid-%d", w.runs)),
		out:     &bytes.Buffer{},
	}
	// The shell writes its own pid before it becomes our program: a rule that fires
	// on the very first request finds it.
	script := fmt.Sprintf("echo $$ >%q; exec %q \"$@\"", s.pidFile, filepath.Join(w.bin, "kubectl-tazuna"))
	ctx, cancel := context.WithTimeout(t.Context(), longestRun)
	t.Cleanup(cancel)
	s.command = exec.CommandContext(ctx, "sh", append([]string{"-c", script, "sh"}, args...)...)
	s.command.Env = append(os.Environ(), "HOME="+w.home, "XDG_CACHE_HOME=", "KUBECONFIG="+w.kubeconfig, "TAZUNA_TEST_USER_AGENT="+s.agent)
	s.command.Stdout, s.command.Stderr = s.out, s.out
	return s
}

// end waits for a run.
func (s *started) end(t *testing.T) outcome {
	t.Helper()
	err := s.command.Wait()
	state := s.command.ProcessState
	require.NotNil(t, state, "%v", err)
	return outcome{code: state.ExitCode(), killed: !state.Exited(), text: s.out.String()}
}

// run does a whole run.
func (s *started) run(t *testing.T) outcome {
	t.Helper()
	require.NoError(t, s.command.Start())
	return s.end(t)
}

// apply are the arguments for applying a file as the world's manifest.
func (w *world) apply(file string, more ...string) []string {
	return append([]string{"apply", "--yes", "-f", file, "--manifest", w.id, "-n", w.id, "--prune", "--prune-protected", "--summary"}, more...)
}

// must does a run that nothing disturbs and that has to end well.
func (w *world) must(t *testing.T, args ...string) outcome {
	t.Helper()
	o := w.prepare(t, args...).run(t)
	require.Equal(t, 0, o.code, "kubectl-tazuna %q: %s", args, o.text)
	return o
}

// recover is what a person does after a run of which nobody knows how far it got:
// the same once more. The lock of a dead run would be waited out; who knows that it
// is dead takes it away.
func (w *world) recover(t *testing.T, file string) {
	t.Helper()
	w.must(t, "state", "unlock", "--yes", w.id)
	w.must(t, w.apply(file)...)
	again := w.must(t, w.apply(file)...)
	require.Contains(t, again.text, "Nothing to do", "the second run is empty")
}
