package runtime

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/instance"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/lifecycle"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/queue"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/status"
)

// readinessQueue is where programs that tell whether an instance is ready are asked: in
// none of the hooks' own, which they would hold up.
const readinessQueue = "ready"

// unasked reports, before the first run after a load, that nobody knows yet whether the
// instance is ready.
func (r *Runtime) unasked(a *app, loaded *instance.Instance) {
	known, _ := r.Store.Get(a.name)
	if len(loaded.Hooks().Ready) > 0 && known.Get(status.IsReady).Reason == "" && !known.Is(status.IsReady) {
		r.Store.Set(a.name, status.Unknown(status.IsReady, status.ReasonNotAsked, "its programs have not been asked yet whether it is ready"))
	}
}

// askReady asks all programs at once, without waiting for their schedules.
func (r *Runtime) askReady(a *app, loaded *instance.Instance) {
	for _, h := range loaded.Hooks().Ready {
		if len(h.Config.Schedules) > 0 {
			r.addReadiness(a, loaded, hook.Pending{Hook: h, Triggers: []hook.Trigger{hook.Scheduled(h.Config.Schedules[0].Name)}})
		}
	}
}

// addReadiness has a program asked. That an instance is not ready is an answer and no
// failure: the program is asked again when its schedule says so, and not with delays.
func (r *Runtime) addReadiness(a *app, loaded *instance.Instance, call hook.Pending) {
	t := queue.Task{
		Name: call.Hook.ID + ":Run", Payload: call, Merge: merge,
		Do: func(ctx context.Context, payload any) error {
			p, ok := payload.(hook.Pending)
			if !ok {
				return errors.New("no run of a hook")
			}
			monitor := r.view(a).monitor
			if monitor == nil {
				return nil // the hooks have been stopped
			}
			changed, err := r.runHook(ctx, a, loaded, monitor, p)
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			r.answered(a, loaded, p.Hook.ID, err)
			if changed && err == nil {
				r.Again(a.name, lifecycle.HookValuesChanged)
			}
			return nil
		},
	}
	r.queues.Add(a.name+"/"+readinessQueue, t)
}

// answered takes in what a program said, unless another package is loaded by now.
func (r *Runtime) answered(a *app, loaded *instance.Instance, id string, err error) {
	text := ""
	if err != nil {
		text = r.scrubbed(a, err).Error()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if a.loaded != loaded {
		return
	}
	if a.answers == nil {
		a.answers = map[string]string{}
	}
	a.answers[id] = text
	if c, ok := verdict(loaded.Hooks().Ready, a.answers); ok {
		r.Store.Set(a.name, c)
	}
}

// verdict is what the answers come to; ok is false while one that counts is missing.
func verdict(asked []*hook.Hook, answers map[string]string) (c status.Condition, ok bool) {
	var no []string
	for _, id := range slices.Sorted(maps.Keys(answers)) {
		if answers[id] != "" {
			no = append(no, answers[id])
		}
	}
	switch {
	case len(no) > 0:
		return status.False(status.IsReady, status.ReasonReadinessProbeFailed, strings.Join(no, "\n")), true
	case len(answers) < len(asked):
		return status.Condition{}, false
	}
	return status.True(status.IsReady), true
}
