package install

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/controller"
)

// Records under which the objects are applied.
const (
	// Manifest is all but the definitions.
	Manifest = "packages-controller"
	// DefinitionsManifest is the CustomResourceDefinitions.
	DefinitionsManifest = "packages-crds"
)

// imageRepository is where releases put the image; .goreleaser.yaml has the same.
const imageRepository = "ghcr.io/kubectl-tazuna/kubectl-tazuna"

// DefaultImage is the image of a release, "" for a program that is none.
func DefaultImage(version string) string {
	if !bundle.IsVersion(version) {
		return ""
	}
	return imageRepository + ":" + version
}

// Rights says what the controller may do with the objects of applications. What it
// needs for itself it has with each but RightsNone.
type Rights string

const (
	// RightsCommon are the kinds that packages usually consist of, and what roles with
	// AggregationLabel add.
	RightsCommon Rights = "common"
	// RightsMinimal are those of the controller's own work in the namespaces of
	// applications, and what roles with AggregationLabel add.
	RightsMinimal Rights = "minimal"
	// RightsAll is cluster-admin.
	RightsAll Rights = "cluster-admin"
	// RightsNone makes no role and no binding.
	RightsNone Rights = "none"
)

// AllRights are the choices.
func AllRights() []string {
	return []string{string(RightsCommon), string(RightsMinimal), string(RightsAll), string(RightsNone)}
}

// Options are what can be chosen.
type Options struct {
	// Namespace is that of the controller.
	Namespace string
	// CreateNamespace makes it one of the objects.
	CreateNamespace bool
	// Image is that of the controller, and PullSecrets name Secrets of its namespace that
	// it is pulled with.
	Image       string
	PullSecrets []string
	Replicas    int
	// Namespaces are those whose applications are looked after; none: all.
	Namespaces []string
	// Rights says what may be done in them.
	Rights Rights
	// PlatformVersion is what requirements on the platform are held against; may be empty.
	PlatformVersion string
	// Webhook has the API server ask the controller about Applications; Protect keeps
	// others from changing objects of applications.
	Webhook, Protect bool
	// Rules and Monitor tell Prometheus's operator what to alert on and what to scrape.
	Rules, Monitor bool
	// Requests and Limits are those of the container, by resource.
	Requests, Limits map[string]string
	// Annotations are put on the Pods.
	Annotations map[string]string
	// Args are further flags of the controller.
	Args []string
}

// DefaultOptions are what is installed where nothing is chosen, for a program of this
// version.
func DefaultOptions(version string) Options {
	return Options{
		Namespace: controller.DefaultSystemNamespace, CreateNamespace: true, Image: DefaultImage(version), Replicas: 1, Rights: RightsCommon,
		Webhook: true, Protect: true,
		// An idle controller takes 60 MiB, and 150 KiB more for each application; hooks
		// run in the same container.
		Requests: map[string]string{"cpu": "50m", "memory": "128Mi"}, Limits: map[string]string{"memory": "1Gi"},
	}
}

// Validate refuses what can't work. Errors name the flag.
func (o Options) Validate() error {
	switch {
	case o.Image == "":
		return errors.New("--image: this program is no release, so there is no image of it: wanted one that has it as kubectl-tazuna, with packages controller as its arguments")
	case strings.ContainsAny(o.Image, " \t\n"):
		return fmt.Errorf("--image: wanted the reference of an image, found %q", o.Image)
	case o.Replicas < 1:
		return fmt.Errorf("--replicas: wanted 1 or more, found %d", o.Replicas)
	case !slices.Contains(AllRights(), string(o.Rights)):
		return fmt.Errorf("--rbac: wanted %s, found %q", strings.Join(AllRights(), ", "), o.Rights)
	case o.PlatformVersion != "" && !bundle.IsVersion(o.PlatformVersion):
		return fmt.Errorf("--platform-version: wanted a version such as v1.70.0, found %q", o.PlatformVersion)
	}
	for _, name := range append([]string{o.Namespace}, o.Namespaces...) {
		if reasons := validation.IsDNS1123Label(name); len(reasons) > 0 {
			return fmt.Errorf("namespace %q: %s", name, reasons[0])
		}
	}
	for _, name := range o.PullSecrets {
		if reasons := validation.IsDNS1123Subdomain(name); len(reasons) > 0 {
			return fmt.Errorf("--image-pull-secret %q: %s", name, reasons[0])
		}
	}
	for name := range o.Annotations {
		if reasons := validation.IsQualifiedName(strings.ToLower(name)); len(reasons) > 0 {
			return fmt.Errorf("--pod-annotation %q: %s", name, reasons[0])
		}
	}
	return errors.Join(quantities("--requests", o.Requests), quantities("--limits", o.Limits), o.checkArgs())
}

func quantities(flag string, of map[string]string) error {
	for name, text := range of {
		if _, err := resource.ParseQuantity(text); err != nil {
			return fmt.Errorf("%s %s: wanted a quantity such as 100m or 256Mi, found %q", flag, name, text)
		}
	}
	return nil
}

// checkArgs refuses flags that install sets itself: two values would contradict what
// else is installed.
func (o Options) checkArgs() error {
	for _, arg := range o.Args {
		name, _, _ := strings.Cut(arg, "=")
		if slices.Contains(ownFlags(), name) {
			return fmt.Errorf("%s is set by install and can't be given to the controller as well", name)
		}
	}
	return nil
}
