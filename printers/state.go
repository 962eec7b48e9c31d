package printers

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

// Kinds of the state results in plan.APIVersion.
const (
	StateListKind  = "StateList"
	StateDiffKind  = "StateDiff"
	StateDriftKind = "StateDrift"
)

// StateResource names a recorded object by its state key without the manifest.
type StateResource struct {
	Group     string `json:"group"`
	Version   string `json:"version"`
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
}

// String is the state key without the manifest: group/version/kind/namespace/name
// or, cluster-scoped, group/version/kind/name. The core group leaves a leading
// slash.
func (r StateResource) String() string {
	parts := []string{r.Group, r.Version, r.Kind}
	if r.Namespace != "" {
		parts = append(parts, r.Namespace)
	}
	return strings.Join(append(parts, r.Name), "/")
}

// StateEntry is one recorded object of a manifest.
type StateEntry struct {
	StateResource
	// ContentHash is empty for an entry written ahead of its object.
	ContentHash string `json:"contentHash"`
	// RawKey is the data key of an entry whose key can't be read; the names are
	// empty then.
	RawKey string `json:"rawKey,omitempty"`
}

// StateManifest is the record of one manifest.
type StateManifest struct {
	Manifest string `json:"manifest"`
	// Orphan is set when a record exists and no file names the manifest.
	Orphan bool `json:"orphan,omitempty"`
	// Project names the file that the manifest is of.
	Project string `json:"project,omitempty"`
	// LastSyncedAt and GitCommitHash are the texts of _metadata; empty when absent.
	LastSyncedAt  string       `json:"lastSyncedAt,omitempty"`
	GitCommitHash string       `json:"gitCommitHash,omitempty"`
	Entries       []StateEntry `json:"entries"`
	// Notes say what couldn't be read or used.
	Notes []string `json:"notes,omitempty"`
}

// StateList is the result of state list.
type StateList struct {
	APIVersion string          `json:"apiVersion"`
	Kind       string          `json:"kind"`
	Manifests  []StateManifest `json:"manifests"`
}

// NewStateList wraps records as a result. Manifests keep the given order, their
// entries are put in the order of the state key.
func NewStateList(manifests []StateManifest) *StateList {
	l := &StateList{APIVersion: plan.APIVersion, Kind: StateListKind, Manifests: orEmpty(manifests)}
	for i := range l.Manifests {
		l.Manifests[i].Entries = orEmpty(l.Manifests[i].Entries)
		slices.SortStableFunc(l.Manifests[i].Entries, func(a, b StateEntry) int {
			return cmp.Compare(a.label(), b.label())
		})
	}
	return l
}

// Names lists the recorded objects.
func (l *StateList) Names() []string {
	var names []string
	for _, m := range l.Manifests {
		for _, e := range m.Entries {
			if e.RawKey == "" {
				names = append(names, kubectlName(e.Group, e.Kind, e.Name))
			}
		}
	}
	return names
}

// StateChange is one difference between what was built and what is recorded.
type StateChange struct {
	StateResource
	// Status is added, modified, removed, always-sync or unknown.
	Status string `json:"status"`
	// ContentHash is that of the built object, empty when it is gone; Was is the
	// recorded one.
	ContentHash string `json:"contentHash,omitempty"`
	Was         string `json:"was,omitempty"`
}

// StateDiffManifest holds the changes of one manifest in the order to print.
type StateDiffManifest struct {
	Manifest string        `json:"manifest"`
	Orphan   bool          `json:"orphan,omitempty"`
	Changes  []StateChange `json:"changes"`
	Notes    []string      `json:"notes,omitempty"`
}

// StateDiff is the result of state diff: build against state.
type StateDiff struct {
	APIVersion string              `json:"apiVersion"`
	Kind       string              `json:"kind"`
	Manifests  []StateDiffManifest `json:"manifests"`
}

// NewStateDiff wraps changes as a result.
func NewStateDiff(manifests []StateDiffManifest) *StateDiff {
	d := &StateDiff{APIVersion: plan.APIVersion, Kind: StateDiffKind, Manifests: orEmpty(manifests)}
	for i := range d.Manifests {
		d.Manifests[i].Changes = orEmpty(d.Manifests[i].Changes)
	}
	return d
}

// Names lists the objects with a change.
func (d *StateDiff) Names() []string {
	var names []string
	for _, m := range d.Manifests {
		for _, c := range m.Changes {
			names = append(names, kubectlName(c.Group, c.Kind, c.Name))
		}
	}
	return names
}

// Words of StateDrifted.Status for what is no drift.
const (
	// DriftUnknown: it can't be told.
	DriftUnknown = "unknown"
	// DriftAnnounced: a run announced that it would make the object, and no apply of it
	// is known; it isn't there.
	DriftAnnounced = "announced"
)

// StateDrifted is one recorded object that isn't in the cluster as recorded.
type StateDrifted struct {
	StateResource
	// Status is live-drifted, live-missing, announced where the object was never made, or
	// unknown where the record has only the hash of what was applied and that can't be
	// told; Reason says what is known.
	Status string `json:"status"`
	Reason string `json:"reason,omitempty"`
	// LiveHash is empty when the object is missing or has no comparable hash; StoredHash
	// when no apply of it is known.
	LiveHash   string `json:"liveHash,omitempty"`
	StoredHash string `json:"storedHash"`
	// Differences are the drifted fields, masked, with their authors.
	Differences []plan.Difference `json:"differences,omitempty"`
}

// Drifts reports whether the object is known to be other than it was applied.
func (o StateDrifted) Drifts() bool { return o.Status != DriftUnknown && o.Status != DriftAnnounced }

// StateDriftManifest holds the drift of one manifest in the order to print.
type StateDriftManifest struct {
	Manifest string `json:"manifest"`
	Orphan   bool   `json:"orphan,omitempty"`
	// Failed: not all of it could be compared. What isn't listed may have drifted.
	Failed  bool           `json:"failed,omitempty"`
	Objects []StateDrifted `json:"objects"`
	Notes   []string       `json:"notes,omitempty"`
}

// StateDrift is the result of state drift: state against the cluster.
type StateDrift struct {
	APIVersion string               `json:"apiVersion"`
	Kind       string               `json:"kind"`
	Manifests  []StateDriftManifest `json:"manifests"`
}

// NewStateDrift wraps drift as a result.
func NewStateDrift(manifests []StateDriftManifest) *StateDrift {
	d := &StateDrift{APIVersion: plan.APIVersion, Kind: StateDriftKind, Manifests: orEmpty(manifests)}
	for i := range d.Manifests {
		d.Manifests[i].Objects = orEmpty(d.Manifests[i].Objects)
	}
	return d
}

// Names lists the drifted and missing objects.
func (d *StateDrift) Names() []string {
	var names []string
	for _, m := range d.Manifests {
		for _, o := range m.Objects {
			if o.Drifts() {
				names = append(names, kubectlName(o.Group, o.Kind, o.Name))
			}
		}
	}
	return names
}

// orEmpty copies a list; the copy of none is an empty one, not JSON's null.
func orEmpty[T any](list []T) []T { return append([]T{}, list...) }
