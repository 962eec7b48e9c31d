package chart

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// hookOf reads the annotations that make an object a hook. A hook without events
// is one that Helm would pass over.
func hookOf(o object.Object) (h Hook, isHook bool, warnings []object.Warning, faults []object.Finding) {
	read := annotationReader{of: o}
	events, isHook := read.text(HookAnnotation)
	if !isHook {
		return Hook{}, len(read.faults) > 0, nil, read.faults
	}
	h = Hook{Object: o, DeletePolicies: read.policies(), Weight: read.weight()}
	for word := range strings.SplitSeq(events, ",") {
		word = strings.ToLower(strings.TrimSpace(word))
		event, known := eventOf(word)
		if !known {
			read.warn("%s: %q is no event; this hook never runs", HookAnnotation, word)
			h.Events = nil
			break
		}
		h.Events = append(h.Events, event)
	}
	return h, true, read.warnings, read.faults
}

// annotationReader reads annotations of one object and collects what is odd.
type annotationReader struct {
	of       object.Object
	warnings []object.Warning
	faults   []object.Finding
}

func (r *annotationReader) warn(text string, args ...any) {
	ref := r.of.Ref()
	r.warnings = append(r.warnings, object.Warning{Origin: r.of.Origin, Ref: &ref, Text: fmt.Sprintf(text, args...)})
}

// text returns an annotation. One that is no text would be lost.
func (r *annotationReader) text(key string) (string, bool) {
	metadata, _ := r.of.Body["metadata"].(map[string]any)
	annotations, _ := metadata["annotations"].(map[string]any)
	value, given := annotations[key]
	if !given || value == nil {
		return "", false
	}
	text, isText := value.(string)
	if !isText {
		r.faults = append(r.faults, object.Finding{
			Origin: r.of.Origin,
			Key:    "metadata.annotations." + key,
			Text:   fmt.Sprintf("%s: an annotation must be text, found %s; quote it", r.of.Ref(), typeName(value)),
		})
	}
	return text, isText
}

func (r *annotationReader) weight() int {
	text, given := r.text(HookWeightAnnotation)
	if !given || text == "" {
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
	text, _ := r.text(DeletePolicyAnnotation)
	var policies []DeletePolicy
	for word := range strings.SplitSeq(text, ",") {
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
