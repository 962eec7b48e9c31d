package debug

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/report"
)

// Transport carries a question to a controller and gives its answer: the status and
// the body. Socket is one; the pod of a controller in a cluster is reached by another.
type Transport interface {
	Get(ctx context.Context, path string, query url.Values) (status int, body []byte, err error)
}

// mostAnswer bounds an answer, in bytes.
const mostAnswer = 256 << 20

// Socket asks a controller on this machine.
type Socket struct{ Path string }

// Get asks. Errors tell whether there is no controller, one that has ended, or one of
// somebody else.
func (s Socket) Get(ctx context.Context, path string, query url.Values) (int, []byte, error) {
	if _, err := os.Lstat(s.Path); err != nil {
		return 0, nil, s.explain(err)
	}
	if err := isPrivate(filepath.Dir(s.Path)); err != nil {
		return 0, nil, err
	}
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{Timeout: answerTime}).DialContext(ctx, "unix", s.Path)
	}}
	defer transport.CloseIdleConnections()
	where := url.URL{Scheme: "http", Host: "controller", RawQuery: query.Encode()}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, where.String(), http.NoBody)
	if err != nil {
		return 0, nil, err
	}
	r.URL.Path, r.URL.RawPath = unescaped(path), path
	resp, err := (&http.Client{Transport: transport}).Do(r)
	if err != nil {
		return 0, nil, s.explain(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, mostAnswer+1))
	if err == nil && len(body) > mostAnswer {
		err = fmt.Errorf("answer of the controller: more than %d bytes", mostAnswer)
	}
	return resp.StatusCode, body, err
}

func unescaped(path string) string {
	plain, err := url.PathUnescape(path)
	if err != nil {
		return path
	}
	return plain
}

// explain says what an error of the connection means.
func (s Socket) explain(err error) error {
	var why string
	switch {
	case errors.Is(err, fs.ErrNotExist):
		why = "no controller of this cluster runs on this machine"
	case errors.Is(err, syscall.ECONNREFUSED):
		why = "the controller of this cluster has ended without taking away its socket"
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("debug socket %s: permission refused: only the user who runs the controller can ask it", s.Path)
	case len(s.Path) > longestPath:
		return fmt.Errorf("debug socket %s: the path is longer than a socket can have (%d bytes)", s.Path, longestPath)
	default:
		return fmt.Errorf("debug socket %s: %w", s.Path, err)
	}
	return &NoControllerError{Path: s.Path, Why: why}
}

// NoControllerError says that nobody answers.
type NoControllerError struct{ Path, Why string }

// Error tells what to do about it.
func (e *NoControllerError) Error() string {
	return fmt.Sprintf("%s (%s): start one with \"packages controller\"", e.Why, e.Path)
}

// NotHeldError says that the controller holds no such application.
type NotHeldError struct{ Text string }

// Error is the answer of the controller, which names others that may be meant.
func (e *NotHeldError) Error() string { return e.Text }

// Client asks a controller.
type Client struct {
	Transport Transport
	// Secrets asks for what is masked otherwise.
	Secrets bool
}

// Instances asks for all applications.
func (c Client) Instances(ctx context.Context) (*report.Instances, error) {
	return ask[report.Instances](ctx, c, "packages/dump", "")
}

// Instance asks for one application.
func (c Client) Instance(ctx context.Context, name string) (*report.Instance, error) {
	return ask[report.Instance](ctx, c, "packages/dump", name)
}

// Snapshots asks for what the hooks of an application see.
func (c Client) Snapshots(ctx context.Context, name string) (*report.Snapshots, error) {
	return ask[report.Snapshots](ctx, c, "packages/snapshots/"+url.PathEscape(name), "")
}

// Queues asks for the queues of an application; "" is all.
func (c Client) Queues(ctx context.Context, name string) (*report.Queues, error) {
	return ask[report.Queues](ctx, c, "queues/dump", name)
}

// Scheduler asks for the graph.
func (c Client) Scheduler(ctx context.Context) (*report.Scheduler, error) {
	return ask[report.Scheduler](ctx, c, "scheduler/dump", "")
}

// Node asks for one node of the graph.
func (c Client) Node(ctx context.Context, name string) (*report.Node, error) {
	return ask[report.Node](ctx, c, "scheduler/dump", name)
}

// Render asks for the objects of an application, as YAML documents.
func (c Client) Render(ctx context.Context, name string) (string, error) {
	body, err := c.get(ctx, "packages/render/"+url.PathEscape(name), "")
	return string(body), err
}

func ask[T any](ctx context.Context, c Client, path, name string) (*T, error) {
	body, err := c.get(ctx, path, name)
	if err != nil {
		return nil, err
	}
	answer := new(T)
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	if err := decoder.Decode(answer); err != nil {
		return nil, fmt.Errorf("answer of the controller: %w", err)
	}
	return answer, nil
}

func (c Client) get(ctx context.Context, path, name string) ([]byte, error) {
	query := url.Values{}
	if name != "" {
		query.Set("name", name)
	}
	if c.Secrets {
		query.Set("secrets", "show")
	}
	status, body, err := c.Transport.Get(ctx, prefix+path, query)
	if err != nil {
		return nil, err
	}
	text := strings.TrimSpace(string(body))
	switch {
	case status == http.StatusNotFound && strings.Contains(text, "application "): // and not the path
		return nil, &NotHeldError{text}
	case status != http.StatusOK:
		return nil, errors.New(text)
	}
	return body, nil
}
