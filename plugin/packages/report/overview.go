package report

// Applications is the list of applications of a cluster.
type Applications struct {
	Items []ApplicationLine `json:"items"`
}

// Names lists them, for -o name.
func (a *Applications) Names() []string {
	names := make([]string, len(a.Items))
	for i, item := range a.Items {
		names[i] = "application.deckhouse.io/" + item.Name
	}
	return names
}

// ApplicationLine is one application in a list.
type ApplicationLine struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	Package   string `json:"package"`
	// Version is the wanted one, Installed the one that is; "" before the first.
	Version    string `json:"version"`
	Installed  string `json:"installed,omitempty"`
	Repository string `json:"repository"`
	State      string `json:"state"`
	Message    string `json:"message,omitempty"`
	Age        string `json:"age"`
}

// Overview is one application on one screen.
type Overview struct {
	ApplicationLine `json:",inline"`
	Tip             string      `json:"tip,omitempty"`
	Maintenance     string      `json:"maintenance,omitempty"`
	URLs            []URL       `json:"urls"`
	Conditions      []Condition `json:"conditions"`
	// Operations are those of the current apply or the last one, as a tree: each is
	// below what it waits for.
	Operations []OperationNode `json:"operations"`
	Completed  int             `json:"completed"`
	Remaining  int             `json:"remaining"`
	// Unmet is the requirement that forbids it, as the scheduler says it.
	Unmet string `json:"unmet,omitempty"`
	// Queue is what the controller does for it, the head first, with the tasks of
	// its hooks behind.
	Queue []QueuedTask `json:"queue"`
	Hooks []string     `json:"hooks"`
	// LastRuns are by hook.
	LastRuns map[string]LastRun `json:"lastRuns,omitempty"`
	Events   []EventLine        `json:"events"`
	// Without tells what couldn't be asked, and why.
	Without []string `json:"without,omitempty"`
}

// Names is the application itself.
func (o *Overview) Names() []string { return []string{"application.deckhouse.io/" + o.Name} }

// OperationNode is an operation with those that wait for it.
type OperationNode struct {
	// Object is KIND NAME, or the type where it is about no object.
	Object string `json:"object"`
	Type   string `json:"type"`
	// Category tells what an operation is about, as in status.tracking: resource,
	// track, release or meta.
	Category string `json:"category"`
	Status   string `json:"status"`
	// WaitsFor are operations that are not completed and that it depends on.
	WaitsFor []string        `json:"waitsFor,omitempty"`
	Below    []OperationNode `json:"below,omitempty"`
}

// QueuedTask is a task with the queue it is in.
type QueuedTask struct {
	Queue string `json:"queue"`
	Task  `json:",inline"`
}

// EventLine is an event about the application.
type EventLine struct {
	Last    string `json:"last"`
	Type    string `json:"type"`
	Reason  string `json:"reason"`
	Object  string `json:"object"`
	Message string `json:"message"`
}

// Explanation says where an application stands and what to do.
type Explanation struct {
	Name string `json:"name"`
	// State is that of the summary.
	State string `json:"state"`
	// Steps are all steps in their order; the one where it stands isn't done.
	Steps []Step `json:"steps"`
	// Stands is the step where it stands; "" if all are done.
	Stands string `json:"stands,omitempty"`
	Why    string `json:"why,omitempty"`
	// Next is the one thing to do.
	Next string `json:"next"`
}

// Names is the application itself.
func (e *Explanation) Names() []string { return []string{"application.deckhouse.io/" + e.Name} }

// Step is a step of the way: done, failed, underway, or waiting.
type Step struct {
	Name  string `json:"name"`
	State string `json:"state"`
}

// Events are events about an application, the last at the end.
type Events struct {
	Items []EventLine `json:"items"`
}

// Names lists the objects that the events are about.
func (e *Events) Names() []string {
	names := make([]string, len(e.Items))
	for i, item := range e.Items {
		names[i] = item.Object
	}
	return names
}
