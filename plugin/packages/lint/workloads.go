package lint

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/report"
)

// isWorkload tells the kinds by which an application is taken for running.
func isWorkload(o object.Object) bool {
	gvk := o.GVK()
	return gvk.Group == "apps" && (gvk.Kind == "Deployment" || gvk.Kind == "StatefulSet")
}

func workload(p *Package, found func(report.Severity, string, string)) {
	if p.Objects != nil && !slices.ContainsFunc(p.Objects, isWorkload) {
		found(report.Error, "templates", "wanted a Deployment or StatefulSet, found none: the application would never become ready")
	}
}

// disruptionBudget wants one for what runs more than once: with a single Pod it only
// blocks the work on nodes.
func disruptionBudget(p *Package, found func(report.Severity, string, string)) {
	for _, o := range p.Objects {
		replicas, given, _ := unstructured.NestedInt64(o.Body, "spec", "replicas")
		if !isWorkload(o) || given && replicas < 2 {
			continue
		}
		pod, _, _ := unstructured.NestedStringMap(o.Body, "spec", "template", "metadata", "labels")
		covers := func(b object.Object) bool {
			selector, _, _ := unstructured.NestedStringMap(b.Body, "spec", "selector", "matchLabels")
			return b.GVK().Kind == "PodDisruptionBudget" && len(selector) > 0 && labels.SelectorFromSet(selector).Matches(labels.Set(pod))
		}
		if !slices.ContainsFunc(p.Objects, covers) {
			found(report.Warning, templateOf(o), called(o)+": wanted a PodDisruptionBudget that selects its Pods, found none")
		}
	}
}

func servicePort(p *Package, found func(report.Severity, string, string)) {
	for _, o := range p.Objects {
		if o.GVK().Kind != "Service" || o.GVK().Group != "" {
			continue
		}
		for _, entry := range listAt(o, "spec", "ports") {
			port, _ := entry.(map[string]any)
			if target, isNumber := port["targetPort"].(int64); isNumber {
				found(report.Warning, templateOf(o), fmt.Sprintf(
					"%s: wanted the name of a container port as targetPort, found %d: the number is written twice", called(o), target))
			}
		}
	}
}

// images wants every container to run an image of the package, by its digest, and
// every digest to be used.
func images(p *Package, found func(report.Severity, string, string)) {
	used := map[string]bool{}
	for _, o := range p.Objects {
		for _, image := range imagesOf(o.Body) {
			name := p.imageName(image)
			used[name] = true
			switch {
			case image == "":
				found(report.Error, templateOf(o), called(o)+": a container has no image: is its name in images_digests.json?")
			case name == "":
				found(report.Warning, templateOf(o), called(o)+": a container runs an image that is none of images_digests.json: it isn't copied with the package")
			}
		}
	}
	if p.Objects == nil {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(p.Images)) {
		if !used[name] {
			found(report.Warning, "images_digests.json", name+": no container runs this image")
		}
	}
}

// imageName finds the name of an image by its digest; "" for another image.
func (p *Package) imageName(image string) string {
	_, digest, _ := strings.Cut(image, "@")
	for name, known := range p.Images {
		if digest == known {
			return name
		}
	}
	return ""
}

// imagesOf lists the images of all containers in an object, wherever its template of
// Pods is.
func imagesOf(value any) []string {
	var all []string
	switch v := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if key == "containers" || key == "initContainers" {
				all = append(all, containerImages(v[key])...)
				continue
			}
			all = append(all, imagesOf(v[key])...)
		}
	case []any:
		for _, item := range v {
			all = append(all, imagesOf(item)...)
		}
	}
	return all
}

func containerImages(value any) []string {
	containers, _ := value.([]any)
	var all []string
	for _, entry := range containers {
		if container, ok := entry.(map[string]any); ok && container["name"] != nil {
			image, _ := container["image"].(string)
			all = append(all, image)
		}
	}
	return all
}

// listAt gives a list within an object; nil where there is none.
func listAt(o object.Object, path ...string) []any {
	value, _, _ := unstructured.NestedFieldNoCopy(o.Body, path...)
	list, _ := value.([]any)
	return list
}
