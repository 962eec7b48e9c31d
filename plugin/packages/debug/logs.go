package debug

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/journal"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/report"
)

// Parameters of packages/logs.
const (
	afterParameter = "after"
	sinceParameter = "since"
	lastParameter  = "last"
	waitParameter  = "wait"
)

// longestWait bounds how long an answer waits for a line.
const longestWait = 30 * time.Second

// logs tells the lines about one application, also of one that has been removed.
func (s server) logs(ctx context.Context, q question) (any, error) {
	j := s.Journal()
	if j == nil {
		return nil, &statusError{http.StatusConflict, "this controller keeps no lines: see its log"}
	}
	query, wait, err := readLogQuery(q.more)
	if err != nil {
		return nil, &statusError{http.StatusBadRequest, err.Error()}
	}
	page := j.Read(q.name, query)
	if _, held := s.Instance(q.name); !held && !page.Known {
		return nil, s.notFound(q.name)
	}
	if wait > 0 && len(page.Lines) == 0 {
		ctx, cancel := context.WithTimeout(ctx, wait)
		defer cancel()
		page = j.Follow(ctx, q.name, query)
	}
	return maskOf(s, q.name, false).lines(page), nil // the log is masked for everybody
}

func readLogQuery(values url.Values) (q journal.Query, wait time.Duration, err error) {
	for _, p := range []struct {
		name string
		read func(text string) error
	}{
		{afterParameter, func(text string) (err error) { q.After, err = strconv.ParseUint(text, 10, 64); return err }},
		{lastParameter, func(text string) (err error) { q.Last, err = strconv.Atoi(text); return err }},
		{sinceParameter, func(text string) (err error) { q.Since, err = time.Parse(time.RFC3339, text); return err }},
		{waitParameter, func(text string) (err error) { wait, err = time.ParseDuration(text); return err }},
	} {
		if text := values.Get(p.name); text != "" {
			if err := p.read(text); err != nil {
				return q, 0, fmt.Errorf("%s: found %q", p.name, text)
			}
		}
	}
	return q, min(wait, longestWait), nil
}

// lines masks lines once more: what was logged before a secret was known.
func (m mask) lines(page journal.Page) *report.Logs {
	logs := &report.Logs{Items: []report.LogLine{}, Next: page.Next, Missed: page.Missed}
	for _, l := range page.Lines {
		shown := report.LogLine{
			Time: l.Time.UTC().Format(time.RFC3339), Source: "controller", Level: l.Level.String(), Message: m.text(l.Message),
		}
		for _, f := range l.Fields {
			shown.Fields = append(shown.Fields, report.LogField{Key: f.Key, Value: m.text(f.Value)})
		}
		logs.Items = append(logs.Items, said(shown))
	}
	return logs
}

// said makes a line of a hook's output one that the hook says.
func said(l report.LogLine) report.LogLine {
	if l.Message != HookOutput {
		return l
	}
	take := func(key string) (value string) {
		l.Fields = slices.DeleteFunc(slices.Clone(l.Fields), func(f report.LogField) bool {
			if f.Key == key {
				value = f.Value
			}
			return f.Key == key
		})
		return value
	}
	l.Source, l.Message = take("hook"), take("line")
	return l
}

// HookOutput is the message of a line of the log that a hook wrote; its attributes are
// hook, stream and line.
const HookOutput = "hook output"

// Logs asks for the lines about an application. With wait, the answer comes with the
// first line, or empty after that time.
func (c Client) Logs(ctx context.Context, name string, q journal.Query, wait time.Duration) (*report.Logs, error) {
	query := url.Values{}
	if q.After > 0 {
		query.Set(afterParameter, strconv.FormatUint(q.After, 10))
	}
	if !q.Since.IsZero() {
		query.Set(sinceParameter, q.Since.UTC().Format(time.RFC3339))
	}
	if q.Last > 0 {
		query.Set(lastParameter, strconv.Itoa(q.Last))
	}
	if wait > 0 {
		query.Set(waitParameter, wait.String())
	}
	return decoded[report.Logs](c.send(ctx, "packages/logs/"+url.PathEscape(name), query))
}
