package plan

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

// conclude adds what concerns the run as a whole: leftovers, deletions and
// records that need a write.
func (p Planner) conclude(ctx context.Context, out *Plan, inputs []Input, it items, found liveSet) {
	gone := map[string][]state.Key{}
	guards := p.guards(ctx, wantedUIDs(it.wanted))
	for _, left := range it.left {
		concludeLeft(out, left, found[left.ref], guards, gone)
	}
	forget(out, it.wanted, gone)
	for _, in := range inputs {
		if in.Unselected {
			continue
		}
		m := Manifest{Name: in.Manifest, Record: in.Record, DefaultNamespace: in.DefaultNamespace, Gone: gone[in.Manifest]}
		m.Repair = p.repair(in, it.wanted, m.Gone)
		out.Manifests = append(out.Manifests, m)
	}
}

func apiVersion(group, version string) string {
	if group == "" {
		return version
	}
	return group + "/" + version
}

// repair says why a record must be written although its objects are as wanted.
func (p Planner) repair(in Input, list []*wanted, gone []state.Key) string {
	if in.Record == nil {
		return ""
	}
	stale, open := 0, 0
	for _, w := range list {
		switch {
		case w.out.Manifest != in.Manifest || w.out.Op != OpNone || w.out.Strategy.LeftAlone():
		case p.staleEntry(w):
			stale++
			// Of a run that was killed nobody knows how far it had come.
			w.out.Awaited = w.out.Awaited || in.Record.LastRun.Result == state.ResultRunning
		case p.openEntry(w):
			open++
		}
	}
	switch {
	case in.Record.BodiesLost:
		return "the record's copy of the last apply is lost"
	case p.keyLost(in, list):
		return "the key of the record's hashes of Secrets is lost"
	case stale > 0:
		return fmt.Sprintf("the record doesn't yet say what is live for %s", count(stale, "object"))
	case open > 0:
		return fmt.Sprintf("the record doesn't yet hide of %s what mask rules hide", count(open, "object"))
	case len(gone) > 0:
		return fmt.Sprintf("the record lists %s too many", count(len(gone), "object"))
	case in.Project != "" && in.Record.Exists && in.Record.Project != in.Project:
		return "the record doesn't yet say that it is of project " + in.Project
	default:
		return ""
	}
}

// keyLost reports whether entries of Secrets can no longer be told to be right: the
// key that their hashes were made with is gone, and not just out of our sight.
func (p Planner) keyLost(in Input, list []*wanted) bool {
	if p.Hasher.Key == nil || len(p.Hasher.Key) > 0 {
		return false
	}
	return slices.ContainsFunc(list, func(w *wanted) bool {
		if w.out.Manifest != in.Manifest || !w.recorded {
			return false
		}
		_, err := p.Hasher.Matches(w.out.Desired.Body, w.entry.ContentHash)
		return errors.Is(err, object.ErrNoHashKey)
	})
}

// openEntry reports whether a record's entry is from before the mask rules of today:
// it may hold in clear what these hide. Of a record that can't be read nobody knows.
func (p Planner) openEntry(w *wanted) bool {
	return w.entry.UID != "" && !slices.EqualFunc(w.entry.Hidden, p.Hasher.Hidden(w.out.Desired.Body), slices.Equal)
}

// staleEntry reports whether a record's entry doesn't stand for the files.
func (p Planner) staleEntry(w *wanted) bool {
	if !w.recorded || w.entry.ContentHash == "" || w.entry.Key != w.out.Key {
		return true
	}
	same, err := w.out.hasContent(p.Hasher, w.entry.ContentHash)
	return err == nil && !same
}

// hasContent is Hasher.Matches of the built object, whose hash is mostly known.
func (o *Object) hasContent(h object.Hasher, stored string) (bool, error) {
	if stored != "" && stored == o.ContentHash {
		return true, nil
	}
	return h.Matches(o.Desired.Body, stored)
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
