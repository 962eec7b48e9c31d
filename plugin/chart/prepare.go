package chart

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"
	"helm.sh/helm/v4/pkg/chart/common"
	values "helm.sh/helm/v4/pkg/chart/common/util"
	helm "helm.sh/helm/v4/pkg/chart/v2"
	chartutil "helm.sh/helm/v4/pkg/chart/v2/util"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// prepared is a chart whose sub-charts are decided, with what templates see.
type prepared struct {
	chart    *helm.Chart
	values   common.Values // the roots of the top chart
	warnings []object.Warning
}

func (c *Chart) prepare(r Request) (*prepared, error) {
	loaded, err := c.load()
	if err != nil {
		return nil, err
	}
	capabilities, err := r.Capabilities.helm()
	if err != nil {
		return nil, err
	}
	if err := fit(loaded, capabilities); err != nil {
		return nil, err
	}
	given := copyMap(r.Values)
	if findings := misplaced(loaded, given, ""); len(findings) > 0 {
		return nil, &ValuesError{Findings: findings}
	}
	if err := chartutil.ProcessDependencies(loaded, given); err != nil {
		return nil, fmt.Errorf("choose sub-charts: %w", err)
	}
	if err := distinct(loaded); err != nil {
		return nil, err
	}
	p := &prepared{chart: loaded, warnings: replaced(loaded, given, "")}
	release := common.ReleaseOptions{
		Name:      r.Release.Name,
		Namespace: r.Release.Namespace,
		Revision:  max(r.Release.Revision, 1),
		IsUpgrade: r.Release.Upgrade,
		IsInstall: !r.Release.Upgrade,
	}
	// The schema is read by ours: Helm's may go to the network, and prints values.
	p.values, err = values.ToRenderValuesWithSchemaValidation(loaded, given, release, capabilities, true)
	if err != nil {
		return nil, fmt.Errorf("merge values: %w", err)
	}
	if r.SkipSchema {
		return p, nil
	}
	top, _ := p.values["Values"].(common.Values)
	findings, warnings := checkSchemas(loaded, top)
	p.warnings = append(p.warnings, warnings...)
	if len(findings) > 0 {
		return nil, &ValuesError{Findings: findings}
	}
	return p, nil
}

// helm fills in what Helm itself knows.
func (c Capabilities) helm() (*common.Capabilities, error) {
	capabilities := common.DefaultCapabilities.Copy()
	version := c.KubeVersion
	if version == "" {
		version = DefaultKubeVersion
	}
	parsed, err := common.ParseKubeVersion(version)
	if err != nil {
		return nil, fmt.Errorf("version of Kubernetes %q: %w", version, err)
	}
	capabilities.KubeVersion = *parsed
	if c.APIVersions != nil {
		capabilities.APIVersions = slices.Clone(c.APIVersions)
	}
	return capabilities, nil
}

// fit checks what Chart.yaml asks for.
func fit(c *helm.Chart, capabilities *common.Capabilities) error {
	if strings.EqualFold(c.Metadata.Type, "library") {
		return errors.New("it is a library (type in Chart.yaml) and has nothing to install")
	}
	if err := fitKubeVersion(c.Metadata.KubeVersion, capabilities.KubeVersion); err != nil {
		return err
	}
	var missing []string
	for _, d := range metadataOf(c).Dependencies {
		if !d.Vendored {
			missing = append(missing, d.Name)
		}
	}
	if len(missing) > 0 {
		return &MissingError{Names: missing}
	}
	return nil
}

// MissingError says that Chart.yaml asks for sub-charts that are not in charts/.
type MissingError struct {
	Names []string // as Chart.yaml has them
}

func (e *MissingError) Error() string {
	return fmt.Sprintf("Chart.yaml asks for %s, which charts/ does not have; fetch dependencies first",
		strings.Join(e.Names, ", "))
}

// fitKubeVersion compares without a vendor's suffix: v1.36.3-gke.100 is a 1.36.
func fitKubeVersion(wanted string, found common.KubeVersion) error {
	if wanted == "" {
		return nil
	}
	constraint, err := semver.NewConstraint(wanted)
	if err != nil {
		return fmt.Errorf("kubeVersion in Chart.yaml: wanted a constraint on versions, found %q", wanted)
	}
	version, err := semver.NewVersion(found.String())
	if err != nil {
		return fmt.Errorf("version of Kubernetes %q: %w", found.Version, err)
	}
	if !constraint.Check(version) {
		return fmt.Errorf("kubeVersion in Chart.yaml: wanted Kubernetes %s, found %s", wanted, found.Version)
	}
	return nil
}

// distinct refuses two sub-charts of one name: one would hide the other, and
// which one would be chance.
func distinct(c *helm.Chart) error {
	seen := map[string]string{}
	for _, child := range c.Dependencies() {
		if other, found := seen[child.Name()]; found {
			return fmt.Errorf("charts/ of %s has two charts %q (%s and %s)",
				c.Name(), child.Name(), other, child.Metadata.Version)
		}
		seen[child.Name()] = child.Metadata.Version
		if err := distinct(child); err != nil {
			return err
		}
	}
	return nil
}
