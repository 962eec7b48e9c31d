package status

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// maxMessage is how many bytes a message has at most: an Application is small.
const maxMessage = 4 << 10

// shorten cuts a message that is too long, between two characters.
func shorten(message string) string {
	if len(message) <= maxMessage {
		return message
	}
	return strings.ToValidUTF8(message[:maxMessage], "") + " …"
}

// judge makes one verdict.
type judge struct {
	in    Internal
	told  Told
	phase Phase
	said  []metav1.Condition
	// why is what keeps the instance from being ready; nil: nothing does.
	why *finding
	// held is set where nothing new is known, so that what was told stays.
	held bool
}

func (j *judge) say(external string, status metav1.ConditionStatus, reason, message string) {
	c := metav1.Condition{
		Type: external, Status: status, Reason: reason, Message: shorten(message),
		ObservedGeneration: j.told.Generation, LastTransitionTime: metav1.NewTime(j.told.Now),
	}
	if old := j.told.get(external); old != nil && old.Status == status {
		c.LastTransitionTime = old.LastTransitionTime
	}
	j.said = append(j.said, c)
}

func (j *judge) isTrue(external string) { j.say(external, metav1.ConditionTrue, external, "") }

func (j *judge) isFalse(external string, f *finding) {
	j.say(external, metav1.ConditionFalse, f.reason, f.message)
}

func (j *judge) isUnknown(external string, f *finding) {
	j.say(external, metav1.ConditionUnknown, f.reason, f.message)
}

// keep repeats what was told, if that was something.
func (j *judge) keep(external string) bool {
	old := j.told.get(external)
	if old != nil {
		j.said = append(j.said, *old)
	}
	return old != nil
}

// conditions are those that were said, in order.
func (j *judge) conditions() []metav1.Condition {
	places := order()
	slices.SortStableFunc(j.said, func(a, b metav1.Condition) int {
		return slices.Index(places, a.Type) - slices.Index(places, b.Type)
	})
	return j.said
}

// deleting: all that was told is False now.
func (j *judge) deleting() {
	j.why = &finding{reason: ExternalDeleting, message: leaving(j.in)}
	if f := blocker(j.in, installPipeline()); f != nil && f.failed {
		j.why.message, j.why.failed = f.message, true
	}
	for _, external := range order() {
		if j.told.get(external) != nil || external == ExternalInstalled || external == ExternalReady {
			j.isFalse(external, j.why)
		}
	}
}

// suspended: it is uninstalled until the requirements hold again.
func (j *judge) suspended() {
	j.why = found(j.in.Get(RequirementsMet))
	if waits := leaving(j.in); waits != "" {
		j.why.message += "; " + waits
	}
	j.isFalse(ExternalInstalled, j.why)
	for _, external := range []string{ExternalConfigurationApplied, ExternalScaled, ExternalManaged} {
		j.isUnknown(external, j.why)
	}
	j.isFalse(ExternalReady, j.why)
}

// install: only Installed is told until it is True.
func (j *judge) install() {
	j.why = blocker(j.in, installPipeline())
	if j.why == nil {
		j.why = progress(j.in, installPipeline())
	}
	if j.why == nil {
		j.why = workloads(j.in)
	}
	if j.why != nil {
		j.isFalse(ExternalInstalled, j.why)
		return
	}
	j.isTrue(ExternalInstalled)
	j.phase, j.why = PhaseReconcile, readiness(j.in)
	j.ready()
}

// installed: it has been, and is being updated or looked after.
func (j *judge) installed() {
	j.isTrue(ExternalInstalled)
	j.why = j.obstacle()
	if j.phase == PhaseReconcile && j.why != nil && !j.why.failed && j.silent() {
		j.hold()
		return
	}
	j.ready()
}

// ready says everything but Installed, by j.why.
func (j *judge) ready() {
	j.update()
	j.configuration()
	j.scaled()
	j.managed()
	if j.why == nil {
		j.isTrue(ExternalReady)
	} else {
		j.isFalse(ExternalReady, j.why)
	}
}

// obstacle is what keeps an installed instance from being ready.
func (j *judge) obstacle() *finding {
	pipeline := updatePipeline()
	if j.phase == PhaseReconcile {
		pipeline = append(reconcileChain(), Configured)
	}
	if f := blocker(j.in, pipeline); f != nil {
		return f
	}
	if f := progress(j.in, pipeline); f != nil {
		return f
	}
	if j.phase == PhaseUpdate {
		// All that is known is of another version than the one that is wanted.
		return &finding{reason: ExternalReconciling, message: "version " + j.told.WantedVersion + " has not been looked at yet"}
	}
	if f := workloads(j.in); f != nil {
		return f
	}
	return readiness(j.in)
}

// silent tells whether the runtime has not come to the manifests yet, as after a
// restart of the controller: what was told before is still the best there is.
func (j *judge) silent() bool {
	return j.in.Get(IsReady).Reason == ReasonNotAsked ||
		j.in.Get(ManifestsApplied).Status == metav1.ConditionUnknown || j.in.Get(Scaled).Status == metav1.ConditionUnknown &&
		j.in.Is(ManifestsApplied) && j.in.Get(Scaled).Reason == ""
}

// hold tells what was told.
func (j *judge) hold() {
	j.held = true
	for _, external := range order()[1:] {
		if !j.keep(external) && external != ExternalUpdateInstalled {
			j.isUnknown(external, j.why)
		}
	}
	if j.told.is(ExternalReady) {
		j.why = nil
	}
}

// update says how the last change of version is, once there was one.
func (j *judge) update() {
	switch {
	case j.phase == PhaseUpdate:
		j.isFalse(ExternalUpdateInstalled, j.why)
	case j.told.get(ExternalUpdateInstalled) == nil:
	case j.in.Is(ManifestsApplied) || j.told.is(ExternalUpdateInstalled):
		j.isTrue(ExternalUpdateInstalled)
	default:
		j.keep(ExternalUpdateInstalled)
	}
}

func (j *judge) configuration() {
	f := blocker(j.in, []Type{ReadyOnFilesystem, Loaded})
	if f != nil && f.failed {
		j.isUnknown(ExternalConfigurationApplied, f)
		return
	}
	if f = blocker(j.in, configPipeline()); f == nil {
		f = progress(j.in, configPipeline())
	}
	if f == nil && j.phase == PhaseUpdate {
		f = j.why
	}
	if f == nil {
		j.isTrue(ExternalConfigurationApplied)
		return
	}
	j.isFalse(ExternalConfigurationApplied, f)
}

func (j *judge) scaled() {
	switch f := workloads(j.in); {
	case f == nil:
		j.isTrue(ExternalScaled)
	case j.in.Get(Scaled).Status == metav1.ConditionFalse:
		j.isFalse(ExternalScaled, f)
	default:
		j.isUnknown(ExternalScaled, f)
	}
}

func (j *judge) managed() {
	f := blocker(j.in, reconcileChain())
	if f == nil {
		f = progress(j.in, reconcileChain())
	}
	if f == nil {
		f = workloads(j.in)
	}
	if f == nil {
		j.isTrue(ExternalManaged)
		return
	}
	j.isFalse(ExternalManaged, f)
}
