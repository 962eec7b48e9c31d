package offline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/binding"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/document"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/snapshot"
)

// Load makes a cluster of a file for the hooks of a set. The file has one of two
// forms, in YAML or JSON:
//
//   - objects, as kubectl reads them. Those without a namespace are in namespace,
//     if that is not empty.
//   - snapshots, as "packages snapshots" prints them: for each hook its bindings,
//     for each binding {snapshot: [{object, filterResult}]} or just that list. Of
//     an entry with an object and no filterResult the filter is run.
//
// An empty file is a cluster without objects.
func Load(ctx context.Context, set *hook.Set, data []byte, file, namespace string) (*Cluster, error) {
	documents, err := document.Stream(data)
	if err != nil {
		// The reader of objects tells more about what is wrong.
		_, loadErr := object.Load(bytes.NewReader(data), file)
		return nil, errors.Join(loadErr, otherwise(loadErr, fmt.Errorf("%s: %w", file, err)))
	}
	if len(documents) == 1 && isRecording(documents[0].Value) {
		return loadRecording(ctx, set, documents[0].Value, file)
	}
	loaded, err := object.Load(bytes.NewReader(data), file)
	if err != nil {
		return nil, err
	}
	bodies := make([]map[string]any, len(loaded.Objects))
	for i, o := range loaded.Objects {
		bodies[i] = inNamespace(o.Body, namespace)
	}
	return New(set, bodies), nil
}

// otherwise gives err where there is no first error.
func otherwise(first, err error) error {
	if first != nil {
		return nil
	}
	return err
}

// isRecording tells a recording from an object: it has neither apiVersion nor kind.
func isRecording(value any) bool {
	mapping, ok := value.(map[string]any)
	return ok && mapping["apiVersion"] == nil && mapping["kind"] == nil
}

func inNamespace(body map[string]any, namespace string) map[string]any {
	metadata, _ := body["metadata"].(map[string]any)
	if namespace == "" || metadata["namespace"] != nil || isNamed(body, "Namespace") {
		return body
	}
	copied := object.Object{Body: body}.DeepCopy().Body
	if metadata, ok := copied["metadata"].(map[string]any); ok {
		metadata["namespace"] = namespace
	}
	return copied
}

// recording reads recorded snapshots.
type recording struct {
	document.Reader
	set *hook.Set
	all map[string]map[string]snapshot.Snapshot
}

func loadRecording(ctx context.Context, set *hook.Set, value any, file string) (*Cluster, error) {
	r := &recording{set: set, all: map[string]map[string]snapshot.Snapshot{}}
	hooks, _ := value.(map[string]any)
	for _, id := range slices.Sorted(maps.Keys(hooks)) {
		h := set.Find(id)
		if h == nil {
			r.Found(id, "the package has no such hook; it has %s", listed(ids(set)))
			continue
		}
		if hooks[id] != nil {
			r.hook(ctx, h, hooks[id])
		}
	}
	if len(r.Findings) > 0 {
		lines := make([]string, len(r.Findings))
		for i, f := range r.Findings {
			lines[i] = file + ": " + f.String()
		}
		return nil, errors.New(strings.Join(lines, "\n"))
	}
	c := New(set, nil)
	c.recorded = r.all
	return c, nil
}

func (r *recording) hook(ctx context.Context, h *hook.Hook, value any) {
	bindings, ok := value.(map[string]any)
	if !ok {
		r.Found(h.ID, "wanted a mapping of bindings, found %s", document.KindOf(value))
		return
	}
	r.all[h.ID] = map[string]snapshot.Snapshot{}
	for _, name := range slices.Sorted(maps.Keys(bindings)) {
		at := h.ID + " " + name
		k := h.Config.FindKubernetes(name)
		if k == nil {
			r.Found(at, "the hook has no such binding; it has %s", listed(h.Config.SnapshotNames()))
			continue
		}
		entries := bindings[name]
		if mapping, ok := entries.(map[string]any); ok {
			entries = mapping["snapshot"]
		}
		taken := snapshot.Snapshot{}
		r.List(entries, at, func(value any, at string) { taken = append(taken, r.entry(ctx, k, value, at)) })
		r.all[h.ID][name] = taken
	}
}

func (r *recording) entry(ctx context.Context, k *binding.Kubernetes, value any, at string) snapshot.Entry {
	var e snapshot.Entry
	r.Mapping(value, at, []document.Field{
		{Key: "object", Read: func(v any, at string) {
			body, ok := v.(map[string]any)
			if !ok {
				r.Found(at, "wanted an object, found %s", document.KindOf(v))
			}
			e.Object, e.Ref = body, object.RefOf(body)
		}},
		{Key: "filterResult", Null: true, Read: func(v any, _ string) { e.Result, e.Filtered = v, true }},
	})
	if k.Filter != nil && !e.Filtered && e.Object != nil {
		result, err := k.Filter.Apply(ctx, e.Object)
		if err != nil {
			r.Found(at, "%v", err)
		}
		e.Result, e.Filtered = result, true
	}
	if !k.KeepFullObjects {
		e.Object = nil
	}
	return e
}

func ids(set *hook.Set) []string {
	all := make([]string, len(set.Hooks))
	for i, h := range set.Hooks {
		all[i] = h.ID
	}
	return all
}

func listed(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
