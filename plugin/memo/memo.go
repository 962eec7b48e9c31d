// Package memo remembers on the local disk which objects were found to be as
// wanted, so that a later run need not ask the server about them again.
//
// A memo is only a shortcut: it holds no bodies and no names, only UIDs,
// resourceVersions and input keys; losing it costs requests, nothing else. It is
// valid within one scope (cluster, user, server version, state of everything
// that may change an object on its way in) and for Lifetime.
//
// Flow: Open reads the file of a scope, Equal answers during the run, Remember
// notes, Close writes the file anew in one step. A file that can't be read is an
// empty memo; one that can't be written is an error for a log line.
package memo

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Lifetime is how long an entry is believed (docs/troubleshooting.md, --refresh).
const Lifetime = 24 * time.Hour

// Memo is safe for concurrent use. A nil Memo knows nothing and forgets all.
type Memo struct {
	path string
	now  time.Time

	mu      sync.Mutex
	entries map[string]entry
	dirty   bool
}

// entry is one object that was as wanted.
type entry struct {
	ResourceVersion string `json:"rv"`
	InputKey        string `json:"key"`
	Unix            int64  `json:"t"`
}

// Open reads the memo of a scope, a file name without separators, below dir.
func Open(dir, scope string, now time.Time) *Memo {
	m := &Memo{path: filepath.Join(dir, scope+".json"), now: now, entries: map[string]entry{}}
	data, err := os.ReadFile(m.path)
	if err != nil {
		return m
	}
	if err := json.Unmarshal(data, &m.entries); err != nil || m.entries == nil {
		m.entries = map[string]entry{}
	}
	for uid, e := range m.entries {
		if now.Sub(time.Unix(e.Unix, 0)) > Lifetime || time.Unix(e.Unix, 0).After(now) {
			delete(m.entries, uid)
			m.dirty = true
		}
	}
	return m
}

// Equal reports whether the object with this UID was as wanted at this very
// resourceVersion for this very input.
func (m *Memo) Equal(uid, resourceVersion, inputKey string) bool {
	if m == nil || uid == "" || resourceVersion == "" || inputKey == "" {
		return false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	e, ok := m.entries[uid]
	return ok && e.ResourceVersion == resourceVersion && e.InputKey == inputKey
}

// Knows reports whether there is an entry at all for the object, whose proof begins
// with this input key.
func (m *Memo) Knows(uid, inputKey string) bool {
	if m == nil {
		return false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	e, ok := m.entries[uid]
	return ok && strings.HasPrefix(e.InputKey, inputKey)
}

// Remember notes that an object is as wanted.
func (m *Memo) Remember(uid, resourceVersion, inputKey string) {
	if m == nil || uid == "" || resourceVersion == "" || inputKey == "" {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	next := entry{ResourceVersion: resourceVersion, InputKey: inputKey, Unix: m.now.Unix()}
	if have, ok := m.entries[uid]; ok && have.ResourceVersion == resourceVersion && have.InputKey == inputKey {
		return
	}
	m.entries[uid], m.dirty = next, true
}

// Close writes the memo if it changed.
func (m *Memo) Close() error {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.dirty {
		return nil
	}
	if err := m.write(); err != nil {
		return fmt.Errorf("remember what is as wanted: %w", err)
	}
	m.dirty = false
	return nil
}

func (m *Memo) write() error {
	dir := filepath.Dir(m.path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	data, err := json.Marshal(m.entries)
	if err != nil {
		return err
	}
	tmp, err := os.CreateTemp(dir, ".memo-*")
	if err != nil {
		return err
	}
	_, err = tmp.Write(data)
	if closed := tmp.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(tmp.Name(), m.path)
	}
	if err != nil {
		_ = os.Remove(tmp.Name())
	}
	return err
}
