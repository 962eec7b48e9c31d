package state

import (
	"context"
	"fmt"
	"maps"
)

// WriteAhead records, before the first object is written, that these objects are
// about to be: new ones with an empty hash, known ones keep theirs. A run that
// adds nothing makes no request. Keys that no record can hold are refused here.
func (s *Session) WriteAhead(ctx context.Context, wanted []Key) error {
	for _, k := range wanted {
		if back, err := ParseKey(k.String()); err != nil {
			return fmt.Errorf("%s can't be recorded: %w", k.Ref(), err)
		} else if back != k {
			return fmt.Errorf("%s can't be recorded: its names hold a \"/\"", k.Ref())
		}
		if k.Manifest != s.ledger.manifest {
			return fmt.Errorf("%s can't be recorded for manifest %q: its key is of manifest %q",
				k.Ref(), s.ledger.manifest, k.Manifest)
		}
	}
	if err := s.Alive(); err != nil {
		return err
	}
	s.saving.Lock()
	defer s.saving.Unlock()
	s.mu.Lock()
	for _, k := range wanted {
		s.begun = s.ledger.begin(k) || s.begun
	}
	needed := s.begun || len(wanted) > 0 && !s.isParent()
	s.touched = s.touched || needed
	s.mu.Unlock()
	if !needed {
		return nil
	}
	if err := s.saveConfigMaps(ctx, ResultRunning); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.announced = true
	return nil
}

// isParent tells whether the first ConfigMap already is the ApplySet parent that
// its entries need. KEP-3659 wants that before a member carries the label.
func (s *Session) isParent() bool {
	if len(s.ledger.shards) == 0 {
		return false
	}
	first := s.ledger.shards[0]
	if first.live == nil {
		return false
	}
	labels, annotations := parentMetadata(first.name, s.store.Identity.ToolVersion, s.ledger.keys())
	have := first.live.GetAnnotations()
	for name, value := range annotations {
		if name != ToolingAnnotation && have[name] != value {
			return false
		}
	}
	return maps.Equal(pick(first.live.GetLabels(), ParentIDLabel), labels)
}

// pick returns the part of a map under one name.
func pick(m map[string]string, name string) map[string]string {
	if v, ok := m[name]; ok {
		return map[string]string{name: v}
	}
	return nil
}
