package admission

import (
	"context"
	"errors"
	"fmt"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/schedule"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/schema"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/values"
)

// Request is what is to happen: Old is nil for a creation.
type Request struct{ Old, New *api.Application }

// Verdict is what is said of it.
type Verdict struct {
	// Refused says why not; "" allows it.
	Refused string
	// Warnings are shown to whoever asked.
	Warnings []string
}

// Facts are what a request is held against. Its methods are called by several
// goroutines.
type Facts interface {
	// HasPackage tells whether there is an ApplicationPackage.
	HasPackage(ctx context.Context, name string) (bool, error)
	// Version gives an ApplicationPackageVersion; nil if there is none.
	Version(ctx context.Context, name string) (*api.ApplicationPackageVersion, error)
	// Requirements holds those of a version against the cluster, as if the application
	// were added now.
	Requirements(name string, r bundle.Requirements) schedule.Decision
	// Live has the loaded package judge settings. asked is false where the version
	// isn't loaded.
	Live(ctx context.Context, name, version string, settings map[string]any, change values.Change) (warnings []string, asked bool, err error)
}

// Judge decides. An error is that something could not be found out.
func Judge(ctx context.Context, f Facts, r Request) (Verdict, error) {
	j := judge{Facts: f, Request: r, name: api.InstanceName(r.New.Namespace, r.New.Name)}
	if j.untouched() {
		return Verdict{}, nil
	}
	if n := len(r.New.Name); r.Old == nil && n > api.MaxInstanceName {
		return refused("metadata.name: wanted at most %d characters, found %d", api.MaxInstanceName, n), nil
	}
	version, verdict, err := j.version(ctx)
	if err != nil || verdict.Refused != "" {
		return verdict, err
	}
	if verdict, err = j.settings(ctx, version); err != nil || verdict.Refused != "" {
		return verdict, err
	}
	if text := j.requirements(version); text != "" {
		return Verdict{Refused: text, Warnings: verdict.Warnings}, nil
	}
	return verdict, nil
}

func refused(format string, args ...any) Verdict {
	return Verdict{Refused: fmt.Sprintf(format, args...)}
}

type judge struct {
	Facts
	Request
	name string
}

// untouched tells whether what is wanted stays as it is, or nothing is wanted any more.
func (j *judge) untouched() bool {
	return j.New.DeletionTimestamp != nil || j.Old != nil && apiequality.Semantic.DeepEqual(j.Old.Spec, j.New.Spec)
}

// newVersion tells whether another package or version is wanted than before.
func (j *judge) newVersion() bool {
	return j.Old == nil || j.Old.Spec.PackageName != j.New.Spec.PackageName ||
		j.Old.Spec.PackageVersion != j.New.Spec.PackageVersion || j.Old.Spec.Repository() != j.New.Spec.Repository()
}

// version finds the wanted version, or says what of it is missing (A2).
func (j *judge) version(ctx context.Context) (*api.ApplicationPackageVersion, Verdict, error) {
	s := &j.New.Spec
	if s.PackageName == "" || s.PackageVersion == "" {
		return nil, refused("spec: wanted packageName and packageVersion, found %q and %q", s.PackageName, s.PackageVersion), nil
	}
	there, err := j.HasPackage(ctx, s.PackageName)
	if err != nil {
		return nil, Verdict{}, err
	}
	if !there {
		return nil, refused("spec.packageName: wanted an ApplicationPackage, found none of the name %q", s.PackageName), nil
	}
	name := api.VersionName(s.Repository(), s.PackageName, s.PackageVersion)
	version, err := j.Version(ctx, name)
	if err != nil {
		return nil, Verdict{}, err
	}
	if version == nil {
		return nil, refused("spec.packageVersion: wanted a version of package %q in repository %q, found no ApplicationPackageVersion %q", s.PackageName, s.Repository(), name), nil
	}
	if _, draft := version.Labels[api.LabelDraft]; draft {
		return nil, refused("spec.packageVersion: wanted a version whose metadata is loaded, found that ApplicationPackageVersion %q is a draft%s", name, whyDraft(version)), nil
	}
	if !meta.IsStatusConditionTrue(version.Status.Conditions, api.ConditionMetadataLoaded) {
		return nil, refused("spec.packageVersion: wanted a version whose metadata is loaded, found that of ApplicationPackageVersion %q is not%s", name, whyDraft(version)), nil
	}
	return version, Verdict{}, nil
}

func whyDraft(v *api.ApplicationPackageVersion) string {
	c := meta.FindStatusCondition(v.Status.Conditions, api.ConditionMetadataLoaded)
	if c == nil || c.Status == metav1.ConditionTrue || c.Message == "" {
		return ""
	}
	return ": " + c.Reason + ": " + c.Message
}

// settings holds them against the schema, and has the loaded package judge them (A3).
func (j *judge) settings(ctx context.Context, version *api.ApplicationPackageVersion) (Verdict, error) {
	given, err := mapping(j.New.Spec.Settings)
	if err != nil {
		return Verdict{Refused: err.Error()}, nil //nolint:nilerr // what was sent is at fault, not the question
	}
	change, err := j.change()
	if err != nil {
		return Verdict{}, err
	}
	schemas, err := Published(version)
	if err != nil {
		return Verdict{}, err
	}
	if j.Old != nil && j.Old.Status.LastAppliedConfiguration == nil && schemas.Settings != nil {
		change.Applied = schemas.Settings.Effective(change.Applied, nil) // as an apply of them would be
	}
	sources := values.Sources{Schemas: schemas}
	if _, err := sources.Settings(ctx, given, values.Change{Applied: change.Applied, NewVersion: true}); err != nil {
		return judged(err)
	}
	if j.Old == nil || j.newVersion() {
		return Verdict{}, nil // no loaded package has this version for this application
	}
	warnings, _, err := j.Live(ctx, j.name, j.New.Spec.PackageVersion, given, change)
	if err != nil {
		return judged(err)
	}
	return Verdict{Warnings: warnings}, nil
}

// judged makes a refusal of what settings are refused for; what could not be judged
// stays an error.
func judged(err error) (Verdict, error) {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return Verdict{}, err
	}
	return refused("spec.settings: %s", err), nil
}

// change says what the settings replace: those of the last apply, else the former ones.
func (j *judge) change() (values.Change, error) {
	if j.Old == nil {
		return values.Change{}, nil
	}
	c := values.Change{NewVersion: j.newVersion()}
	before := j.Old.Status.LastAppliedConfiguration
	if before == nil {
		before = j.Old.Spec.Settings
	}
	applied, err := mapping(before)
	c.Applied = applied
	return c, err
}

// requirements says which one is unmet (A4). An application that wants the same version
// as before is not held up: it is suspended, and may be changed.
func (j *judge) requirements(version *api.ApplicationPackageVersion) string {
	if !j.newVersion() {
		return ""
	}
	d := j.Requirements(j.name, requirementsOf(version))
	if d.Enabled() {
		return ""
	}
	return "requirements of " + version.Name + " are not met: " + d.Message
}

// Published gives the schemas of a version as its repository published them.
func Published(v *api.ApplicationPackageVersion) (schema.Set, error) {
	var files [2]*bundle.File
	if s := v.Status.PackageSchemas; s != nil {
		for i, part := range []*api.PackageSchema{s.SettingsSchema, s.ValuesSchema} {
			if part == nil || part.OpenAPIV3Schema == nil {
				continue
			}
			name := []string{"openapi/settings.yaml", "openapi/values.yaml"}[i]
			files[i] = &bundle.File{Name: name, Data: part.OpenAPIV3Schema.Raw}
		}
	}
	set, findings := schema.Load(files[0], files[1])
	if err := bundle.AsError(findings); err != nil {
		return set, fmt.Errorf("schemas of ApplicationPackageVersion %s: %w", v.Name, err)
	}
	return set, nil
}

func mapping(raw *rawExtension) (map[string]any, error) {
	if raw == nil || len(raw.Raw) == 0 || string(raw.Raw) == "null" {
		return nil, nil //nolint:nilnil // none are given
	}
	m, err := object.DecodeJSON(raw.Raw)
	if err != nil {
		return nil, errors.New("spec.settings: wanted a JSON object, found something else")
	}
	return m, nil
}
