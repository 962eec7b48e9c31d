package state

import (
	"context"
	"fmt"
	"maps"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
)

// ResultDone is the Result of a run that said nothing else of its end.
const ResultDone = "done"

// ResultUndone is the Result of a run that failed and was taken back.
const ResultUndone = "undone"

// ResultFailed is the Result of a run that ended and left something undone.
const ResultFailed = "failed"

// Save writes what was noted since the last save: the bodies first, then the
// ConfigMaps, so that a hash never stands without the chance of its body. With
// nothing noted it makes no request. final is for the end of a successful run: it
// also writes m, with the present time unless m has one. After an error it may be
// called again.
//
// Bodies that can't be saved are a note, not an error. If somebody else wrote the
// record, the error is a *MovedError and theirs is left alone.
func (s *Session) Save(ctx context.Context, final bool, m Metadata) error {
	s.saving.Lock()
	defer s.saving.Unlock()
	s.mu.Lock()
	pending := s.ledger.dirty() || s.bodiesDirty || s.announced || final && s.touched
	s.mu.Unlock()
	if !pending {
		return nil
	}
	if err := s.holdLock(ctx); err != nil {
		return err
	}
	s.saveBodies(ctx)
	if final {
		if m.LastSyncedAt.IsZero() {
			m.LastSyncedAt = s.store.clock().Now()
		}
		s.mu.Lock()
		first := s.ledger.first()
		first.put(metadataKey, encodeMetadata(m, first.data[metadataKey]))
		s.mu.Unlock()
	}
	if err := s.saveConfigMaps(ctx, s.result(final)); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.announced = false
	if final {
		s.touched = false
	}
	return nil
}

// holdLock makes sure of the lock before a save. The server may have been away for
// longer than the TTL; if nobody took the lock meanwhile it is still ours.
func (s *Session) holdLock(ctx context.Context) error {
	if s.lease.alive() == nil {
		return nil
	}
	if err := s.lease.renew(ctx); err != nil {
		return s.lease.alive()
	}
	return nil
}

// saveConfigMaps writes the shards that changed, and the first one with them for
// its annotations. It goes last: it says how many there are, and one it does not
// know of yet is no loss while one that is missing would be.
func (s *Session) saveConfigMaps(ctx context.Context, result string) error {
	s.mu.Lock()
	s.ledger.first().dirty = true
	shards := s.ledger.shards
	s.mu.Unlock()
	for i := len(shards) - 1; i >= 0; i-- {
		if err := s.saveShard(ctx, shards[i], result); err != nil {
			return fmt.Errorf("saving the record of manifest %q: %w", s.ledger.manifest, err)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begun = false
	return nil
}

// result is the word for how the run stands: the caller's, if it gave one.
func (s *Session) result(final bool) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.info.Result != "":
		return s.info.Result
	case final:
		return ResultDone
	default:
		return ResultFailed
	}
}

// saveShard writes one ConfigMap if it changed.
func (s *Session) saveShard(ctx context.Context, sh *shard, result string) error {
	for {
		s.mu.Lock()
		if !sh.dirty {
			s.mu.Unlock()
			return nil
		}
		sh.dirty = false // what is noted from here on is for the next save
		isNew, data, body := sh.live == nil, maps.Clone(sh.data), s.render(sh, result)
		s.mu.Unlock()

		u, err := s.send(ctx, isNew, body)
		if apierrors.IsConflict(err) || apierrors.IsNotFound(err) || apierrors.IsAlreadyExists(err) {
			u, err = s.met(ctx, sh, data)
		}
		s.mu.Lock()
		if err != nil {
			sh.dirty = true
			s.mu.Unlock()
			return err
		}
		if u != nil {
			sh.accept(u)
		}
		s.mu.Unlock()
	}
}

// send makes the request.
func (s *Session) send(ctx context.Context, isNew bool, body map[string]any) (*unstructured.Unstructured, error) {
	if isNew {
		u, _, err := s.store.create(ctx, configMaps(), body)
		return u, err
	}
	return s.store.Client.Update(ctx, configMaps(), body, cluster.WriteOptions{Manager: fieldManager})
}

// met looks at a ConfigMap that was not as expected. If it holds what we sent, an
// earlier answer got lost and all is well. A further shard that the record did not
// know of is taken in (and marked for writing; then no object is returned).
// Anything else is somebody else's work.
func (s *Session) met(ctx context.Context, sh *shard, sent map[string]string) (*unstructured.Unstructured, error) {
	u, err := s.store.Client.Get(ctx, configMaps(), Namespace, sh.name)
	if apierrors.IsNotFound(err) {
		return nil, movedError(s.ledger.manifest, sh, nil)
	}
	if err != nil {
		return nil, err
	}
	found := readShard(sh.index, u)
	s.mu.Lock()
	defer s.mu.Unlock()
	if lastRun(u).Session == s.lease.session && maps.Equal(found.data, sent) {
		return u, nil
	}
	owner := u.GetAnnotations()[AnnotationManifest]
	if sh.index > 0 && sh.live == nil && owner == s.ledger.manifest {
		s.ledger.merge(sh, found)
		return nil, nil
	}
	return nil, movedError(s.ledger.manifest, sh, u)
}

// render makes the ConfigMap to send. What others put on it stays.
func (s *Session) render(sh *shard, result string) map[string]any {
	u := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap",
		"metadata": map[string]any{"name": sh.name, "namespace": Namespace},
	}}
	if sh.live != nil {
		u = sh.live.DeepCopy()
	}
	data := make(map[string]any, len(sh.data))
	for key, value := range sh.data {
		data[key] = value
	}
	u.Object["data"] = data

	annotations, labels := u.GetAnnotations(), u.GetLabels()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[AnnotationManifest] = s.ledger.manifest
	annotations[AnnotationLastRun] = s.run(result).encode()
	if sh.index == 0 {
		labels = s.describeRecord(sh, labels, annotations)
	}
	u.SetAnnotations(annotations)
	u.SetLabels(labels)
	return u.Object
}

// describeRecord sets what the first ConfigMap says of the whole record.
func (s *Session) describeRecord(sh *shard, labels, annotations map[string]string) map[string]string {
	set := func(name, value string, wanted bool) {
		delete(annotations, name)
		if wanted {
			annotations[name] = value
		}
	}
	count := s.ledger.count()
	set(AnnotationShards, strconv.Itoa(count), count > 1)
	if s.info.DefaultNamespace != "" {
		annotations[AnnotationDefaultNamespace] = s.info.DefaultNamespace
	}
	withDeleteHooks(annotations, s.info.DeleteHooks)
	if s.info.FieldManager != "" {
		annotations[AnnotationFieldManager] = s.info.FieldManager
	}
	id, parent := parentMetadata(sh.name, s.store.Identity.ToolVersion, s.ledger.keys())
	for _, name := range []string{ToolingAnnotation, GroupKindsAnnotation, NamespacesAnnotation} {
		value, wanted := parent[name]
		set(name, value, wanted)
	}
	labels = maps.Clone(labels)
	if labels == nil {
		labels = map[string]string{}
	}
	delete(labels, ParentIDLabel)
	maps.Copy(labels, id)
	if s.info.Project != "" {
		labels[ProjectLabel] = s.info.Project
	}
	return labels
}

// run describes this run for the annotation.
func (s *Session) run(result string) Run {
	who := s.store.Identity
	return Run{
		User: who.User, Host: who.Host, PID: who.PID, ToolVersion: who.ToolVersion,
		Operation: s.operation, Session: s.lease.session, Time: s.store.clock().Now(),
		PlanDigest: s.info.PlanDigest, Result: result,
	}
}
