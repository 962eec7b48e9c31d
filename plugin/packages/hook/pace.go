package hook

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/time/rate"
	"k8s.io/utils/clock"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/binding"
)

// Pace holds hooks to the rate that their settings ask for: a bucket of
// executionBurst runs, which gets a new one each executionMinInterval.
//
// Runs that events and schedules call for are counted and held up. Those of a stage
// and those that synchronize are neither: the package waits for them. It may be used
// by several goroutines; the zero value is ready.
type Pace struct {
	// Clock is that of the system if it is nil.
	Clock clock.Clock

	mu      sync.Mutex
	buckets map[*Hook]*rate.Limiter
}

// Delay tells how long it is until a run with these triggers may begin, and takes
// nothing: 0 for one that may begin now. A queue that waits for it before it merges
// makes one run of all events in between.
func (p *Pace) Delay(h *Hook, triggers []Trigger) time.Duration {
	bucket := p.bucket(h, triggers)
	if bucket == nil {
		return 0
	}
	missing := 1 - bucket.TokensAt(p.clock().Now())
	return max(0, time.Duration(missing*float64(h.Config.Settings.MinInterval)))
}

// wait takes a run out of the bucket, and waits until it is there. An error is the
// end of the context, and then nothing is taken.
func (p *Pace) wait(ctx context.Context, h *Hook, triggers []Trigger) error {
	bucket := p.bucket(h, triggers)
	if bucket == nil {
		return nil
	}
	now := p.clock().Now()
	reserved := bucket.ReserveN(now, 1)
	delay := reserved.DelayFrom(now)
	if delay == 0 {
		return nil
	}
	timer := p.clock().NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C():
		return nil
	case <-ctx.Done():
		reserved.CancelAt(p.clock().Now())
		return fmt.Errorf("held up by settings.executionMinInterval (%s): %w", h.Config.Settings.MinInterval, context.Cause(ctx))
	}
}

// bucket gives the bucket that counts a run; nil for one that nothing holds up.
func (p *Pace) bucket(h *Hook, triggers []Trigger) *rate.Limiter {
	settings := h.Config.Settings
	if p == nil || settings.MinInterval <= 0 || !paced(triggers) {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	bucket, ok := p.buckets[h]
	if !ok {
		bucket = rate.NewLimiter(rate.Every(settings.MinInterval), int(max(1, settings.Burst)))
		if p.buckets == nil {
			p.buckets = map[*Hook]*rate.Limiter{}
		}
		p.buckets[h] = bucket
	}
	return bucket
}

// Forget drops the buckets of hooks that are not in the set, which is loaded anew.
func (p *Pace) Forget(set *Set) {
	p.mu.Lock()
	defer p.mu.Unlock()
	kept := map[*Hook]*rate.Limiter{}
	for _, h := range set.Hooks {
		if bucket, ok := p.buckets[h]; ok {
			kept[h] = bucket
		}
	}
	p.buckets = kept
}

func (p *Pace) clock() clock.Clock {
	if p.Clock == nil {
		return clock.RealClock{}
	}
	return p.Clock
}

// paced tells whether all of these triggers are events and schedules: a run that the
// package waits for is held up by nothing that was merged into it.
func paced(triggers []Trigger) bool {
	for _, t := range triggers {
		if t.Binding != binding.OnSchedule && (t.Binding != binding.OnKubernetes || t.Change == nil) {
			return false
		}
	}
	return len(triggers) > 0
}
