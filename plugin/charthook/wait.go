package charthook

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/readiness"
)

// done says whether a hook has come to its end: a Job and a Pod when they have
// succeeded, anything else when it is ready.
func done(u *unstructured.Unstructured) (bool, error) {
	if u.GroupVersionKind().GroupKind() == (schema.GroupKind{Kind: "Pod"}) {
		phase, _, _ := unstructured.NestedString(u.Object, "status", "phase")
		if phase == "Failed" {
			message, _, _ := unstructured.NestedString(u.Object, "status", "message")
			return false, errors.New("the Pod has failed " + message)
		}
		return phase == "Succeeded", nil
	}
	switch verdict := readiness.Of(u); verdict.State {
	case readiness.Ready:
		return true, nil
	case readiness.Failed:
		return false, errors.New(verdict.Reason)
	default:
		return false, nil
	}
}

// pause is the time between two looks where the watch has ended.
const pause = time.Second

// await follows the hook's object until the answer is yes or an error. nil stands
// for an object that is not there.
func (h *hook) await(ctx context.Context, timeout time.Duration, answer func(*unstructured.Unstructured) (bool, error)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	timer := h.Clock.NewTimer(timeout)
	defer timer.Stop()
	go func() {
		select {
		case <-timer.C():
			cancel(fmt.Errorf("not done within %s", timeout))
		case <-ctx.Done():
		}
	}()
	for {
		yes, err := h.follow(ctx, answer)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case yes || err != nil:
			return err
		}
		again := h.Clock.NewTimer(pause)
		select {
		case <-again.C():
		case <-ctx.Done():
			again.Stop()
		}
	}
}

// follow looks at the object and watches it until the watch ends.
func (h *hook) follow(ctx context.Context, answer func(*unstructured.Unstructured) (bool, error)) (bool, error) {
	o := cluster.ListOptions{Namespace: h.namespace, FieldSelector: "metadata.name=" + h.Object.Name()}
	found, err := h.Cluster.Collect(ctx, h.mapping, o)
	if err != nil {
		return false, err
	}
	var now *unstructured.Unstructured
	if len(found.Items) > 0 {
		now = found.Items[0]
	}
	if yes, err := answer(now); yes || err != nil {
		return yes, err
	}
	o.ResourceVersion = found.ResourceVersion
	w, err := h.Cluster.Watch(ctx, h.mapping, h.namespace, o)
	if err != nil {
		return false, err
	}
	defer w.Stop()
	for {
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case e, open := <-w.ResultChan():
			switch {
			case !open, e.Type == watch.Error:
				return false, nil
			case e.Type == watch.Bookmark:
				continue
			}
			now, _ = e.Object.(*unstructured.Unstructured)
			if e.Type == watch.Deleted {
				now = nil
			}
			if yes, err := answer(now); yes || err != nil {
				return yes, err
			}
		}
	}
}
