package probe

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/utils/clock"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/expression"
)

// Cluster is what a probe asks; *cluster.Client has it.
type Cluster interface {
	Mapping(ctx context.Context, gk schema.GroupKind, version string) (cluster.Mapping, error)
	Collect(ctx context.Context, m cluster.Mapping, o cluster.ListOptions) (cluster.Collection, error)
	Watch(ctx context.Context, m cluster.Mapping, namespace string, o cluster.ListOptions) (watch.Interface, error)
}

// Probe is a test that can be run.
type Probe struct {
	test      config.Test
	condition *expression.Condition
	gk        schema.GroupKind
	version   string
}

// variable is the name of the object in conditions.
const variable = "object"

// Compile reads the test's condition. The error names the test's place.
func Compile(t config.Test) (*Probe, error) {
	gv, err := schema.ParseGroupVersion(t.APIVersion)
	if err != nil {
		return nil, fmt.Errorf("%s:%d: resource.apiVersion: %w", t.File, t.Line, err)
	}
	p := &Probe{test: t, gk: gv.WithKind(t.Kind).GroupKind(), version: gv.Version}
	if t.Type != config.WaitUntil {
		return p, nil
	}
	if p.condition, err = expression.CompileFor(variable, t.Condition); err != nil {
		return nil, fmt.Errorf("%s:%d: condition: %w", t.File, t.Line, err)
	}
	return p, nil
}

// String says what the probe waits for.
func (p *Probe) String() string {
	name := p.gk.String() + " " + p.test.Name
	if p.test.Namespace != "" {
		name = p.gk.String() + " " + p.test.Namespace + "/" + p.test.Name
	}
	switch {
	case p.condition != nil:
		return fmt.Sprintf("%s meets %s", name, p.condition)
	case p.test.ShouldExist:
		return name + " exists"
	default:
		return name + " is gone"
	}
}

// Run waits for the answer. The error says why the test is not passed: too many
// bad answers, no time left, or the end of ctx.
func (p *Probe) Run(ctx context.Context, c Cluster, k clock.WithTicker) error {
	r := &run{Probe: p, cluster: c, clock: k}
	limited, cancel := r.limited(ctx)
	defer cancel()
	err := r.follow(limited)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case limited.Err() != nil:
		return r.notPassed(fmt.Sprintf("within %s", p.test.Timeout))
	}
	return err
}

// run is one Run of a probe.
type run struct {
	*Probe
	cluster   Cluster
	clock     clock.WithTicker
	good, bad int
	reason    string // of the last bad answer
}

// limited gives a context that ends with the test's timeout, by the clock of the run.
func (r *run) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	if r.test.Timeout == 0 {
		return ctx, cancel
	}
	timer := r.clock.NewTimer(r.test.Timeout)
	go func() {
		select {
		case <-timer.C():
			cancel()
		case <-ctx.Done():
			timer.Stop()
		}
	}()
	return ctx, cancel
}

// notPassed words a failure with the last answer.
func (r *run) notPassed(why string) error {
	text := fmt.Sprintf("%s:%d: test is not passed %s: %s", r.test.File, r.test.Line, why, r.Probe)
	if r.reason != "" {
		text += ": " + r.reason
	}
	return errors.New(text)
}

// errPassed ends the walk of a passed test.
var errPassed = errors.New("passed")

// follow asks and watches until the test is decided.
func (r *run) follow(ctx context.Context) error {
	for {
		err := r.round(ctx)
		switch {
		case errors.Is(err, errPassed):
			return nil
		case err != nil:
			return err
		case !r.sleep(ctx, r.test.Interval):
			return ctx.Err()
		}
	}
}

// round looks at the object and follows it until its watch ends. What keeps it
// from being looked at is a bad answer.
func (r *run) round(ctx context.Context) error {
	m, err := r.cluster.Mapping(ctx, r.gk, r.version)
	if err != nil {
		return r.unanswered(ctx, err)
	}
	namespace := r.test.Namespace
	if !m.Namespaced {
		namespace = ""
	}
	o := cluster.ListOptions{Namespace: namespace, FieldSelector: "metadata.name=" + r.test.Name}
	found, err := r.cluster.Collect(ctx, m, o)
	if err != nil {
		return r.unanswered(ctx, err)
	}
	var now *unstructured.Unstructured
	if len(found.Items) > 0 {
		now = found.Items[0]
	}
	if err := r.answer(now); err != nil {
		return err
	}
	o.ResourceVersion = found.ResourceVersion
	w, err := r.cluster.Watch(ctx, m, namespace, o)
	if err != nil {
		return r.unanswered(ctx, err)
	}
	defer w.Stop()
	return r.watch(ctx, w, now)
}

// watch takes a change that turns the answer for one, and after that each interval
// for the same again: as many in a row as the test wants take as many intervals,
// however often the object is written meanwhile.
func (r *run) watch(ctx context.Context, w watch.Interface, now *unstructured.Unstructured) error {
	ticker := r.clock.NewTicker(r.test.Interval)
	defer func() { ticker.Stop() }()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C():
		case e, open := <-w.ResultChan():
			if !open || e.Type == watch.Error {
				return nil
			}
			if e.Type == watch.Bookmark {
				continue
			}
			now, _ = e.Object.(*unstructured.Unstructured)
			if e.Type == watch.Deleted {
				now = nil
			}
			if good, _ := r.judge(now); good == (r.good > 0) {
				continue
			}
			ticker.Stop()
			ticker = r.clock.NewTicker(r.test.Interval)
		}
		if err := r.answer(now); err != nil {
			return err
		}
	}
}

// unanswered counts what can't be answered as a bad answer: the kind is not there
// yet, the server is busy.
func (r *run) unanswered(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var none *cluster.ErrNoKind
	if r.condition == nil && !r.test.ShouldExist && errors.As(err, &none) {
		return r.count(true, "") // of a kind that is not served there is none
	}
	if apierrors.IsForbidden(err) {
		return r.notPassed(fmt.Sprintf("because it can't be asked (%v)", err))
	}
	return r.count(false, err.Error())
}

// answer counts what the object says; nil is absent.
func (r *run) answer(now *unstructured.Unstructured) error {
	good, reason := r.judge(now)
	return r.count(good, reason)
}

// judge says whether the object is as wanted, and if not, why.
func (r *run) judge(now *unstructured.Unstructured) (good bool, reason string) {
	switch {
	case r.condition == nil && (now != nil) == r.test.ShouldExist:
		return true, ""
	case r.condition == nil && now != nil:
		return false, "it is still there"
	case now == nil:
		return false, "it is not there"
	}
	holds, err := r.condition.Holds(now.Object)
	switch {
	case err != nil:
		return false, "the condition can't be judged yet"
	case !holds:
		return false, "the condition does not hold"
	}
	return true, ""
}

// count adds an answer to those in a row.
func (r *run) count(good bool, reason string) error {
	if good {
		r.good, r.bad = r.good+1, 0
		if r.good >= r.test.Successes {
			return errPassed
		}
		return nil
	}
	r.good, r.bad, r.reason = 0, r.bad+1, reason
	if r.test.Failures > 0 && r.bad >= r.test.Failures {
		return r.notPassed(fmt.Sprintf("after %d bad answers in a row", r.bad))
	}
	return nil
}

func (r *run) sleep(ctx context.Context, d time.Duration) bool {
	timer := r.clock.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C():
		return true
	case <-ctx.Done():
		return false
	}
}
