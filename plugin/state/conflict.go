package state

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// MovedError is returned when somebody else wrote the record since we read it.
// Nothing of theirs was overwritten.
type MovedError struct {
	Manifest string
	// ConfigMap is the part of the record that was met changed.
	ConfigMap string
	// Deleted: it was deleted, not changed.
	Deleted bool
	// By says who wrote it, as far as it can be told: a run, or a field manager.
	By string
	// At is when, by the server's or the writer's clock; zero if unknown.
	At time.Time
}

// Error says what happened, who did it and how to go on.
func (e *MovedError) Error() string {
	what := "was changed"
	if e.Deleted {
		what = "was deleted"
	}
	text := fmt.Sprintf("the record of manifest %q (ConfigMap %s/%s) %s while this run was under way",
		e.Manifest, Namespace, e.ConfigMap, what)
	if e.By != "" {
		text += ", by " + e.By
	}
	if !e.At.IsZero() {
		text += " at " + e.At.UTC().Format(time.RFC3339)
	}
	return text + "; it was left as it is: run the command again"
}

// movedError finds out who wrote a ConfigMap that we had seen in another version.
func movedError(manifest string, s *shard, now *unstructured.Unstructured) *MovedError {
	e := &MovedError{Manifest: manifest, ConfigMap: s.name}
	if now == nil {
		e.Deleted = true
		return e
	}
	run := lastRun(now)
	if run.Session != "" && (s.live == nil || lastRun(s.live).Session != run.Session) {
		e.By, e.At = run.who(), run.Time
		return e
	}
	// Not a run of ours: the newest entry in managedFields is the best guess.
	for _, entry := range now.GetManagedFields() {
		if entry.Time != nil && entry.Time.After(e.At) {
			e.By, e.At = "field manager "+entry.Manager, entry.Time.Time
		}
	}
	return e
}

// who names the person and the process behind a run.
func (r Run) who() string {
	return Identity{User: r.User, Host: r.Host, PID: r.PID}.holder(r.Operation)
}
