package state

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// bodiesDataKey is the one key of a bodies Secret.
const bodiesDataKey = "record"

// bodyPart is one Secret as it was read or written last.
type bodyPart struct {
	live   *unstructured.Unstructured
	packed []byte
}

// readBodies fills in what the Secrets know. Whatever goes wrong is a note: all
// works without bodies.
func (s *Store) readBodies(ctx context.Context, rec *Record) []bodyPart {
	parts, found, err := s.fetchBodies(ctx, rec.Manifest)
	rec.fill(found, s.LazyBodies) // each part that could be read is worth having
	rec.BodiesKnown = err == nil
	if err == nil {
		return parts
	}
	why := err.Error()
	switch {
	case apierrors.IsNotFound(err) && !rec.applied():
		return parts // there was no last apply: nothing is missing
	case apierrors.IsNotFound(err):
		why = "it does not exist"
		// The original tool, which names no field manager, keeps none.
		rec.BodiesLost = rec.FieldManager != ""
	case apierrors.IsForbidden(err):
		why = "this user may not read it"
	case errors.Is(err, errDamagedBodies):
		rec.BodiesLost = rec.FieldManager != ""
	}
	rec.Notes = append(rec.Notes, fmt.Sprintf("what was applied last is guessed from field owners, "+
		"without the bodies in Secret %s/%s: %s", Namespace, BodiesName(rec.Manifest), why))
	return parts
}

// applied reports whether any entry was ever confirmed; one that was only announced
// has no body.
func (r *Record) applied() bool {
	return slices.ContainsFunc(r.Entries, func(e Entry) bool { return e.ContentHash != "" })
}

// fetchBodies reads all parts. With an error it returns those it could read.
func (s *Store) fetchBodies(ctx context.Context, manifest string) (parts []bodyPart, all []bodyEntry, err error) {
	count := 1
	for i := 0; i < count; i++ {
		u, err := s.Client.Get(ctx, secrets(), Namespace, shardName(BodiesName(manifest), i))
		if err != nil {
			return parts, all, err
		}
		if i == 0 {
			if count, err = shardCount(u); err != nil {
				return nil, nil, err
			}
		}
		part, found, err := unpackSecret(manifest, u)
		if err != nil {
			return parts, all, err
		}
		parts, all = append(parts, part), append(all, found...)
	}
	return parts, all, nil
}

// unpackSecret reads the entries of one Secret.
func unpackSecret(manifest string, u *unstructured.Unstructured) (bodyPart, []bodyEntry, error) {
	if owner := u.GetAnnotations()[AnnotationManifest]; owner != manifest {
		return bodyPart{}, nil, fmt.Errorf("it belongs to manifest %q", owner)
	}
	text, _, _ := unstructured.NestedString(u.Object, "data", bodiesDataKey)
	packed, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return bodyPart{}, nil, fmt.Errorf("data key %s is %w: not base64", bodiesDataKey, errDamagedBodies)
	}
	entries, err := decodeBodies(packed)
	return bodyPart{live: u, packed: packed}, entries, err
}
