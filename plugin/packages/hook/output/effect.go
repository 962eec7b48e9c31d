package output

import (
	"context"
	"errors"
	"fmt"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/document"
)

// Effect says what the operation makes of its object. live is the object as it is,
// nil if it is not there; so is the result, nil if it is not there afterwards. An
// operation that changes nothing gives live itself.
//
// Errors: ErrExists, ErrMissing, those of a patch that can't be done, and a patch
// that would make another object of it; none of them names the operation. Whether
// the object is gone after Delete is the caller's matter.
func (o Operation) Effect(ctx context.Context, live map[string]any) (map[string]any, error) {
	next, err := o.effect(ctx, live)
	if err != nil {
		return nil, err
	}
	if next != nil && live != nil && object.Equal(next, live) {
		return live, nil
	}
	return next, nil
}

func (o Operation) effect(ctx context.Context, live map[string]any) (map[string]any, error) {
	switch {
	case o.Deletes():
		return nil, nil
	case o.Creates():
		return o.create(live)
	case live == nil && o.IgnoreMissing:
		return nil, nil
	case live == nil:
		return nil, ErrMissing
	}
	patched, err := o.patch(ctx, live)
	if err != nil {
		return nil, err
	}
	if patched, err = o.part(live, patched); err != nil {
		return nil, err
	}
	return patched, sameIdentity(live, patched)
}

func (o Operation) create(live map[string]any) (map[string]any, error) {
	switch {
	case live == nil:
		return o.Object, nil
	case o.Verb == Create:
		return nil, ErrExists
	case o.Verb == CreateIfNotExists:
		return live, nil
	}
	return o.part(live, replacing(live, o.Object))
}

// replacing is the written object with what the server owns of the live one. A
// status that the hook doesn't write stays: it is not the hook's.
func replacing(live, written map[string]any) map[string]any {
	liveMetadata, _ := live["metadata"].(map[string]any)
	metadata, _ := written["metadata"].(map[string]any)
	for _, key := range []string{"resourceVersion", "uid", "creationTimestamp", "generation", "managedFields", "selfLink"} {
		if value, ok := liveMetadata[key]; ok {
			metadata = with(metadata, key, value)
		}
	}
	next := with(written, "metadata", metadata)
	if _, writes := written["status"]; !writes && live["status"] != nil {
		next["status"] = live["status"]
	}
	return next
}

func (o Operation) patch(ctx context.Context, live map[string]any) (map[string]any, error) {
	var next any
	var err error
	switch o.Verb {
	case MergePatchVerb:
		next = Merge(live, o.MergePatch)
	case JSONPatchVerb:
		next, err = o.JSONPatch.Apply(live)
	case JQPatchVerb:
		if next, err = o.JQ.Apply(ctx, live); err != nil && isSecret(o) {
			err = errors.New("the filter fails on the object") // its text may hold the secret
		}
	}
	if err != nil {
		return nil, err
	}
	body, ok := next.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("makes %s of the object", document.KindOf(next))
	}
	return body, nil
}

// part takes of a patched object only what the subresource can change.
func (o Operation) part(live, patched map[string]any) (map[string]any, error) {
	switch o.Subresource {
	case "":
		return patched, nil
	case "status":
		if status, ok := patched["status"]; ok {
			return with(live, "status", status), nil
		}
		return without(live, "status"), nil
	}
	return nil, fmt.Errorf("what the subresource %q does can be told by a cluster only", o.Subresource)
}

var errIdentity = errors.New("would make another object of it: apiVersion, kind, namespace and name have to stay")

func sameIdentity(live, next map[string]any) error {
	if object.RefOf(live) != object.RefOf(next) || live["apiVersion"] != next["apiVersion"] {
		return errIdentity
	}
	return nil
}
