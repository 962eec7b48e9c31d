package report

import (
	"maps"
	"slices"
)

// Instances are all applications of a controller, as "packages dump" prints them.
// The shape is Deckhouse's.
type Instances struct {
	// Apps are by NAMESPACE.INSTANCE.
	Apps map[string]Instance `json:"apps"`
}

// Names lists the applications, for -o name.
func (i *Instances) Names() []string { return instanceNames(i.Apps) }

func instanceNames[T any](all map[string]T) []string {
	names := slices.Sorted(maps.Keys(all))
	for i, name := range names {
		names[i] = "application.deckhouse.io/" + name
	}
	return names
}

// Instance is one application as the controller has it.
type Instance struct {
	Status    InstanceStatus `json:"status"`
	Name      string         `json:"name"`
	Namespace string         `json:"namespace"`
	// Path is where the files of its package are; "" before they are there.
	Path string `json:"path"`
	// Running tells that its package is loaded and its hooks are enabled.
	Running    bool              `json:"running"`
	Definition Definition        `json:"definition"`
	Repository Repository        `json:"repository"`
	Digests    map[string]string `json:"digests"`
	Values     map[string]any    `json:"values"`
	Hooks      []string          `json:"hooks"`
	// LastRuns are those of the hooks that have run since the package was loaded.
	LastRuns map[string]LastRun `json:"lastRuns,omitempty"`
}

// LastRun is the last run of a hook.
type LastRun struct {
	// Began is when, as in RFC 3339; Took how long, as Go writes durations.
	Began string `json:"began"`
	Took  string `json:"took"`
	// Why names the bindings that called it.
	Why string `json:"why"`
	// Error is why it failed; "" if it didn't.
	Error string `json:"error,omitempty"`
	// Runs counts all, Failures those that failed.
	Runs     int `json:"runs"`
	Failures int `json:"failures,omitempty"`
}

// InstanceStatus is what the controller knows of how it goes.
type InstanceStatus struct {
	Version    string      `json:"version"`
	Conditions []Condition `json:"conditions"`
	// Tracking is the progress of the last apply: status.tracking of the Application.
	Tracking any            `json:"tracking"`
	Settings map[string]any `json:"settings"`
	URLs     []URL          `json:"urls"`
}

// Condition is an internal condition.
type Condition struct {
	Type               string `json:"type"`
	Status             string `json:"status"`
	Reason             string `json:"reason,omitempty"`
	Message            string `json:"message,omitempty"`
	LastTransitionTime string `json:"lastTransitionTime,omitempty"`
}

// URL is an endpoint.
type URL struct {
	URL         string `json:"url"`
	Description string `json:"description,omitempty"`
}

// Definition is package.yaml, as far as it is of use here.
type Definition struct {
	Name           string             `json:"name"`
	Version        string             `json:"version"`
	Stage          string             `json:"stage,omitempty"`
	Requirements   Requirements       `json:"requirements"`
	Licensing      map[string]Edition `json:"licensing,omitempty"`
	DisableOptions *DisableOptions    `json:"disableOptions,omitempty"`
}

// Requirements are what a cluster must be like; "" is any version.
type Requirements struct {
	Kubernetes string              `json:"kubernetes,omitempty"`
	Deckhouse  string              `json:"deckhouse,omitempty"`
	Modules    *ModuleRequirements `json:"modules,omitempty"`
}

// ModuleRequirements are by the name of the module; null is any version.
type ModuleRequirements struct {
	Mandatory   map[string]*string `json:"mandatory,omitempty"`
	Conditional map[string]*string `json:"conditional,omitempty"`
	AnyOf       []ModuleGroup      `json:"anyOf,omitempty"`
	NoneOf      []ModuleGroup      `json:"noneOf,omitempty"`
}

// ModuleGroup is a choice of modules.
type ModuleGroup struct {
	Name    string             `json:"name"`
	Members map[string]*string `json:"members"`
}

// Edition says whether the package is to be had in an edition of the platform.
type Edition struct {
	Available        bool     `json:"available"`
	EnabledInBundles []string `json:"enabledInBundles,omitempty"`
}

// DisableOptions are about the removal of an instance.
type DisableOptions struct {
	Confirmation bool              `json:"confirmation"`
	Messages     map[string]string `json:"messages,omitempty"`
}

// Repository is where the package came from.
type Repository struct {
	Name         string `json:"name"`
	Repository   string `json:"repository"`
	DockerConfig string `json:"dockercfg,omitempty"`
	Login        string `json:"login,omitempty"`
	Password     string `json:"password,omitempty"`
	Scheme       string `json:"scheme,omitempty"`
	CA           string `json:"ca,omitempty"`
}
