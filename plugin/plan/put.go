package plan

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
)

// Kinds that take no patch, as some extension servers have them, know no
// server-side apply. What it does for others is done here: the live object with
// our changes made in it is sent as a whole, with the resourceVersion that was
// compared. Nothing of it can be forced, and nothing taken over.

// errNotRehearsed keeps the local verdict: a server that ignores dryRun would write.
var errNotRehearsed = errors.New("the server doesn't say that an update of this kind takes a dry-run")

// putOver makes the body of an update: the live object, over it what is sent, and
// without what goes. What others put into the object stays.
func putOver(live, send map[string]any, e evidence) map[string]any {
	body, _ := overlay(e.schema, some(live), some(send)).v.(map[string]any)
	for _, f := range e.cmp.findings {
		if !f.d.ok && !f.excluded && judge(f, e.ownership) == VerdictRemove {
			body = without(body, f.path)
		}
	}
	return withoutMetadata(body, "annotations", historyAnnotations()...)
}

// overlay lays a wanted value over a live one, by the rules by which compare tells
// foreign values from missing ones.
func overlay(s *cluster.Schema, live, want value) value {
	switch wv := want.v.(type) {
	case map[string]any:
		lv, ok := live.v.(map[string]any)
		if !ok || s.MapAtomic() {
			return want
		}
		out := copyMap(lv)
		for k, v := range wv {
			out[k] = overlay(s.Field(k), get(lv, k), some(v)).v
		}
		return some(out)
	case []any:
		lv, ok := live.v.([]any)
		if !ok {
			return want
		}
		return some(overlayList(s, lv, wv))
	default:
		return want
	}
}

func overlayList(s *cluster.Schema, live, want []any) []any {
	switch s.ListType() {
	case cluster.ListSet:
		return distinct(live, want)
	case cluster.ListMap:
		l, lok := indexByKey(s, live)
		w, wok := indexByKey(s, want)
		if !lok || !wok {
			return want
		}
		var out []any
		for _, item := range mergeKeys(l, w) {
			lv, wv := l.get(item.id), w.get(item.id)
			if wv.ok {
				lv = overlay(s.Item(), lv, wv)
			}
			out = append(out, lv.v)
		}
		return out
	}
	out := make([]any, len(want))
	for i, v := range want {
		out[i] = overlay(s.Item(), index(live, i), some(v)).v
	}
	return out
}

// rehearsePut asks the server what the update would make of the object.
func (p Planner) rehearsePut(ctx context.Context, o *Object, body map[string]any, e evidence) (map[string]any, error) {
	if err := p.mayRehearse(ctx, o); err != nil {
		return nil, err
	}
	answer, err := p.Cluster.Update(ctx, o.Mapping, body, cluster.WriteOptions{DryRun: true, Manager: p.Policy.FieldManager})
	if err != nil {
		return nil, err
	}
	return withoutMarks(comparable(answer.Object), e.marks), nil
}

// rehearseCreate asks the server whether it would take a new object and what it
// would make of it.
func (p Planner) rehearseCreate(ctx context.Context, o *Object, body map[string]any) (*unstructured.Unstructured, error) {
	if !o.Mapping.OnlyPut() {
		return p.Cluster.Apply(ctx, o.Mapping, body, cluster.ApplyOptions{DryRun: true, Manager: p.Policy.FieldManager})
	}
	if err := p.mayRehearse(ctx, o); err != nil {
		return nil, err
	}
	return p.Cluster.Create(ctx, o.Mapping, body, cluster.WriteOptions{DryRun: true, Manager: p.Policy.FieldManager})
}

func (p Planner) mayRehearse(ctx context.Context, o *Object) error {
	rehearses, err := p.Cluster.Rehearses(ctx, o.Mapping.GVK)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return fmt.Errorf("%w: %w", errNotRehearsed, err)
	case !rehearses:
		return errNotRehearsed
	default:
		return nil
	}
}
