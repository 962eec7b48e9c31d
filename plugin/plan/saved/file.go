package saved

import (
	"time"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

// Kind is the kind of a saved plan; its API version is that of plan.Report.
const Kind = "SavedPlan"

// File is a saved plan.
type File struct {
	APIVersion  string    `json:"apiVersion"`
	Kind        string    `json:"kind"`
	Created     time.Time `json:"created"`
	ToolVersion string    `json:"toolVersion"`
	// Cluster is the one that was compared with.
	Cluster Cluster `json:"cluster"`
	// Flags are those that said what to build and what may be done, by name, as
	// they were given.
	Flags map[string][]string `json:"flags,omitempty"`
	// KeyedBy tells where the key of the digests comes from.
	KeyedBy KeySource `json:"keyedBy,omitempty"`
	// Manifests are the records of the run, Objects its objects, in the plan's order.
	Manifests []Manifest `json:"manifests"`
	Objects   []Object   `json:"objects"`
	// Hooks is the digest of what the run would do beside its objects, the hooks of
	// charts; empty for none.
	Hooks string `json:"hooks,omitempty"`
	// Report is what was shown, masked. It is for people and tools that read the
	// file; apply doesn't.
	Report *plan.Report `json:"report"`
}

// Cluster names a cluster. UID is that of namespace kube-system and empty for
// users who may not read it; then the server's address has to do.
type Cluster struct {
	UID     string `json:"uid,omitempty"`
	Server  string `json:"server"`
	Context string `json:"context,omitempty"`
}

// Manifest is what a plan says of one record beside its objects.
type Manifest struct {
	Name string `json:"name,omitempty"`
	// Repair is why the record would be written although no object changes.
	Repair string `json:"repair,omitempty"`
	// Gone are the state keys that would leave the record.
	Gone []string `json:"gone,omitempty"`
}

// Object is what a plan is bound to of one object. Digests are hexadecimal.
type Object struct {
	Manifest  string  `json:"manifest,omitempty"`
	Group     string  `json:"group,omitempty"`
	Kind      string  `json:"kind"`
	Namespace string  `json:"namespace,omitempty"`
	Name      string  `json:"name"`
	Op        plan.Op `json:"op,omitempty"`
	// Input is of the built object; empty for deletions.
	Input string `json:"input,omitempty"`
	// Seen is of what was compared of the live object; empty where nothing was
	// there, or where it was known to be as wanted.
	Seen string `json:"seen,omitempty"`
	// Intent is of what would be sent; empty where nothing would.
	Intent string `json:"intent,omitempty"`
}

// KeySource names where the key of digests comes from.
type KeySource string

// Key sources. KeyNone stands for digests without a key, of plans without secrets.
const (
	KeyNone        KeySource = ""
	KeyCluster     KeySource = "cluster"     // the hash key in the cluster
	KeyEnvironment KeySource = "environment" // TAZUNA_PLAN_KEY
)
