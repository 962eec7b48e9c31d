package report

// HookList is the result of "packages hooks list".
type HookList struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"` // HookList
	Package    string `json:"package"`
	Hooks      []Hook `json:"hooks"`
	// Checks are the files that judge settings, Ready the hooks that tell whether
	// an instance is ready.
	Checks []string `json:"checks"`
	Ready  []string `json:"ready"`
	// Skipped are the files under hooks/ that are no hooks.
	Skipped []Skipped `json:"skipped"`
}

// Hook is one hook.
type Hook struct {
	ID       string    `json:"id"`
	Type     string    `json:"type"` // shell or batch
	File     string    `json:"file"`
	Bindings []Binding `json:"bindings"`
	// MinInterval and Burst limit how often events call it; "" without a limit.
	MinInterval string `json:"executionMinInterval,omitempty"`
	Burst       int64  `json:"executionBurst,omitempty"`
}

// Binding is one thing that calls a hook.
type Binding struct {
	// Type is a stage (beforeHelm, ...), schedule or kubernetes.
	Type string `json:"type"`
	// Name is that of a schedule or kubernetes binding.
	Name string `json:"name,omitempty"`
	// Order is that of a stage.
	Order *int64 `json:"order,omitempty"`
	// Crontab is that of a schedule.
	Crontab string `json:"crontab,omitempty"`
	// Objects says what a kubernetes binding sees, Filter what it keeps of it.
	Objects string `json:"objects,omitempty"`
	Filter  string `json:"jqFilter,omitempty"`
	// Events call the hook; none if only the snapshot matters.
	Events []string `json:"events,omitempty"`
	Queue  string   `json:"queue,omitempty"`
	// Resynchronization is the period in which the synchronization is repeated.
	Resynchronization string `json:"resynchronizationPeriod,omitempty"`
}

// Skipped is a file that is no hook, with the reason.
type Skipped struct {
	File   string `json:"file"`
	Reason string `json:"reason"`
}

// Names lists the hooks for -o name.
func (l *HookList) Names() []string {
	names := make([]string, len(l.Hooks))
	for i, h := range l.Hooks {
		names[i] = h.ID
	}
	return names
}

// HookRuns is the result of "packages hooks run".
type HookRuns struct {
	APIVersion string    `json:"apiVersion"`
	Kind       string    `json:"kind"` // HookRuns
	Package    string    `json:"package"`
	Instance   string    `json:"instance"` // NAMESPACE.NAME
	Runs       []HookRun `json:"runs"`
	// NotRun are the runs that a failure before them held up, as "HOOK (BINDING)".
	NotRun []string `json:"notRun"`
	// Ready is what the package says of the instance after the runs; absent where it
	// wasn't asked.
	Ready []Readiness `json:"ready,omitempty"`
	// Values are those after the last run.
	Values map[string]any `json:"values"`
}

// HookRun is one run of a hook and what it asked for.
type HookRun struct {
	Hook    string `json:"hook"`
	Binding string `json:"binding"`
	// Error says why the run failed; "" for one that succeeded. Allowed tells that
	// its configuration passes over the failure.
	Error   string `json:"error,omitempty"`
	Allowed bool   `json:"allowedFailure,omitempty"`
	// ValuesBefore and ValuesAfter are there where the run changed values.
	ValuesBefore map[string]any `json:"valuesBefore,omitempty"`
	ValuesAfter  map[string]any `json:"valuesAfter,omitempty"`
	// Objects are the operations in the order in which they were made.
	Objects []ObjectChange `json:"objects"`
	Metrics []Metric       `json:"metrics"`
	// Notes say what else is worth to be known, such as a name that got a prefix.
	Notes  []string `json:"notes"`
	Stdout string   `json:"stdout,omitempty"`
	Stderr string   `json:"stderr,omitempty"`
}

// Readiness is the answer of one program to whether the instance is ready.
type Readiness struct {
	Hook  string `json:"hook"`
	Ready bool   `json:"ready"`
	// Message says why it is not.
	Message string `json:"message,omitempty"`
}

// ChangedValues tells whether the run changed values.
func (r HookRun) ChangedValues() bool { return r.ValuesAfter != nil }

// ObjectChange is what an operation did to an object.
type ObjectChange struct {
	// Operation is the verb that the hook wrote.
	Operation  string `json:"operation"`
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name"`
	// Before and After are the object; absent where it was not there. They are
	// absent both where nothing changed.
	Before map[string]any `json:"before,omitempty"`
	After  map[string]any `json:"after,omitempty"`
}

// Metric is one operation on a metric.
type Metric struct {
	Name   string            `json:"name,omitempty"`
	Group  string            `json:"group,omitempty"`
	Action string            `json:"action"`
	Value  float64           `json:"value"`
	Labels map[string]string `json:"labels,omitempty"`
}

// Failed tells whether a run failed whose failure counts.
func (r *HookRuns) Failed() bool {
	for _, run := range r.Runs {
		if run.Error != "" && !run.Allowed {
			return true
		}
	}
	return false
}

// Names lists the hooks that ran, once for each run, for -o name.
func (r *HookRuns) Names() []string {
	names := make([]string, len(r.Runs))
	for i, run := range r.Runs {
		names[i] = run.Hook
	}
	return names
}
