package overview

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/report"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/status"
)

// States of a step.
const (
	Done     = "done"
	Failed   = "failed"
	Underway = "underway"
	Waiting  = "waiting"
)

// nothing is what there is to do where all is well.
const nothing = "Nothing: it is ready."

// step is one step of the pipeline, with the internal condition that tells it is done.
type step struct {
	name      string
	condition status.Type
	// task is what the queue shows while the step is underway.
	task string
	// next is what to do when it fails; NAME is that of the application, PROGRAM how
	// the user calls us.
	next string
}

// hookFailed is what to do about a hook that fails.
const hookFailed = "Mend what the hook says; \"PROGRAM packages snapshots NAME\" shows what it sees, and \"PROGRAM packages hooks run\" tries out the hooks of a package."

// renderFailed is what to do about a template that fails.
const renderFailed = "Mend the template that is named, or give what it asks for in spec.settings; \"PROGRAM packages render --bundle PACKAGE\" tries it without a cluster, \"PROGRAM packages dump NAME -o yaml\" shows the values."

// steps are those of the pipeline, in their order.
func steps() []step {
	return []step{
		{"Download", status.ReadyOnFilesystem, "Download", "Check that the registry of the PackageRepository can be reached and holds this version."},
		{"Load", status.Loaded, "Load", "The package is at fault: run \"PROGRAM packages lint\" on it, and choose a version that is in order."},
		{"Scheduling", status.RequirementsMet, "", "Meet the requirement, or choose a version of the package that doesn't have it."},
		{"Configuration", status.Configured, "Configure", "Correct spec.settings of the Application."},
		{"Hook initialization", status.HooksProcessed, "Enable", hookFailed},
		{"Apply", status.ManifestsApplied, "Run", "Look at the named objects, their Pods and events; \"PROGRAM packages render NAME\" shows what is applied."},
		{"Workloads", status.Scaled, "", "Look at the Pods of the Deployments and StatefulSets that are named: \"PROGRAM packages logs NAME --workloads\" shows what they write."},
		{"Readiness", status.IsReady, "", "Mend what the package's own program says; it is asked again and again."},
	}
}

// Explain says at which step an application stands, why, and the one thing to do next.
// program is how the user calls us.
func Explain(o *report.Overview, program string) *report.Explanation {
	name := api.InstanceName(o.Namespace, o.Name)
	e := &report.Explanation{Name: name, State: o.State, Steps: []report.Step{}}
	if !told(o) {
		e.Why = o.Message
		e.Next = cmp.Or(o.Tip, fmt.Sprintf("Start a controller: %s packages controller", program))
		if o.State == string(api.StateReady) {
			e.Next = nothing
		}
		return e
	}
	if o.State == string(api.StateDeleting) {
		return removal(o, e, name)
	}
	o = staged(o)
	stood := step{}
	for _, s := range steps() {
		if _, known := find(o.Conditions, string(s.condition)); s.condition == status.IsReady && !known {
			continue // it has no program to ask
		}
		state := stateOf(o, s, e.Stands != "")
		e.Steps = append(e.Steps, report.Step{Name: s.name, State: state})
		if state != Done && e.Stands == "" {
			e.Stands, e.Why, stood = s.name, why(o, s), s
		}
	}
	if o.State == string(api.StateSuspended) && o.Unmet != "" {
		e.Why = o.Unmet
	}
	e.Next = next(o, e, stood, name, program)
	return e
}

// staged puts the failure of a hook to the step that calls it: those around an apply
// belong to the apply.
func staged(o *report.Overview) *report.Overview {
	failed, _ := find(o.Conditions, string(status.HooksProcessed))
	if failed.Status != "False" || failed.Reason != status.ReasonHookFailed {
		return o
	}
	moved := *o
	moved.Conditions = nil
	for _, c := range o.Conditions {
		switch c.Type {
		case string(status.HooksProcessed):
			c.Status, c.Reason, c.Message = "True", "", ""
		case string(status.ManifestsApplied):
			continue
		}
		moved.Conditions = append(moved.Conditions, c)
	}
	failed.Type = string(status.ManifestsApplied)
	moved.Conditions = append(moved.Conditions, failed)
	return &moved
}

// removal explains how far the removal of an application has come: its steps are the
// tasks of its queue.
func removal(o *report.Overview, e *report.Explanation, name string) *report.Explanation {
	tasks := map[string]report.Task{}
	for _, t := range o.Queue {
		if t.Queue == name {
			tasks[t.Name] = t.Task
		}
	}
	all := []string{"Disable", "Purge", "Undeploy"}
	if _, without := tasks["Uninstall"]; without {
		all = []string{"Uninstall", "Undeploy"}
	}
	for _, task := range all {
		t, waits := tasks[task]
		state := Done
		switch {
		case !waits && len(tasks) == 0, waits && t.Index > 1:
			state = Waiting
		case waits && t.Error != "":
			state = Failed
		case waits:
			state = Underway
		}
		if waits && t.Index == 1 {
			c, _ := find(o.Conditions, string(status.ManifestsApplied))
			e.Stands, e.Why = task, t.Error
			if c.Reason == status.ReasonUninstalling {
				e.Why = c.Message
			}
		}
		e.Steps = append(e.Steps, report.Step{Name: task, State: state})
	}
	e.Next = "Wait: it is being removed."
	switch t := tasks[e.Stands]; {
	case strings.Contains(e.Why, "held by"):
		e.Next = "Wait; where whoever is to take off a named finalizer is gone for good, take it off by hand."
	case t.Error != "":
		e.Next = fmt.Sprintf("Mend what the error names; it is tried again in %s.", t.NextRetry)
	}
	return e
}

// told tells whether the controller was asked: the Application alone has other
// conditions, and not the steps.
func told(o *report.Overview) bool {
	_, early := find(o.Conditions, string(status.RequirementsMet)) // Scaled is the name of two
	_, far := find(o.Conditions, string(status.ReadyOnFilesystem))
	return early || far || len(o.Queue) > 0
}

// stateOf tells how far a step is; one behind the step where it stands waits.
func stateOf(o *report.Overview, s step, behind bool) string {
	c, known := find(o.Conditions, string(s.condition))
	switch {
	case behind:
		return Waiting
	case known && isTrue(c):
		return Done
	case head(o, s).Error != "" || known && c.Status == "False" && c.Reason != status.ReasonApplyingManifests && c.Reason != status.ReasonUninstalling:
		return Failed
	case head(o, s).Name != "" || known:
		return Underway
	}
	return Waiting
}

// head is the first task of the application's own queue, if it is of this step.
func head(o *report.Overview, s step) report.Task {
	own := api.InstanceName(o.Namespace, o.Name)
	for _, t := range o.Queue {
		if t.Queue == own && t.Index == 1 && t.Name == s.task {
			return t.Task
		}
	}
	return report.Task{}
}

func why(o *report.Overview, s step) string {
	if s.condition == status.RequirementsMet && o.Unmet != "" {
		return o.Unmet
	}
	if c, _ := find(o.Conditions, string(s.condition)); c.Reason == status.ReasonUninstalling {
		return c.Message
	}
	if s.condition == status.ManifestsApplied {
		if names := unfinished(o.Operations); len(names) > 0 && head(o, s).Error == "" {
			return "it waits for " + strings.Join(names[:min(5, len(names))], ", ") + unwell(o) + warning(o)
		}
	}
	c, _ := find(o.Conditions, string(s.condition))
	if c.Reason == status.ReasonApplyingManifests {
		c.Reason = "its objects are being applied"
	}
	text := cmp.Or(head(o, s).Error, c.Message, c.Reason, "nothing is known of it yet")
	if s.condition == status.Scaled {
		text += warning(o)
	}
	return text
}

// unwell is a line on the workloads while an apply waits for them.
func unwell(o *report.Overview) string {
	c, _ := find(o.Conditions, string(status.Scaled))
	if c.Status != "False" || c.Message == "" {
		return ""
	}
	return "\n  " + c.Message
}

// warning is a line with the last warning among the events, which mostly tells why a Pod
// doesn't start; with its time, since it may be of an earlier try.
func warning(o *report.Overview) string {
	for _, e := range slices.Backward(o.Events) {
		if e.Type == "Warning" {
			return fmt.Sprintf("\n  last warning (%s): %s: %s: %s", e.Last, e.Object, e.Reason, e.Message)
		}
	}
	return ""
}

// next is the one thing to do. Maintenance comes after the steps.
func next(o *report.Overview, e *report.Explanation, s step, name, program string) string {
	switch {
	case e.Stands == "" && o.Maintenance != "":
		return "It is in maintenance: nothing is applied until spec.maintenance is removed."
	case e.Stands == "":
		return nothing
	case failedOf(e) == Underway && s.condition == status.ManifestsApplied && warning(o) != "":
		return fmt.Sprintf("Mend what the last warning tells of, if it doesn't pass; \"%[1]s packages logs %[2]s --workloads\" shows what its Pods write, \"%[1]s packages status %[2]s --watch\" how it goes.", program, name)
	case failedOf(e) == Underway:
		return fmt.Sprintf("Wait; \"%s packages status %s --watch\" shows how it goes.", program, name)
	}
	text := s.next
	switch c, _ := find(o.Conditions, string(s.condition)); c.Reason {
	case status.ReasonHookFailed:
		text = hookFailed
	case status.ReasonRenderFailed:
		text = renderFailed
	}
	if c, _ := find(o.Conditions, string(s.condition)); c.Reason == status.ReasonDependencyNotEnabled {
		text += " That a module is there is said with \"PROGRAM packages module enable MODULE --version VERSION\"."
	}
	return strings.NewReplacer("NAME", name, "PROGRAM", program).Replace(text)
}

// failedOf is the state of the step where it stands.
func failedOf(e *report.Explanation) string {
	for _, s := range e.Steps {
		if s.Name == e.Stands {
			return s.State
		}
	}
	return Done
}
