package command

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/inventory"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
	"github.com/kubectl-tazuna/kubectl-tazuna/printers"
)

// settleFor is how long a watched status waits after a change for what comes with it:
// a rollout changes many objects at once.
const settleFor = 200 * time.Millisecond

// follow prints what changes until all is ready, or the time is over. It watches the
// objects, and the records that list them.
func (o *statusOptions) follow(ctx context.Context, env *Env, s *recordScope, last *printers.Status) (*printers.Status, error) {
	options := printers.DefaultOptions(env.Out)
	var err error
	if options.Color, err = env.colors(env.Out); err != nil {
		return last, err
	}
	ended := make(<-chan time.Time)
	if o.timeout > 0 {
		timer := env.Clock.NewTimer(o.timeout)
		defer timer.Stop()
		ended = timer.C()
	}
	seen := &watched{stop: func() {}}
	defer func() { seen.stop() }()
	for over := false; last.Ready < last.Total && !over; {
		if seen, err = s.upToDate(ctx, env, seen); err != nil {
			return last, err
		}
		next := s.judged(seen.records, seen.follower.Live())
		if err := next.PrintChanged(options, last); err != nil {
			return last, ignoreLeft(err)
		}
		if last = next; last.Ready == last.Total {
			break
		}
		select {
		case <-ctx.Done():
			return last, ctx.Err()
		case <-ended:
			over = true
		case <-seen.follower.Changed():
			settle(ctx, env)
		}
	}
	env.note("%d of %s ready", last.Ready, counted(last.Total, "object"))
	return last, nil
}

func settle(ctx context.Context, env *Env) {
	timer := env.Clock.NewTimer(settleFor)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C():
	}
}

// watched are records with the objects that they list, while they are followed.
type watched struct {
	records  []*state.Record
	follower *inventory.Follower
	// written are the first ConfigMaps of the records, by their version: each write of
	// a record changes it.
	written map[state.Key]string
	stop    func()
}

// upToDate follows the records anew if one of them was written.
func (s *recordScope) upToDate(ctx context.Context, env *Env, now *watched) (*watched, error) {
	if now.follower != nil && maps.Equal(now.written, versionsOf(now.follower.Live(), now.written)) {
		return now, nil
	}
	now.stop()
	inner, cancel := context.WithCancel(ctx)
	next := &watched{written: map[state.Key]string{}, stop: cancel}
	var entries []state.Entry
	for _, name := range s.names {
		key := recordKey(name)
		next.written[key] = ""
		entries = append(entries, state.Entry{Key: key})
	}
	// Before the records, so that a write in between is seen as one.
	first, err := inventory.Live(ctx, s.client, entries)
	if err != nil {
		return next, err
	}
	next.written = versionsOf(first, next.written)
	for _, name := range s.names {
		rec, err := s.read(ctx, env, name)
		if err != nil {
			return next, err
		}
		next.records = append(next.records, rec)
		entries = append(entries, rec.Entries...)
	}
	live, err := inventory.Live(ctx, s.client, entries[len(s.names):])
	if err != nil {
		return next, err
	}
	maps.Copy(live, first)
	next.follower = inventory.Follow(inner, s.client, env.Clock, entries, live)
	return next, nil
}

// recordKey names the first ConfigMap of a record.
func recordKey(manifest string) state.Key {
	return state.Key{Manifest: manifest, Version: "v1", Kind: "ConfigMap", Namespace: state.Namespace, Name: state.StateName(manifest)}
}

func versionsOf(live map[state.Key]inventory.Found, of map[state.Key]string) map[state.Key]string {
	out := map[state.Key]string{}
	for key := range of {
		if u := live[key].Object; u != nil {
			out[key] = string(u.GetUID()) + "@" + u.GetResourceVersion()
		} else {
			out[key] = ""
		}
	}
	return out
}

// judged is the status of records by what is live.
func (s *recordScope) judged(records []*state.Record, live map[state.Key]inventory.Found) *printers.Status {
	var list []printers.StatusManifest
	for _, rec := range records {
		m := printers.StatusManifest{Manifest: rec.Manifest}
		for _, e := range rec.Entries {
			status, reason := inventory.Judge(e, live[e.Key], s.rules.WaitRules)
			m.Objects = append(m.Objects, printers.ObjectStatus{StateResource: resourceOf(e.Key), Status: status, Reason: reason})
		}
		list = append(list, m)
	}
	return printers.NewStatus(slices.Clip(list))
}
