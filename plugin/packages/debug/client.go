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

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/report"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

// Transport carries a question to a controller and gives its answer: the status and
// the body. Socket is one; the pod of a controller in a cluster is reached by another.
type Transport interface {
	Get(ctx context.Context, path string, query url.Values) (status int, body []byte, err error)
}

// MostAnswer bounds an answer, in bytes.
const MostAnswer = 256 << 20

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
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return s.dial(ctx) }}
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
	body, err := io.ReadAll(io.LimitReader(resp.Body, MostAnswer+1))
	if err == nil && len(body) > MostAnswer {
		err = fmt.Errorf("answer of the controller: more than %d bytes", MostAnswer)
	}
	return resp.StatusCode, body, err
}

// Answers tells whether there is a controller: nil, *NoControllerError, or why that
// can't be known.
func (s Socket) Answers(ctx context.Context) error {
	if _, err := os.Lstat(s.Path); err != nil {
		return s.explain(err)
	}
	if err := isPrivate(filepath.Dir(s.Path)); err != nil {
		return err
	}
	conn, err := s.dial(ctx)
	if err != nil {
		return s.explain(err)
	}
	return conn.Close()
}

func (s Socket) dial(ctx context.Context) (net.Conn, error) {
	return (&net.Dialer{Timeout: answerTime}).DialContext(ctx, "unix", s.Path)
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

// Client asks a controller. Whatever the other side masks is masked here again, as far
// as it can be told from the answer (Guard).
type Client struct {
	Transport Transport
	// Secrets asks for what is masked otherwise.
	Secrets bool
}

// Instances asks for all applications.
func (c Client) Instances(ctx context.Context) (*report.Instances, error) {
	all, err := ask[report.Instances](ctx, c, "packages/dump", "")
	if err != nil {
		return nil, err
	}
	for name, one := range all.Apps {
		all.Apps[name] = c.guard().Instance(one)
	}
	return all, nil
}

// Instance asks for one application.
func (c Client) Instance(ctx context.Context, name string) (*report.Instance, error) {
	one, err := ask[report.Instance](ctx, c, "packages/dump", name)
	if err != nil {
		return nil, err
	}
	*one = c.guard().Instance(*one)
	return one, nil
}

// Snapshots asks for what the hooks of an application see.
func (c Client) Snapshots(ctx context.Context, name string) (*report.Snapshots, error) {
	all, err := ask[report.Snapshots](ctx, c, "packages/snapshots/"+url.PathEscape(name), "")
	if err != nil {
		return nil, err
	}
	*all = c.guard().Snapshots(*all)
	return all, nil
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
	if err != nil {
		return "", err
	}
	return c.guard().Render(string(body))
}

func (c Client) guard() Guard { return Guard{Show: c.Secrets} }

// Parameters of packages/diff.
const (
	versionParameter  = "version"
	settingsParameter = "settings"
	viewParameter     = "view"
)

// Diff asks what an apply would do to the objects of an application. full asks for them
// as a whole.
func (c Client) Diff(ctx context.Context, name string, w Wanted, full bool) (*plan.Report, error) {
	query := url.Values{}
	if w.Version != "" {
		query.Set(versionParameter, w.Version)
	}
	if w.Settings != nil {
		settings, err := object.EncodeJSON(w.Settings)
		if err != nil {
			return nil, fmt.Errorf("settings: %w", err)
		}
		query.Set(settingsParameter, string(settings))
	}
	if full {
		query.Set(viewParameter, "server")
	}
	return decoded[plan.Report](c.send(ctx, "packages/diff/"+url.PathEscape(name), query))
}

func ask[T any](ctx context.Context, c Client, path, name string) (*T, error) {
	return decoded[T](c.get(ctx, path, name))
}

// decoded reads an answer.
func decoded[T any](body []byte, err error) (*T, error) {
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
	return c.send(ctx, path, query)
}

// send asks with parameters of its own.
func (c Client) send(ctx context.Context, path string, query url.Values) ([]byte, error) {
	if c.Secrets {
		query.Set("secrets", "show")
	}
	status, body, err := c.Transport.Get(ctx, Prefix+path, query)
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
