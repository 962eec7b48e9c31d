package chart

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// hookOf reads the annotations that make an object a hook. A hook without events
// is one that Helm would pass over.
func hookOf(o object.Object) (h Hook, isHook bool, warnings []object.Warning) {
	read := annotationReader{of: o}
	words := o.Annotation(HookAnnotation)
	if words == "" {
		return Hook{}, false, nil
	}
	h = Hook{Object: o, DeletePolicies: read.policies(), Weight: read.weight()}
	for word := range strings.SplitSeq(words, ",") {
		word = strings.ToLower(strings.TrimSpace(word))
		event, known := eventOf(word)
		if !known {
			read.warn("%s: %q is no event; this hook never runs", HookAnnotation, word)
			h.Events = nil
			break
		}
		h.Events = append(h.Events, event)
	}
	return h, true, read.warnings
}

// annotationReader reads annotations of one object and collects what is odd.
type annotationReader struct {
	of       object.Object
	warnings []object.Warning
}

func (r *annotationReader) warn(text string, args ...any) {
	ref := r.of.Ref()
	r.warnings = append(r.warnings, object.Warning{Origin: r.of.Origin, Ref: &ref, Text: fmt.Sprintf(text, args...)})
}

func (r *annotationReader) weight() int {
	text := r.of.Annotation(HookWeightAnnotation)
	if text == "" {
		return 0
	}
	weight, err := strconv.Atoi(text)
	if err != nil {
		r.warn("%s: wanted a whole number, found %q; 0 is used", HookWeightAnnotation, text)
		return 0
	}
	return weight
}

func (r *annotationReader) policies() []DeletePolicy {
	var policies []DeletePolicy
	for word := range strings.SplitSeq(r.of.Annotation(DeletePolicyAnnotation), ",") {
		policy := DeletePolicy(strings.ToLower(strings.TrimSpace(word)))
		switch policy {
		case BeforeCreation, OnSuccess, OnFailure:
			policies = append(policies, policy)
		case "":
		default:
			r.warn("%s: %q is no policy and is not used", DeletePolicyAnnotation, policy)
		}
	}
	if len(policies) == 0 {
		return []DeletePolicy{BeforeCreation}
	}
	return policies
}
