package plan

import (
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// backend is the Service that answers calls of the API server.
type backend struct{ namespace, name string }

// afterBackends puts whatever makes the API server call out behind what answers
// the call, ready: a webhook without a server refuses everything it matches,
// also what is needed to bring the server up. Where the backend is not in the
// run, or is a URL, all workloads come first.
func afterBackends(s *orderSide) {
	const name = "workloads"
	var callers []int
	for _, i := range s.members {
		switch ref := s.objects[i].Ref; {
		case isWorkload(ref):
			s.link(s.group(name), Edge{On: i})
		case callsOut(ref, s.body(i)):
			callers = append(callers, i)
		}
	}
	if len(callers) == 0 {
		return
	}
	pods := workloadsByNamespace(s)
	for _, i := range callers {
		s.link(i, Edge{On: s.group(name), Why: "workloads come before what calls them"})
		for _, b := range backends(s.body(i)) {
			linkBackend(s, pods, i, b)
		}
	}
}

// callsOut tells whether the API server calls somebody because of this object.
// CustomResourceDefinitions with a conversion webhook are not among them: their
// objects wait, not they, as the backend mostly needs the kind to start.
func callsOut(ref object.Ref, body map[string]any) bool {
	return isWebhookConfiguration(ref) ||
		ref.Group == groupRegistration && mapAt(body, "spec", "service") != nil
}

func isWebhookConfiguration(ref object.Ref) bool {
	return ref.Group == groupAdmission &&
		(ref.Kind == "ValidatingWebhookConfiguration" || ref.Kind == "MutatingWebhookConfiguration")
}

// backends lists the Services that a webhook configuration or an APIService names.
func backends(body map[string]any) []backend {
	sources := []map[string]any{mapAt(body, "spec", "service")}
	for _, hook := range mapsAt(body, "webhooks") {
		sources = append(sources, mapAt(hook, "clientConfig", "service"))
	}
	var out []backend
	seen := map[backend]bool{}
	for _, service := range sources {
		b := backend{namespace: textAt(service, "namespace"), name: textAt(service, "name")}
		if b.name != "" && !seen[b] {
			seen[b] = true
			out = append(out, b)
		}
	}
	return out
}

// linkBackend puts a caller after the Service and the workloads it selects.
func linkBackend(s *orderSide, pods map[string][]int, caller int, b backend) {
	at, ok := s.byRef[object.Ref{Kind: "Service", Namespace: b.namespace, Name: b.name}]
	if !ok {
		return
	}
	s.link(caller, Edge{On: at, Hard: true, Why: "the Service behind it"})
	for _, i := range selected(s, pods[b.namespace], mapAt(s.body(at), "spec", "selector")) {
		s.link(caller, Edge{On: i, Need: NeedReady, Hard: true, Why: "the workload behind it"})
	}
}

// workloadsByNamespace lists what serves requests; Jobs come and go.
func workloadsByNamespace(s *orderSide) map[string][]int {
	out := map[string][]int{}
	for _, i := range s.members {
		if ref := s.objects[i].Ref; isWorkload(ref) && ref.Group != "batch" {
			out[ref.Namespace] = append(out[ref.Namespace], i)
		}
	}
	return out
}

// selected lists the workloads whose Pods carry all labels of a selector. An
// empty selector selects nothing: its endpoints are written by hand.
func selected(s *orderSide, candidates []int, selector map[string]any) []int {
	var out []int
	for _, i := range candidates {
		labels := mapAt(podTemplate(s.objects[i].Ref, s.body(i)), "metadata", "labels")
		if len(selector) > 0 && carries(labels, selector) {
			out = append(out, i)
		}
	}
	return out
}

func carries(labels, selector map[string]any) bool {
	for key, want := range selector {
		if have, ok := labels[key]; !ok || have != want {
			return false
		}
	}
	return true
}

// afterWebhooks puts custom objects after the webhooks of their group, so that
// they are defaulted and checked from the start, and after what converts them.
// Webhooks for all groups give order alone: a policy engine that fails is no
// reason to hold back what it would have looked at.
func afterWebhooks(s *orderSide) {
	groups := map[string]bool{}
	for _, i := range s.members {
		if !isWebhookConfiguration(s.objects[i].Ref) {
			continue
		}
		for _, group := range hookedGroups(s.body(i)) {
			groups[group] = true
			s.link(s.group(hookGroup(group)), Edge{On: i, Hard: true, Why: "a webhook of the group"})
		}
	}
	for _, i := range s.members {
		ref := s.objects[i].Ref
		if object.BuiltIn(ref.Group) {
			continue
		}
		if groups[ref.Group] {
			s.link(i, Edge{On: s.group(hookGroup(ref.Group)), Hard: true, Why: "a webhook of its group"})
		}
		if groups["*"] {
			s.link(i, Edge{On: s.group(hookGroup("*")), Why: "a webhook of all groups"})
		}
	}
	afterConversion(s)
}

func hookGroup(group string) string { return "webhooks of group " + group }

// hookedGroups lists the API groups that a webhook configuration looks at,
// without those of the API server itself.
func hookedGroups(body map[string]any) []string {
	var out []string
	seen := map[string]bool{}
	for _, hook := range mapsAt(body, "webhooks") {
		for _, rule := range mapsAt(hook, "rules") {
			list, _ := rule["apiGroups"].([]any)
			for _, v := range list {
				group, ok := v.(string)
				if ok && !seen[group] && !object.BuiltIn(group) {
					seen[group] = true
					out = append(out, group)
				}
			}
		}
	}
	return out
}

// afterConversion puts custom objects after the workloads that convert them
// between versions. Conversion is only called for some requests, so what fails
// here doesn't stop them.
func afterConversion(s *orderSide) {
	kinds, _, _ := definitions(s)
	pods := workloadsByNamespace(s)
	linked := map[int]bool{}
	for _, i := range s.members {
		crd, ok := kinds[s.objects[i].Ref.GroupKind()]
		if !ok {
			continue
		}
		service := mapAt(s.body(crd), "spec", "conversion", "webhook", "clientConfig", "service")
		at, ok := s.byRef[object.Ref{Kind: "Service", Namespace: textAt(service, "namespace"), Name: textAt(service, "name")}]
		if !ok {
			continue
		}
		group := s.group("conversion of " + s.objects[crd].Ref.Name)
		if !linked[group] {
			linked[group] = true
			linkConversion(s, group, at, pods)
		}
		s.link(i, Edge{On: group, Why: "what converts it"})
	}
}

func linkConversion(s *orderSide, group, service int, pods map[string][]int) {
	s.link(group, Edge{On: service})
	candidates := pods[s.objects[service].Ref.Namespace]
	for _, i := range selected(s, candidates, mapAt(s.body(service), "spec", "selector")) {
		s.link(group, Edge{On: i, Need: NeedReady})
	}
}
