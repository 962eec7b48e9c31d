package debug

import (
	"fmt"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/live"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/report"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/trial"
)

// Guard masks an answer where it arrives, whoever gave it: what the other side masked
// stays as it is, and what it should have masked is masked. Without Hide that is what
// can be told from the answer alone: credentials, and what is in Secrets.
type Guard struct {
	// Show leaves everything as it is.
	Show bool
	// Hide is what else is known of what may not be shown.
	Hide Hide
	// Strict hides what hooks filtered out of objects that the answer doesn't tell the
	// kind of: for a side that masks nothing.
	Strict bool
}

func (g Guard) mask() mask {
	m := object.DefaultMasker()
	m.Show = g.Show
	if g.Show {
		return mask{masker: m}
	}
	return mask{masker: m, hide: g.Hide}
}

// Instance masks a dump.
func (g Guard) Instance(i report.Instance) report.Instance {
	m := g.mask()
	i = m.instance(i)
	if progress, ok := i.Status.Tracking.(map[string]any); ok {
		i.Status.Tracking = m.body(progress)
	}
	return i
}

// Queues masks the errors of tasks.
func (g Guard) Queues(q report.Queues) report.Queues {
	m := g.mask()
	shown := report.Queues{Queues: make(map[string]report.Queue, len(q.Queues))}
	for name, one := range q.Queues {
		tasks := make([]report.Task, len(one.Tasks))
		for i, t := range one.Tasks {
			t.Error = m.text(t.Error)
			tasks[i] = t
		}
		one.Tasks = tasks
		shown.Queues[name] = one
	}
	return shown
}

// Snapshots masks what hooks see. What was filtered out of a Secret is hidden as a
// whole, where the Secret itself is beside it.
func (g Guard) Snapshots(all report.Snapshots) report.Snapshots {
	m := g.mask()
	shown := make(report.Snapshots, len(all))
	for hook, bindings := range all {
		if bindings == nil {
			shown[hook] = nil
			continue
		}
		shown[hook] = make(map[string]report.Snapshot, len(bindings))
		for name, s := range bindings {
			shown[hook][name] = g.snapshot(m, s)
		}
	}
	return shown
}

func (g Guard) snapshot(m mask, s report.Snapshot) report.Snapshot {
	entries := make([]report.SnapshotEntry, len(s.Snapshot))
	for i, e := range s.Snapshot {
		kind, _ := e.Object["kind"].(string)
		if g.Strict && kind == "" {
			kind = "Secret"
		}
		masked := m.snapshot(live.State{Kind: kind, Snapshot: []live.Shown{{Object: e.Object, FilterResult: e.FilterResult}}})
		entries[i] = report.SnapshotEntry{Object: masked.Snapshot[0].Object, FilterResult: masked.Snapshot[0].FilterResult}
	}
	s.Snapshot, s.Error = entries, m.text(s.Error)
	return s
}

// source is the comment that names the template of a document.
const source = "# Source: "

// Render masks objects, a stream of YAML documents: only the objects stay of it, and
// the comments that name their templates. What can't be read is an error.
func (g Guard) Render(stream string) (string, error) {
	m := g.mask()
	var b strings.Builder
	for i, document := range documents(stream) {
		set, err := object.Load(strings.NewReader(document), fmt.Sprintf("document %d", i+1))
		if err != nil {
			return "", fmt.Errorf("objects in the answer of the controller can't be read, so they are not shown: %w", err)
		}
		for _, o := range set.Objects {
			text, err := object.EncodeYAML(trial.Scrub(m.masker, m.masker.One(o.Body), m.hide.Secrets...))
			if err != nil {
				return "", fmt.Errorf("print %s: %w", o.Ref(), err)
			}
			b.WriteString("---\n" + sourceOf(document))
			b.Write(text)
		}
	}
	return b.String(), nil
}

// documents cuts a stream at its lines of dashes.
func documents(stream string) []string {
	var all []string
	var b strings.Builder
	for line := range strings.Lines(stream) {
		if strings.TrimRight(line, " \t\r\n") == "---" {
			all = append(all, b.String())
			b.Reset()
			continue
		}
		b.WriteString(line)
	}
	return append(all, b.String())
}

func sourceOf(document string) string {
	for line := range strings.Lines(document) {
		if strings.HasPrefix(line, source) {
			return strings.TrimRight(line, "\r\n") + "\n"
		}
		if !strings.HasPrefix(line, "#") && strings.TrimSpace(line) != "" {
			break
		}
	}
	return ""
}
