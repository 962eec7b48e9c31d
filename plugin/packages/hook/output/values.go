package output

import (
	"errors"
	"fmt"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/document"
)

// The variables that tell hooks the names of their files.
const (
	ValuesPatchFile   = "VALUES_JSON_PATCH_PATH"
	SettingsPatchFile = "CONFIG_VALUES_JSON_PATCH_PATH"
	OperationsFile    = "KUBERNETES_PATCH_PATH"
	MetricsFile       = "METRICS_PATH"
)

// ValuesPatch is a change of values: steps add, remove and replace. A null that is
// added is a value: it stays a null.
type ValuesPatch struct{ Steps JSONPatch }

// ParseValuesPatch reads what a hook wrote for its values: lists of steps, single
// steps, or any number of both after one another.
func ParseValuesPatch(data []byte) (ValuesPatch, error) {
	documents, err := document.JSONStream(data)
	if err != nil {
		return ValuesPatch{}, unreadable(ValuesPatchFile, err)
	}
	f := &faults{file: ValuesPatchFile}
	var patch ValuesPatch
	for _, d := range documents {
		at := fmt.Sprintf("patch %d", d.Number)
		if _, single := d.Value.(map[string]any); single {
			patch.Steps = append(patch.Steps, f.patchStep(d.Value, at, OpAdd, OpRemove, OpReplace))
			continue
		}
		patch.Steps = append(patch.Steps, f.patchSteps(d.Value, at, OpAdd, OpRemove, OpReplace)...)
	}
	for i, step := range patch.Steps {
		if step.Path == "" && len(f.Findings) == 0 {
			f.Found(fmt.Sprintf("step %d", i+1), "the path is empty: it would %s all values", step.Op)
		}
	}
	if err := f.err(); err != nil {
		return ValuesPatch{}, err
	}
	return patch, nil
}

// CheckSettingsPatch refuses a change of settings: those belong to the user of the
// package. Patches without a step are what hooks write that change none.
func CheckSettingsPatch(data []byte) error {
	documents, err := document.JSONStream(data)
	if err == nil {
		empty := true
		for _, d := range documents {
			list, ok := d.Value.([]any)
			empty = empty && ok && len(list) == 0
		}
		if empty {
			return nil
		}
	}
	return &Error{File: SettingsPatchFile, Findings: []document.Finding{{
		Text: "settings are read-only for the hooks of an application: nothing may be written here; change values through " + ValuesPatchFile,
	}}}
}

// Empty tells that the patch has no step.
func (p ValuesPatch) Empty() bool { return len(p.Steps) == 0 }

// Apply applies a patch that a hook has just written: a path that is not there is
// an error, and then nothing is changed.
func (p ValuesPatch) Apply(values map[string]any) (map[string]any, error) {
	next, err := p.Steps.Apply(values)
	if err != nil {
		return nil, fmt.Errorf("values patch: %w", err)
	}
	return asValues(next)
}

// Replay applies a patch that was accepted earlier to other values, such as those
// of new settings. Steps whose path is not there any more are left out; how many
// is the second result.
func (p ValuesPatch) Replay(values map[string]any) (map[string]any, int, error) {
	var next any = values
	skipped := 0
	for i, step := range p.Steps {
		after, err := step.apply(next)
		var absent *absentError
		switch {
		case errors.As(err, &absent):
			skipped++
		case err != nil:
			return nil, 0, fmt.Errorf("values patch: step %d (%s %s): %w", i+1, step.Op, step.Path, err)
		default:
			next = after
		}
	}
	out, err := asValues(next)
	return out, skipped, err
}

// asValues holds by what parsing refuses: no step replaces the whole.
func asValues(value any) (map[string]any, error) {
	values, ok := value.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("values patch: values became %s", document.KindOf(value))
	}
	return values, nil
}

// Join puts patches after one another and drops the steps that a later one makes
// without effect, so that what a hook repeats every minute doesn't pile up.
// Replaying the result gives what replaying all of them gives.
func Join(patches ...ValuesPatch) ValuesPatch {
	var all JSONPatch
	for _, p := range patches {
		all = append(all, p.Steps...)
	}
	paths := make([]pointer, len(all))
	for i, step := range all {
		paths[i], _ = parsePointer(step.Path) // was checked when it was read
	}
	kept := make(JSONPatch, 0, len(all))
	for i, step := range all {
		if !covered(paths[i], all[i+1:], paths[i+1:]) {
			kept = append(kept, step)
		}
	}
	return ValuesPatch{Steps: kept}
}

// covered tells whether a later step sets or removes what was written at a path,
// whatever is there by then. Paths that may lead into a list are left alone: their
// places move.
func covered(path pointer, later JSONPatch, paths []pointer) bool {
	if path.mayIndex() {
		return false
	}
	for i, next := range later {
		if paths[i].mayIndex() && paths[i].within(path) {
			return false // it may need the list that was put there
		}
		// A replace needs what was put there.
		if next.Op != OpReplace && !paths[i].mayIndex() && path.within(paths[i]) {
			return true
		}
	}
	return false
}
