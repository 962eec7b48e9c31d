package debug

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/render"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/report"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/schedule"
)

// Prefix is that of all paths.
const Prefix = "/api/v1/"

// Handler answers questions from a Provider.
func Handler(p Provider) http.Handler {
	s := server{p}
	mux := http.NewServeMux()
	for path, answer := range map[string]answerer{
		"packages/dump":             s.dump,
		"packages/render/{name}":    s.render,
		"packages/snapshots/{name}": s.snapshots,
		"packages/diff/{name}":      s.diff,
		"packages/logs/{name}":      s.logs,
		"queues/dump":               s.queues,
		"scheduler/dump":            s.scheduler,
		"requirements/dump":         s.requirements,
	} {
		mux.Handle("GET "+Prefix+path, answer)
	}
	return mux
}

// question is one request.
type question struct {
	name string // "" is all
	show bool
	// more are the parameters that only one question has.
	more url.Values
}

// answerer gives a value to encode, or YAML text.
type answerer func(ctx context.Context, q question) (any, error)

// yamlText is an answer that is text already.
type yamlText string

// statusError is an error with its HTTP status.
type statusError struct {
	status int
	text   string
}

func (e *statusError) Error() string { return e.text }

// ServeHTTP reads the question, and writes answer or error.
func (a answerer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	format := query.Get("output")
	if format != "" && format != "json" && format != "yaml" {
		http.Error(w, fmt.Sprintf("unknown output '%s', want json or yaml", format), http.StatusBadRequest)
		return
	}
	q := question{name: query.Get("name"), show: query.Get("secrets") == "show", more: query}
	if part := r.PathValue("name"); part != "" {
		q.name = part
	}
	answer, err := a(r.Context(), q)
	if err != nil {
		fail(w, err)
		return
	}
	contentType, data, err := encode(answer, format)
	if err != nil {
		fail(w, err)
		return
	}
	w.Header().Set("Content-Type", contentType)
	_, _ = w.Write(data) // whoever asked may have gone
}

func fail(w http.ResponseWriter, err error) {
	status := http.StatusInternalServerError
	var known *statusError
	if errors.As(err, &known) {
		status = known.status
	}
	http.Error(w, err.Error(), status)
}

func encode(answer any, format string) (contentType string, data []byte, err error) {
	if text, ok := answer.(yamlText); ok {
		return "application/yaml", []byte(text), nil
	}
	data, err = json.Marshal(answer)
	if err != nil {
		return "", nil, fmt.Errorf("encode the answer: %w", err)
	}
	if format == "yaml" {
		data, err = yaml.JSONToYAML(data)
		return "application/yaml", data, err
	}
	return "application/json", append(data, '\n'), nil
}

type server struct{ Provider }

func (s server) notFound(name string) error {
	return &statusError{http.StatusNotFound, Unknown(name, s.Names())}
}

func (s server) dump(_ context.Context, q question) (any, error) {
	if q.name != "" {
		i, ok := s.Instance(q.name)
		if !ok {
			return nil, s.notFound(q.name)
		}
		return maskOf(s, q.name, q.show).instance(i), nil
	}
	all := report.Instances{Apps: map[string]report.Instance{}}
	for _, name := range s.Names() {
		if i, ok := s.Instance(name); ok { // it may have gone by now
			all.Apps[name] = maskOf(s, name, q.show).instance(i)
		}
	}
	return all, nil
}

// renderTime bounds one render: a template may loop.
const renderTime = time.Minute

func (s server) render(ctx context.Context, q question) (any, error) {
	if _, ok := s.Instance(q.name); !ok {
		return nil, s.notFound(q.name)
	}
	ctx, cancel := context.WithTimeout(ctx, renderTime)
	defer cancel()
	m := maskOf(s, q.name, q.show)
	objects, err := s.Render(ctx, q.name)
	switch {
	case errors.Is(err, render.ErrNoChart):
		return nil, &statusError{http.StatusBadRequest, "package has no Helm chart"}
	case errors.Is(err, ErrNotLoaded):
		return nil, &statusError{http.StatusConflict, "the package of " + q.name + " is not loaded: see its queue"}
	case err != nil:
		return nil, &statusError{http.StatusInternalServerError, m.text("render failed: " + err.Error())}
	}
	text, err := render.Stream(m.objects(objects))
	return yamlText(text), err
}

// diffTime bounds one comparison: beside a render it may fetch a bundle, and asks the
// API server about every object.
const diffTime = 3 * time.Minute

func (s server) diff(ctx context.Context, q question) (any, error) {
	if _, ok := s.Instance(q.name); !ok {
		return nil, s.notFound(q.name)
	}
	wanted := Wanted{Version: q.more.Get(versionParameter)}
	if text := q.more.Get(settingsParameter); text != "" {
		settings, err := object.DecodeJSON([]byte(text))
		if err != nil {
			return nil, &statusError{http.StatusBadRequest, "settings: wanted a JSON object"}
		}
		wanted.Settings = settings
	}
	ctx, cancel := context.WithTimeout(ctx, diffTime)
	defer cancel()
	m := maskOf(s, q.name, q.show)
	c, err := s.Diff(ctx, q.name, wanted)
	m.hide.Secrets = append(m.hide.Secrets, c.Secrets...)
	switch {
	case errors.Is(err, render.ErrNoChart):
		return nil, &statusError{http.StatusBadRequest, "package has no Helm chart"}
	case errors.Is(err, ErrNotLoaded):
		return nil, &statusError{http.StatusConflict, "the package of " + q.name + " is not loaded: see its queue"}
	case err != nil:
		return nil, &statusError{http.StatusInternalServerError, m.text(err.Error())}
	}
	return m.report(c.Plan, q.more.Get(viewParameter) == "server")
}

func (s server) snapshots(_ context.Context, q question) (any, error) {
	if _, ok := s.Instance(q.name); !ok {
		return nil, &statusError{http.StatusNotFound, "package not found: " + Unknown(q.name, s.Names())}
	}
	all := s.Snapshots(q.name)
	if all == nil {
		return nil, &statusError{http.StatusConflict, "the package of " + q.name + " is not loaded: see its queue"}
	}
	return maskOf(s, q.name, q.show).snapshots(all), nil
}

func (s server) queues(_ context.Context, q question) (any, error) {
	all := s.Queues(q.name)
	if _, ok := s.Instance(q.name); q.name != "" && len(all.Queues) == 0 && !ok {
		return nil, s.notFound(q.name)
	}
	for name, one := range all.Queues {
		instance, _, _ := strings.Cut(name, "/")
		all.Queues[name] = maskOf(s, instance, q.show).queue(one)
	}
	return all, nil
}

func (s server) scheduler(_ context.Context, q question) (any, error) {
	all := s.Scheduler()
	if q.name == "" {
		return all, nil
	}
	if node, ok := all.Nodes[q.name]; ok {
		return node, nil
	}
	if _, ok := s.Instance(q.name); ok {
		return nil, &statusError{http.StatusConflict, q.name + " is not scheduled: its package is not loaded yet, or it is being removed; see its queue"}
	}
	return nil, s.notFound(q.name)
}

func (s server) requirements(context.Context, question) (any, error) {
	unmet := map[string]schedule.Decision{}
	for name, node := range s.Scheduler().Nodes {
		if node.Decision.Kind == schedule.Forbid {
			unmet[name] = node.Decision
		}
	}
	return map[string]any{"requirements": unmet}, nil
}
