package cluster

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// do sends a request until it is answered. settle, when not nil, is asked once a
// repetition was refused after an attempt that may have been performed: it tells
// whether the cluster is as the request wanted it.
func (c *Client) do(ctx context.Context, r *request, settle func(context.Context, error) ([]byte, bool)) ([]byte, error) {
	t := c.newTries(r.verb)
	t.clean = func(err error) error { return scrubError(err, r.scrub) }
	doubt := false
	for {
		body, err := c.send(ctx, r)
		if err == nil {
			return body, nil
		}
		if doubt && settle != nil && refusedRepetition(err) {
			if body, done := settle(ctx, err); done {
				return body, nil
			}
		}
		if r.writes() && doubtful(err) {
			doubt = true
		}
		if err := t.pause(ctx, err); err != nil {
			return nil, r.fail(c.final(ctx, r, err, doubt && !refusedRepetition(err)))
		}
	}
}

// final marks what a caller must know about a failure that stays: nobody serves
// the kind, its API is out of reach, or a write whose outcome is open.
func (c *Client) final(ctx context.Context, r *request, err error, open bool) error {
	switch {
	case r.gk != noGroupKind && isNotServed(err):
		c.catalogue.forget(ctx)
		return &ErrNoKind{GroupKind: r.gk, Version: r.version}
	case r.gk != noGroupKind && isAggregatorRefusal(err):
		return &ErrUnavailable{GroupVersion: r.gk.WithVersion(r.version).GroupVersion(), Reason: "service unavailable"}
	case open:
		return &ErrOutcomeUnknown{Err: err}
	}
	return err
}

// refusedRepetition knows the answers that a write gets which was performed
// already: the object exists, has changed, or is gone.
func refusedRepetition(err error) bool {
	return apierrors.IsAlreadyExists(err) || apierrors.IsConflict(err) || apierrors.IsNotFound(err)
}

// doObject sends a request whose answer is an object.
func (c *Client) doObject(ctx context.Context, r *request, settle func(context.Context, error) ([]byte, bool)) (*unstructured.Unstructured, error) {
	body, err := c.do(ctx, r, settle)
	if err != nil {
		return nil, err
	}
	obj, err := decodeObject(body)
	if err != nil {
		return nil, r.fail(err)
	}
	return obj, nil
}

// decodeObject reads an answer. Integers become int64, other numbers float64, as
// the server itself holds them.
func decodeObject(body []byte) (*unstructured.Unstructured, error) {
	var content map[string]any
	if err := utiljson.Unmarshal(body, &content); err != nil {
		return nil, fmt.Errorf("decode the server's answer: %w", err)
	}
	if content == nil {
		return nil, errors.New("decode the server's answer: it is not an object")
	}
	return &unstructured.Unstructured{Object: content}, nil
}
