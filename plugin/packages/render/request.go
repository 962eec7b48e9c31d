package render

import (
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/chart"
)

// Instance names an application.
type Instance struct{ Namespace, Name string }

// String is the name of the release: NAMESPACE.NAME.
func (i Instance) String() string { return i.Namespace + "." + i.Name }

// Request is everything that a render depends on besides the package.
type Request struct {
	Instance Instance
	// Settings are the effective ones, Values all values: see package values.
	Settings, Values map[string]any
	// Secrets are values that no error may tell: see schema.Schema.Secrets.
	Secrets  []any
	Registry Registry
	// Platform is laid over DefaultPlatform.
	Platform     map[string]any
	Capabilities chart.Capabilities
	// Lookup answers the template function lookup; nil is without a cluster.
	Lookup chart.LookupFunc
	// Revision counts the releases, from 1; beyond 1 it is an upgrade.
	Revision int
	// Maintenance adds the label that lets people change objects by hand.
	Maintenance bool
}

// maxInstanceName is how long the name of an application may be.
const maxInstanceName = 24

// check refuses what a cluster would refuse.
func (r Request) check() error {
	var faults []error
	if reasons := validation.IsDNS1123Label(r.Instance.Name); len(reasons) > 0 {
		faults = append(faults, fmt.Errorf("instance name %q: %s", r.Instance.Name, strings.Join(reasons, "; ")))
	} else if len(r.Instance.Name) > maxInstanceName {
		faults = append(faults, fmt.Errorf("instance name %q has %d characters, wanted at most %d", r.Instance.Name, len(r.Instance.Name), maxInstanceName))
	}
	if reasons := validation.IsDNS1123Label(r.Instance.Namespace); len(reasons) > 0 {
		faults = append(faults, fmt.Errorf("namespace %q: %s", r.Instance.Namespace, strings.Join(reasons, "; ")))
	}
	return errors.Join(faults...)
}

// DefaultPlatform is what packages see of the platform when nobody says otherwise:
// a cluster with an ingress controller and a certificate issuer of the usual names.
// A version that is empty is chart.DefaultKubeVersion.
func DefaultPlatform(kubeVersion string) map[string]any {
	if kubeVersion == "" {
		kubeVersion = chart.DefaultKubeVersion
	}
	return map[string]any{
		"applications": map[string]any{
			"publicDomainTemplate": "%s-%s.example.com", // instance, namespace
			"ingressClass":         "nginx",
			"https": map[string]any{
				"mode":        "CertManager",
				"certManager": map[string]any{"clusterIssuerName": "letsencrypt"},
			},
		},
		"discovery": map[string]any{
			"clusterDomain":     "cluster.local",
			"kubernetesVersion": strings.TrimPrefix(kubeVersion, "v"),
		},
		"deckhouseVersion": "dev",
		"deckhouseEdition": "CE",
	}
}

// roots are what templates see beside .Values.
func (t *Template) roots(r Request) (map[string]any, error) {
	registry, err := r.Registry.template()
	if err != nil {
		return nil, err
	}
	images := map[string]any{}
	for name, digest := range t.images {
		images[name] = r.Registry.image(t.name, digest)
	}
	return map[string]any{
		"Application": map[string]any{
			"Instance": map[string]any{"Name": r.Instance.Name, "Namespace": r.Instance.Namespace},
			"Package": map[string]any{
				"Name": t.name, "Version": t.version, "Images": images, "Registry": registry,
			},
			"Settings": chart.Numbers(r.Settings),
		},
		"Platform": chart.MergeValues(DefaultPlatform(r.Capabilities.KubeVersion), r.Platform),
	}, nil
}
