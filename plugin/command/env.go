package command

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"

	"golang.org/x/term"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/utils/clock"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
	"github.com/kubectl-tazuna/kubectl-tazuna/printers"
)

// Env is what commands get from outside: streams, environment, clock, version.
type Env struct {
	genericiooptions.IOStreams
	Getenv func(string) string
	// LookupEnv tells an empty variable from one that is not set; may be nil.
	LookupEnv func(string) (string, bool)
	// Exit ends the process at once, on the second signal.
	Exit    func(code int)
	Clock   clock.WithTicker
	Version string
	// Name is how the user called us: "kubectl tazuna" or "kubectl-tazuna".
	Name string
	// flags are kubectl's connection flags, shared by all commands.
	flags *genericclioptions.ConfigFlags
	color string
	// verbosity is the level of the libraries' log.
	verbosity int
	// profile is what --profile asks for.
	profile profile
	// tracing is what --otlp-endpoint asks for.
	tracing tracing
	// live is the table that a run draws on stderr, nil while there is none.
	live atomic.Pointer[printers.Live]
	// lost is the first error of writing events to stdout.
	lost error
	// window bounds the requests in flight; 0 means the client's 16.
	window int
}

// SystemEnv is the environment of the running process, which exit ends.
func SystemEnv(version string, exit func(code int)) *Env {
	return &Env{
		IOStreams: genericiooptions.IOStreams{In: os.Stdin, Out: os.Stdout, ErrOut: os.Stderr},
		Exit:      exit,
		Getenv:    os.Getenv, LookupEnv: os.LookupEnv, Clock: clock.RealClock{}, Version: version, Name: invokedAs(os.Args[0], os.Getenv),
	}
}

// invokedAs tells plugin mode from standalone mode: kubectl 1.37 and later set
// KUBECTL_PATH, older ones start us by our absolute path.
func invokedAs(arg0 string, getenv func(string) string) string {
	base := filepath.Base(arg0)
	if getenv("KUBECTL_PATH") != "" || filepath.IsAbs(arg0) && strings.HasPrefix(base, "kubectl-") {
		return "kubectl tazuna"
	}
	return "kubectl-tazuna"
}

// connect makes the client of the selected context. It sends no request.
func (e *Env) connect() (*cluster.Client, error) {
	plugins, err := e.credentialPlugins()
	if err != nil {
		return nil, err
	}
	return cluster.Connect(cluster.Options{
		Getter: e.flags, Plugins: plugins, UserAgent: e.userAgent(), FieldManager: "tazuna", CacheDir: cacheDir(),
		Warn: e.warn, Clock: e.Clock, Limiter: cluster.NewLimiter(e.window, e.Clock), Scrub: object.Scrub,
	})
}

func (e *Env) userAgent() string {
	if ua := e.Getenv("TAZUNA_TEST_USER_AGENT"); ua != "" {
		return ua
	}
	return fmt.Sprintf("kubectl-tazuna/%s (%s/%s)", e.Version, runtime.GOOS, runtime.GOARCH)
}

// cacheDir is empty, and caching off, where the user has no cache directory.
func cacheDir() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "kubectl-tazuna")
}

// store reads and writes the records of the connected cluster.
func (e *Env) store(c *cluster.Client) *state.Store {
	return &state.Store{
		Client: c, Clock: e.Clock, Identity: e.identity(), LazyBodies: true,
		OnWait: func(l state.Lock) {
			e.note("waiting for another run: %s; if that died, its lock runs out soon, or `%s state unlock %s` removes it", l, e.Name, l.Manifest)
		},
	}
}

// identity says who we are, as far as the machine tells.
func (e *Env) identity() state.Identity {
	id := state.Identity{PID: os.Getpid(), ToolVersion: e.Version}
	if u, err := user.Current(); err == nil {
		id.User = u.Username
	}
	if host, err := os.Hostname(); err == nil {
		id.Host = host
	}
	return id
}

// warn and note go to stderr: stdout is for data.
func (e *Env) warn(text string) { e.note("Warning: %s", text) }

func (e *Env) note(format string, args ...any) {
	text := printers.Message(fmt.Sprintf(format, args...))
	if live := e.live.Load(); live != nil {
		live.Println(text)
		return
	}
	fmt.Fprintln(e.ErrOut, text)
}

// colors decides whether a stream gets colours.
func (e *Env) colors(w io.Writer) (bool, error) {
	return printers.ColorEnabled(e.color, e.Getenv, isTerminal(w))
}

func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// interruptible returns a context that a first signal cancels with a cause that
// ExitCode knows.
func interruptible(ctx context.Context, signals <-chan os.Signal) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-signals:
			cancel(errInterrupted)
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}
