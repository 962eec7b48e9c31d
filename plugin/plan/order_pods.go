package plan

import (
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// afterReferences puts workloads behind what their Pods can't start without. The
// edges are hard: a Deployment is not rolled out onto a ConfigMap that failed.
func afterReferences(s *orderSide) {
	for _, i := range s.members {
		ref := s.objects[i].Ref
		if !isWorkload(ref) {
			continue
		}
		pod := podSpec(ref, s.body(i))
		for _, to := range podReferences(pod) {
			to.Namespace = ref.Namespace
			s.linkRef(i, to, Edge{Hard: true, Why: "its Pods need it"})
		}
		if class := textAt(pod, "priorityClassName"); class != "" {
			s.linkRef(i, object.Ref{Group: "scheduling.k8s.io", Kind: "PriorityClass", Name: class},
				Edge{Hard: true, Why: "the class of its Pods"})
		}
	}
}

// podTemplate finds the template of the Pods; a Pod is its own.
func podTemplate(ref object.Ref, body map[string]any) map[string]any {
	switch ref.Kind {
	case "Pod":
		return body
	case "CronJob":
		return mapAt(body, "spec", "jobTemplate", "spec", "template")
	default:
		return mapAt(body, "spec", "template")
	}
}

func podSpec(ref object.Ref, body map[string]any) map[string]any {
	return mapAt(podTemplate(ref, body), "spec")
}

// podReferences lists each object once that must exist for a Pod to start.
// References marked optional don't count.
func podReferences(pod map[string]any) []object.Ref {
	found := podRefs{seen: map[object.Ref]bool{}}
	found.add("ServiceAccount", pod, "serviceAccountName")
	for _, secret := range mapsAt(pod, "imagePullSecrets") {
		found.add("Secret", secret, "name")
	}
	for _, volume := range mapsAt(pod, "volumes") {
		found.source(volume)
		for _, part := range mapsAt(mapAt(volume, "projected"), "sources") {
			found.source(part)
		}
	}
	for _, list := range []string{"initContainers", "containers", "ephemeralContainers"} {
		for _, container := range mapsAt(pod, list) {
			found.environment(container)
		}
	}
	return found.list
}

// podRefs collects references in order of appearance.
type podRefs struct {
	list []object.Ref
	seen map[object.Ref]bool
}

// add takes the object that from names under key.
func (p *podRefs) add(kind string, from map[string]any, key string) {
	name := textAt(from, key)
	if optional, _ := from["optional"].(bool); name == "" || optional {
		return
	}
	ref := object.Ref{Kind: kind, Name: name}
	if !p.seen[ref] {
		p.seen[ref] = true
		p.list = append(p.list, ref)
	}
}

// source reads a volume or one part of a projected one.
func (p *podRefs) source(volume map[string]any) {
	p.add("ConfigMap", mapAt(volume, "configMap"), "name")
	p.add("Secret", mapAt(volume, "secret"), "secretName")
	p.add("Secret", mapAt(volume, "secret"), "name")
	p.add("PersistentVolumeClaim", mapAt(volume, "persistentVolumeClaim"), "claimName")
}

func (p *podRefs) environment(container map[string]any) {
	for _, from := range mapsAt(container, "envFrom") {
		p.add("ConfigMap", mapAt(from, "configMapRef"), "name")
		p.add("Secret", mapAt(from, "secretRef"), "name")
	}
	for _, variable := range mapsAt(container, "env") {
		from := mapAt(variable, "valueFrom")
		p.add("ConfigMap", mapAt(from, "configMapKeyRef"), "name")
		p.add("Secret", mapAt(from, "secretKeyRef"), "name")
	}
}

// mapAt follows keys through mappings; nil where the way ends.
func mapAt(body map[string]any, keys ...string) map[string]any {
	for _, key := range keys {
		body, _ = body[key].(map[string]any)
	}
	return body
}

// textAt reads a string behind keys; "" where there is none.
func textAt(body map[string]any, keys ...string) string {
	last := len(keys) - 1
	text, _ := mapAt(body, keys[:last]...)[keys[last]].(string)
	return text
}

// mapsAt reads the mappings of a list, leaving other elements out.
func mapsAt(body map[string]any, key string) []map[string]any {
	list, _ := body[key].([]any)
	out := make([]map[string]any, 0, len(list))
	for _, item := range list {
		if m, ok := item.(map[string]any); ok {
			out = append(out, m)
		}
	}
	return out
}
