package remote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/remotecommand"
	"k8s.io/client-go/util/exec"
	"k8s.io/streaming/pkg/httpstream"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/debug"
)

// DefaultLimit is how long a command may take: a comparison may take three minutes.
const DefaultLimit = 4 * time.Minute

// mostErrors bounds what is kept of a command's stderr, in bytes.
const mostErrors = 64 << 10

// Streams runs commands through the API server, as kubectl exec does: over a WebSocket,
// and over SPDY where the way to the server lets none through.
type Streams struct {
	// Config is how the server is reached.
	Config *rest.Config
	// Limit bounds the time of a command; 0 is DefaultLimit.
	Limit time.Duration
	// Most bounds its output in bytes; 0 is debug.MostAnswer.
	Most int
}

// Reasons why a command's output isn't whole.
var (
	errSlow = errors.New("the time limit is over")
	errFull = errors.New("the output is too long")
)

// Run runs a command.
func (s Streams) Run(ctx context.Context, c Container, command []string, input []byte) (Output, error) {
	limit, most := s.Limit, s.Most
	if limit == 0 {
		limit = DefaultLimit
	}
	if most == 0 {
		most = debug.MostAnswer
	}
	var refusal *httpstream.UpgradeFailureError // of the WebSocket
	executor, err := s.executor(c, command, len(input) > 0, &refusal)
	if err != nil {
		return Output{}, fmt.Errorf("%s: %w", c, err)
	}
	ctx, stop := context.WithTimeoutCause(ctx, limit, errSlow)
	defer stop()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	out := &bounded{most: most, full: func() { cancel(errFull) }}
	errOut := &bounded{most: mostErrors, full: func() {}}
	options := remotecommand.StreamOptions{Stdout: out, Stderr: errOut}
	if len(input) > 0 {
		options.Stdin = bytes.NewReader(input)
	}
	err = executor.StreamWithContext(ctx, options)
	o := Output{Stdout: out.taken(), Stderr: errOut.taken()}
	if cause := context.Cause(ctx); cause != nil {
		return o, interrupted(c, cause, limit, most)
	}
	var status apierrors.APIStatus
	if err != nil && refusal != nil && errors.As(refusal.Cause, &status) {
		err = refusal.Cause // which was refused over SPDY, too, but there only as a text
	}
	return o, o.ended(c, command[0], err)
}

// executor prepares a command. What refuses a WebSocket is kept: SPDY is tried then.
func (s Streams) executor(c Container, command []string, input bool, refusal **httpstream.UpgradeFailureError) (remotecommand.Executor, error) {
	config := rest.CopyConfig(s.Config)
	config.Timeout = 0 // of requests; a stream has its own
	base, _, err := rest.DefaultServerUrlFor(config)
	if err != nil {
		return nil, err
	}
	where := base.JoinPath("api", "v1", "namespaces", c.Namespace, "pods", c.Pod, "exec")
	where.RawQuery = url.Values{
		"container": {c.Name}, "command": command, "stdin": {strconv.FormatBool(input)}, "stdout": {"true"}, "stderr": {"true"},
	}.Encode()
	spdy, err := remotecommand.NewSPDYExecutor(config, http.MethodPost, where)
	if err != nil {
		return nil, err
	}
	socket, err := remotecommand.NewWebSocketExecutor(config, http.MethodGet, where.String())
	if err != nil {
		return nil, err
	}
	return remotecommand.NewFallbackExecutor(socket, spdy, func(err error) bool {
		return errors.As(err, refusal) || httpstream.IsHTTPSProxyError(err)
	})
}

// interrupted says why it was ended before its time.
func interrupted(c Container, cause error, limit time.Duration, most int) error {
	switch {
	case errors.Is(cause, errSlow):
		return fmt.Errorf("%s: no whole answer within %s", c, limit)
	case errors.Is(cause, errFull):
		return fmt.Errorf("%s: the answer has more than %d bytes, so it is cut off", c, most)
	}
	return cause
}

// absentProgram are the words of container runtimes for a program that isn't there.
var absentProgram = regexp.MustCompile(`executable file not found|no such file or directory`)

// ended sorts what an exec ended with into codes and errors, and keeps the code.
func (o *Output) ended(c Container, program string, err error) error {
	var exit exec.ExitError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &exit) && exit.Exited() && exit.ExitStatus() != codeMissing && exit.ExitStatus() != codeNoProgram:
		o.Code = exit.ExitStatus()
		return nil
	case errors.As(err, &exit), absentProgram.MatchString(err.Error()):
		return &MissingError{c, program}
	case apierrors.IsForbidden(err):
		return fmt.Errorf("you may not run commands in %s: wanted the right to create and get pods/exec in the namespace %s, found: %w", c, c.Namespace, err)
	case apierrors.IsNotFound(err):
		return fmt.Errorf("%s is gone: %w", c, err)
	}
	return fmt.Errorf("%s: the command could not be run to its end: %w", c, err)
}

// Codes that runtimes report for a program that can't be started or isn't there.
const (
	codeNoProgram = 126
	codeMissing   = 127
)

// bounded keeps what is written, up to a number of bytes.
type bounded struct {
	most int
	full func()

	mu   sync.Mutex
	text bytes.Buffer
}

// Write keeps what fits and takes the rest, so that the other side isn't held up.
func (b *bounded) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	keep := min(len(p), b.most-b.text.Len())
	b.text.Write(p[:keep])
	if keep < len(p) {
		b.full()
	}
	return len(p), nil
}

// taken is what was written so far.
func (b *bounded) taken() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	return bytes.Clone(b.text.Bytes())
}
