package state

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
)

// bodiesType keeps the Secrets apart from those that hold credentials.
const bodiesType = "tazuna.pepabo.com/record"

// saveBodies writes the bodies if they changed. They are a cache: a failure is a
// note and the run goes on.
func (s *Session) saveBodies(ctx context.Context) {
	s.mu.Lock()
	dirty, entries := s.bodiesDirty, s.bodyEntries()
	s.bodiesDirty = false
	s.mu.Unlock()
	if !dirty {
		return
	}
	if err := s.writeBodies(ctx, entries); err != nil {
		why := err.Error()
		if apierrors.IsForbidden(err) {
			why = "this user may not write it"
		}
		s.addNotes(fmt.Sprintf("what was applied could not be recorded in Secret %s/%s, the next diff will be less precise: %s",
			Namespace, BodiesName(s.ledger.manifest), why))
		s.mu.Lock()
		s.bodiesDirty = true // a later save of this run tries again
		s.mu.Unlock()
	}
}

// bodyEntries returns what is known of finished entries, in state key order.
func (s *Session) bodyEntries() []Entry {
	var entries []Entry
	texts := map[Key]string{}
	for _, e := range s.bodies {
		if e.ContentHash != "" {
			entries = append(entries, e)
			texts[e.Key] = e.Key.String()
		}
	}
	slices.SortFunc(entries, func(a, b Entry) int { return cmp.Compare(texts[a.Key], texts[b.Key]) })
	return entries
}

// writeBodies writes the parts that differ from what the cluster has.
func (s *Session) writeBodies(ctx context.Context, entries []Entry) error {
	packed, notes, err := encodeBodies(entries, bodiesLimit)
	if err != nil {
		return err
	}
	s.addNotes(notes...)
	if len(packed) == 0 && len(s.parts) == 0 {
		return nil
	}
	grown := len(packed) != len(s.parts)
	for len(s.parts) < len(packed) {
		s.parts = append(s.parts, bodyPart{})
	}
	for i := len(packed) - 1; i >= 0; i-- { // the first goes last: it says how many there are
		part := s.parts[i]
		if part.live != nil && bytes.Equal(part.packed, packed[i]) && !(i == 0 && grown) {
			continue
		}
		u, err := s.writePart(ctx, i, len(packed), packed[i])
		if err != nil {
			return err
		}
		s.parts[i] = bodyPart{live: u, packed: packed[i]}
	}
	return s.removeParts(ctx, len(packed))
}

// writePart writes one Secret, over whatever version is there: bodies that do not
// match the ConfigMap do not count, so the last writer may win.
func (s *Session) writePart(ctx context.Context, i, count int, packed []byte) (*unstructured.Unstructured, error) {
	live := s.parts[i].live
	for range 3 {
		u, err := s.sendPart(ctx, live, s.renderPart(i, count, packed, live))
		switch {
		case apierrors.IsNotFound(err):
			live = nil
		case apierrors.IsConflict(err), apierrors.IsAlreadyExists(err):
			if live, err = s.foreignPart(ctx, i); err != nil {
				return nil, err
			}
		default:
			return u, err
		}
	}
	return nil, fmt.Errorf("it is being changed all the time")
}

func (s *Session) sendPart(ctx context.Context, live *unstructured.Unstructured, body map[string]any) (*unstructured.Unstructured, error) {
	if live == nil {
		u, _, err := s.store.create(ctx, secrets(), body)
		return u, err
	}
	return s.store.Client.Update(ctx, secrets(), body, cluster.WriteOptions{Manager: fieldManager})
}

// foreignPart reads a Secret that we met in another version. One that is not a
// record of ours is not written over.
func (s *Session) foreignPart(ctx context.Context, i int) (*unstructured.Unstructured, error) {
	u, err := s.store.Client.Get(ctx, secrets(), Namespace, shardName(BodiesName(s.ledger.manifest), i))
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if owner := u.GetAnnotations()[AnnotationManifest]; owner != s.ledger.manifest {
		return nil, fmt.Errorf("it belongs to manifest %q", owner)
	}
	return u, nil
}

// renderPart makes the Secret to send.
func (s *Session) renderPart(i, count int, packed []byte, live *unstructured.Unstructured) map[string]any {
	u := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Secret", "type": bodiesType,
		"metadata": map[string]any{"name": shardName(BodiesName(s.ledger.manifest), i), "namespace": Namespace},
	}}
	if live != nil {
		u.SetUID(live.GetUID())
		u.SetResourceVersion(live.GetResourceVersion())
		u.SetLabels(live.GetLabels())
		if kind, _, _ := unstructured.NestedString(live.Object, "type"); kind != "" {
			u.Object["type"] = kind // the server does not let it change
		}
	}
	annotations := map[string]string{AnnotationManifest: s.ledger.manifest}
	if i == 0 && count > 1 {
		annotations[AnnotationShards] = strconv.Itoa(count)
	}
	u.SetAnnotations(annotations)
	u.Object["data"] = map[string]any{bodiesDataKey: base64.StdEncoding.EncodeToString(packed)}
	return u.Object
}

// removeParts deletes the Secrets beyond the first count.
func (s *Session) removeParts(ctx context.Context, count int) error {
	for i := len(s.parts) - 1; i >= count; i-- {
		name := shardName(BodiesName(s.ledger.manifest), i)
		err := s.store.Client.Delete(ctx, secrets(), Namespace, name, cluster.DeleteOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			return err
		}
		s.parts = s.parts[:i]
	}
	return nil
}
