package state

import (
	"context"
	"fmt"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation"
)

// maxShards bounds what a damaged annotation can make us ask for. A thousand
// parts hold more than two million objects.
const maxShards = 1000

// Read returns the record of a manifest. One that does not exist is an empty
// Record, not an error. Bodies that are lost or forbidden are a note in it.
func (s *Store) Read(ctx context.Context, manifest string) (*Record, error) {
	rec, _, _, err := s.read(ctx, manifest)
	return rec, err
}

// read also returns the working copies for a Session.
func (s *Store) read(ctx context.Context, manifest string) (*Record, *ledger, []bodyPart, error) {
	if err := ValidateManifest(manifest); err != nil {
		return nil, nil, nil, err
	}
	shards, err := s.readShards(ctx, manifest)
	if err != nil {
		return nil, nil, nil, err
	}
	l, damaged := newLedger(manifest, shards)
	rec := newRecord(l, damaged)
	if !rec.Exists {
		return rec, l, nil, nil
	}
	return rec, l, s.readBodies(ctx, rec), nil
}

// readShards reads the ConfigMaps of a record; none if it does not exist.
func (s *Store) readShards(ctx context.Context, manifest string) ([]*shard, error) {
	first, err := s.readFirst(ctx, manifest)
	if err != nil || first == nil {
		return nil, err
	}
	count, err := shardCount(first)
	if err != nil {
		return nil, err
	}
	shards := []*shard{readShard(0, first)}
	for i := 1; i < count; i++ {
		next := newShard(manifest, i)
		u, err := s.Client.Get(ctx, configMaps(), Namespace, next.name)
		switch {
		case apierrors.IsNotFound(err):
			next.missing = true
		case err != nil:
			return nil, fmt.Errorf("reading the record of manifest %q: part %d of %d: %w", manifest, i+1, count, err)
		default:
			next = readShard(i, u)
		}
		shards = append(shards, next)
	}
	return shards, nil
}

// readFirst reads the first ConfigMap; nil if there is none.
func (s *Store) readFirst(ctx context.Context, manifest string) (*unstructured.Unstructured, error) {
	u, err := s.Client.Get(ctx, configMaps(), Namespace, StateName(manifest))
	if old := originalName(manifest); apierrors.IsNotFound(err) && old != "" {
		u, err = s.Client.Get(ctx, configMaps(), Namespace, old)
	}
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the record of manifest %q: %w", manifest, err)
	}
	if owner := u.GetAnnotations()[AnnotationManifest]; owner != "" && owner != manifest {
		return nil, fmt.Errorf("reading the record of manifest %q: ConfigMap %s/%s belongs to manifest %q; "+
			"rename one of the two", manifest, Namespace, u.GetName(), owner)
	}
	return u, checkDefaultNamespace(u)
}

// checkDefaultNamespace refuses what can't be one: objects would be looked for there.
func checkDefaultNamespace(first *unstructured.Unstructured) error {
	text := first.GetAnnotations()[AnnotationDefaultNamespace]
	if text == "" || len(validation.IsDNS1123Label(text)) == 0 {
		return nil
	}
	return fmt.Errorf("%s %s/%s: annotation %s: wanted the name of a namespace, found %q; remove it, and give -n NAMESPACE",
		first.GetKind(), Namespace, first.GetName(), AnnotationDefaultNamespace, text)
}

// shardCount says over how many objects a record is spread.
func shardCount(first *unstructured.Unstructured) (int, error) {
	text, ok := first.GetAnnotations()[AnnotationShards]
	if !ok {
		return 1, nil
	}
	count, err := strconv.Atoi(text)
	if err != nil || count < 1 || count > maxShards {
		return 0, fmt.Errorf("%s %s/%s: annotation %s: wanted a number from 1 to %d, found %q; it says how many of %[3]s, %[3]s.1, … there are: correct it, or remove it where there is one",
			first.GetKind(), Namespace, first.GetName(), AnnotationShards, maxShards, text)
	}
	return count, nil
}

// newRecord makes the readable view of a working copy.
func newRecord(l *ledger, damaged []DamagedEntry) *Record {
	rec := &Record{
		Manifest:  l.manifest,
		Exists:    len(l.shards) > 0,
		Entries:   l.entries(),
		legacy:    l.legacy(),
		Damaged:   damaged,
		revision:  revisionOf(l.shards),
		configMap: StateName(l.manifest),
	}
	rec.indexEntries()
	if !rec.Exists {
		return rec
	}
	first := l.shards[0]
	rec.configMap = first.name
	rec.DefaultNamespace = first.annotation(AnnotationDefaultNamespace)
	rec.FieldManager = first.annotation(AnnotationFieldManager)
	rec.DeleteHooks = deleteHooks(first.live)
	rec.Project = first.live.GetLabels()[ProjectLabel]
	rec.LastRun = lastRun(first.live)
	if value, ok := first.data[metadataKey]; ok {
		meta, err := parseMetadata(value)
		if err != nil {
			rec.Notes = append(rec.Notes, fmt.Sprintf("time and commit of the last sync are not known: ConfigMap %s/%s, "+
				"key %s: %v", Namespace, first.name, metadataKey, err))
		}
		rec.Metadata = meta
	}
	return rec
}
