package status

import (
	"maps"
	"reflect"
	"slices"
	"sync"

	"k8s.io/utils/clock"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
)

// Store keeps what is known of all instances, by api.InstanceName. It is safe for use
// by several goroutines.
type Store struct {
	clock   clock.PassiveClock
	changed func(name string)

	mu        sync.Mutex
	instances map[string]*Internal
}

// NewStore makes an empty store. changed is called after every change of an instance,
// in the goroutine that made it and without any lock; it must not block.
func NewStore(c clock.PassiveClock, changed func(name string)) *Store {
	return &Store{clock: c, changed: changed, instances: map[string]*Internal{}}
}

// Set reports conditions.
func (s *Store) Set(name string, conditions ...Condition) {
	s.update(name, func(i *Internal) bool {
		changed := false
		for _, c := range conditions {
			c.LastTransitionTime = s.clock.Now()
			changed = i.set(c) || changed
		}
		return changed
	})
}

// Forget takes conditions back: nothing is known of them any more. A new version of a
// package begins with it.
func (s *Store) Forget(name string, types ...Type) {
	s.update(name, func(i *Internal) bool {
		before := len(i.Conditions)
		i.Conditions = slices.DeleteFunc(i.Conditions, func(c Condition) bool { return slices.Contains(types, c.Type) })
		return len(i.Conditions) != before
	})
}

// SetVersion reports the version that is being loaded.
func (s *Store) SetVersion(name, version string) {
	s.update(name, func(i *Internal) bool {
		changed := i.Version != version
		i.Version = version
		return changed
	})
}

// Track reports the progress of an apply.
func (s *Store) Track(name string, t api.Tracking) {
	s.update(name, func(i *Internal) bool {
		if i.Tracking != nil && reflect.DeepEqual(*i.Tracking, t) {
			return false
		}
		i.Tracking = t.DeepCopy()
		return true
	})
}

// Commit reports that an apply went well: ManifestsApplied is True, and this is what
// is in the cluster now.
func (s *Store) Commit(name string, a Applied) {
	s.update(name, func(i *Internal) bool {
		c := True(ManifestsApplied)
		c.LastTransitionTime = s.clock.Now()
		changed := i.set(c)
		if i.Applied != nil && reflect.DeepEqual(*i.Applied, a) {
			return changed
		}
		i.Applied = a.clone()
		return true
	})
}

// SetURLs refreshes the endpoints of what is committed; without that it does nothing.
// They may come from a render whose objects didn't have to be applied.
func (s *Store) SetURLs(name string, urls []api.URL) {
	s.update(name, func(i *Internal) bool {
		if i.Applied == nil || slices.Equal(i.Applied.URLs, urls) {
			return false
		}
		i.Applied.URLs = slices.Clone(urls)
		return true
	})
}

// Get returns a copy of what is known of an instance; ok is false if that is nothing.
func (s *Store) Get(name string) (known Internal, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, ok := s.instances[name]
	if !ok {
		return Internal{}, false
	}
	return i.clone(), true
}

// Delete forgets an instance. It is no change that anybody is told of.
func (s *Store) Delete(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.instances, name)
}

// Names returns the instances that something is known of, sorted.
func (s *Store) Names() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.instances))
}

func (s *Store) update(name string, change func(*Internal) bool) {
	if s.change(name, change) && s.changed != nil {
		s.changed(name)
	}
}

func (s *Store) change(name string, change func(*Internal) bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, ok := s.instances[name]
	if !ok {
		i = &Internal{}
		s.instances[name] = i
	}
	return change(i)
}
