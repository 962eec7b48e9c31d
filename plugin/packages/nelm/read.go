package nelm

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/chart"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// Read reads the annotations of an object that is no hook. The error names each
// annotation with a value that can't be understood.
func Read(o object.Object) (Rules, error) {
	a := read(o)
	r := a.rules()
	if r.On == nil {
		r.On = []Moment{{Install, Main}, {Upgrade, Main}, {Rollback, Main}}
	}
	if r.Ownership == "" {
		r.Ownership = Release
	}
	if r.DeletePolicies == nil && isJob(o) {
		r.DeletePolicies = []DeletePolicy{BeforeCreationIfImmutable}
	}
	return r, faultsOf(o, a.faults)
}

// ReadHook reads those of a hook. What Nelm's own annotations say beats what makes it
// a hook.
func ReadHook(h chart.Hook) (Rules, error) {
	a := read(h.Object)
	r := a.rules()
	r.Hook = true
	if r.On == nil {
		for _, e := range h.Events {
			if m, ok := momentOf(e); ok {
				r.On = append(r.On, m)
			}
		}
	}
	if r.Ownership == "" {
		r.Ownership = Anyone
	}
	if a.text(WeightAnnotation) == "" {
		r.Weight = h.Weight
	}
	if r.DeletePolicies == nil {
		for _, p := range h.DeletePolicies {
			r.DeletePolicies = append(r.DeletePolicies, map[chart.DeletePolicy]DeletePolicy{
				chart.BeforeCreation: BeforeCreation, chart.OnSuccess: Succeeded, chart.OnFailure: Failed,
			}[p])
		}
	}
	return r, faultsOf(h.Object, a.faults)
}

// momentOf says when Helm's events are; tests of a release are never run.
func momentOf(e chart.Event) (Moment, bool) {
	m, ok := map[chart.Event]Moment{
		chart.PreInstall: {Install, Before}, chart.PostInstall: {Install, After},
		chart.PreUpgrade: {Upgrade, Before}, chart.PostUpgrade: {Upgrade, After},
		chart.PreRollback: {Rollback, Before}, chart.PostRollback: {Rollback, After},
		chart.PreDelete: {Uninstall, Before}, chart.PostDelete: {Uninstall, After},
	}[e]
	return m, ok
}

func isJob(o object.Object) bool {
	return o.Ref().GroupKind() == schema.GroupKind{Group: "batch", Kind: "Job"}
}

// annotations are those of one object, and what is wrong with them.
type annotations struct {
	of     map[string]any
	faults []Note
}

func read(o object.Object) *annotations {
	meta, _ := o.Body["metadata"].(map[string]any)
	of, _ := meta["annotations"].(map[string]any)
	return &annotations{of: of}
}

func (a *annotations) rules() Rules {
	r := Rules{
		On:               a.moments(),
		Ownership:        Ownership(a.word(OwnershipAnnotation, string(Release), string(Anyone))),
		Weight:           int(a.number(WeightAnnotation, -1<<31)),
		External:         a.externals(),
		DeletePolicies:   words(a, DeletePolicyAnnotation, BeforeCreation, BeforeCreationIfImmutable, Succeeded, Failed),
		ResourcePolicies: words(a, ResourcePolicyAnnotation, SkipCreate, SkipUpdate, SkipRecreate, SkipDelete, Keep),
		Propagation:      metav1.DeletionPropagation(a.word(PropagationAnnotation, "Foreground", "Background", "Orphan")),
		NonBlocking:      a.word(TerminationModeAnnotation, "WaitUntilResourceReady", "NonBlocking") == "NonBlocking",
		FailMode:         FailMode(a.word(FailModeAnnotation, string(FailAtOnce), string(Ignore), string(FailAtEnd))),
		Idle:             a.duration(NoActivityAnnotation),
	}
	if r.Propagation == "" {
		r.Propagation = metav1.DeletePropagationForeground
	}
	if r.FailMode == "" {
		r.FailMode = FailAtOnce
	}
	if a.word(HelmResourcePolicyAnnotation, string(Keep)) != "" && !r.Has(Keep) {
		r.ResourcePolicies = append(r.ResourcePolicies, Keep)
	}
	if a.has(FailuresAllowedAnnotation) {
		n := int(a.number(FailuresAllowedAnnotation, 0))
		r.FailuresAllowed = &n
	}
	if a.has(ReplicasAnnotation) {
		n := a.number(ReplicasAnnotation, 0)
		r.ReplicasOnCreation = &n
	}
	a.word(SensitiveAnnotation, "true", "false")
	a.byName(&r)
	return r
}

// byName reads the annotations of which a part is the author's choice.
func (a *annotations) byName(r *Rules) {
	for _, key := range a.keys() {
		switch container, ok := strings.CutPrefix(key, probesPrefix); {
		case ok && container != "":
			a.duration(key) // that it is one is all that matters, see Catalogue
		case strings.HasPrefix(key, deployDependencyPrefix):
			r.DeployAfter = append(r.DeployAfter, a.dependency(key, deployDependencyPrefix, "ready", "present"))
		case strings.HasPrefix(key, deleteDependencyPrefix):
			r.DeleteAfter = append(r.DeleteAfter, a.dependency(key, deleteDependencyPrefix, "absent"))
		case isNelms(key) && !known(key):
			r.Warnings = append(r.Warnings, "annotation "+key+": "+unknownText)
		}
	}
}

// moments reads when an object is deployed; nil where nothing is said.
func (a *annotations) moments() []Moment {
	var out []Moment
	for _, word := range a.list(DeployOnAnnotation) {
		stage, action := Main, word
		for prefix, s := range map[string]Stage{"pre-": Before, "post-": After} {
			if rest, ok := strings.CutPrefix(word, prefix); ok {
				stage, action = s, rest
			}
		}
		switch m := (Moment{Action(action), stage}); m.Action {
		case Install, Upgrade, Rollback, Uninstall:
			if !slices.Contains(out, m) {
				out = append(out, m)
			}
		default:
			a.fault(DeployOnAnnotation, "wanted install, upgrade, rollback or uninstall, with pre- or post- or nothing before; found %q", word)
		}
	}
	return out
}

func (a *annotations) fault(key, format string, args ...any) {
	a.faults = append(a.faults, Note{Annotation: key, Text: fmt.Sprintf(format, args...), Fault: true})
}

func (a *annotations) keys() []string { return slices.Sorted(maps.Keys(a.of)) }

func (a *annotations) has(key string) bool { _, ok := a.of[key]; return ok }

// text is the value without space around it; empty where there is none.
func (a *annotations) text(key string) string {
	text, _ := a.of[key].(string)
	return strings.TrimSpace(text)
}

// word reads one of a few words.
func (a *annotations) word(key string, known ...string) string {
	text := a.text(key)
	if !a.has(key) || slices.Contains(known, text) {
		return text
	}
	a.fault(key, "wanted %s; found %q", strings.Join(known, " or "), text)
	return ""
}

// list reads words between commas.
func (a *annotations) list(key string) []string {
	if !a.has(key) {
		return nil
	}
	var out []string
	for part := range strings.SplitSeq(a.text(key), ",") {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	if len(out) == 0 {
		a.fault(key, "wanted at least one word; found %q", a.text(key))
	}
	return out
}

// words reads a list of known words; nil where there is no annotation.
func words[W ~string](a *annotations, key string, known ...W) []W {
	var out []W
	for _, text := range a.list(key) {
		word := W(text)
		if !slices.Contains(known, word) {
			a.fault(key, "wanted words of %q; found %q", known, text)
			continue
		}
		out = append(out, word)
	}
	return out
}

func (a *annotations) number(key string, least int64) int64 {
	if !a.has(key) {
		return 0
	}
	n, err := strconv.ParseInt(a.text(key), 10, 32)
	if err != nil || n < least {
		a.fault(key, "wanted a whole number%s; found %q", map[bool]string{true: " that is not negative"}[least == 0], a.text(key))
		return 0
	}
	return n
}

func (a *annotations) duration(key string) time.Duration {
	if !a.has(key) {
		return 0
	}
	d, err := time.ParseDuration(a.text(key))
	if err != nil || d <= 0 {
		a.fault(key, "wanted a time such as 90s or 1h; found %q", a.text(key))
		return 0
	}
	return d
}
