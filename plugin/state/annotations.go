package state

import (
	"encoding/json"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Annotations of our objects. They are not data keys because the original tool
// reads every data key as an object.
const (
	// AnnotationManifest holds the full manifest name, which the object's own name
	// may hold only in part.
	AnnotationManifest = "tazuna.pepabo.com/manifest"
	// AnnotationLastRun holds a Run as JSON.
	AnnotationLastRun = "tazuna.pepabo.com/last-run"
	// AnnotationDefaultNamespace and AnnotationFieldManager hold what the objects
	// were applied with.
	AnnotationDefaultNamespace = "tazuna.pepabo.com/default-namespace"
	AnnotationFieldManager     = "tazuna.pepabo.com/field-manager"
	// AnnotationDeleteHooks names the hooks of charts around the deletion of their
	// releases, a list of ReleaseHooks as JSON.
	AnnotationDeleteHooks = "tazuna.pepabo.com/delete-hooks"
	// ProjectLabel names the file that the record's manifest is of, on the first of its
	// objects; absent where the file has no name.
	ProjectLabel = "tazuna.pepabo.com/project"
	// AnnotationShards is the number of objects the record is spread over, on the
	// first of them; absent means one.
	AnnotationShards = "tazuna.pepabo.com/shards"
	// AnnotationSession is the random name of the run that holds a Lease.
	AnnotationSession = "tazuna.pepabo.com/session"
)

// ResultRunning is the Result of a run that has announced its objects and not
// ended yet. It stays if the run is killed.
const ResultRunning = "running"

// Run is what a record remembers of the run that wrote it last.
type Run struct {
	User        string    `json:"user,omitempty"`
	Host        string    `json:"host,omitempty"`
	PID         int       `json:"pid,omitempty"`
	Operation   string    `json:"operation,omitempty"`
	ToolVersion string    `json:"toolVersion,omitempty"`
	Time        time.Time `json:"time,omitzero"`
	PlanDigest  string    `json:"planDigest,omitempty"`
	Result      string    `json:"result,omitempty"`
	Session     string    `json:"session,omitempty"`
}

// RunInfo is what the caller knows about its run, for the annotations. An empty
// DefaultNamespace or FieldManager leaves what is there. Result is the word for how
// the run ended, for its last save; empty, it is done after a final save and failed
// after another one.
type RunInfo struct {
	DefaultNamespace, FieldManager string
	// DeleteHooks are those that the record is to name; nil leaves what is there.
	DeleteHooks []ReleaseHooks
	// Project is the value of ProjectLabel; empty leaves what is there.
	Project            string
	PlanDigest, Result string
}

// lastRun reads the annotation; what cannot be read counts as unknown.
func lastRun(u *unstructured.Unstructured) Run {
	r := Run{}
	if err := json.Unmarshal([]byte(u.GetAnnotations()[AnnotationLastRun]), &r); err != nil {
		return Run{}
	}
	return r
}

// encode returns the annotation's value.
func (r Run) encode() string {
	r.Time = r.Time.UTC().Truncate(time.Second)
	text, _ := json.Marshal(r) // strings, a number and a time always encode
	return string(text)
}
