package scan

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle/repository"
)

func found(name string, versions ...string) PackageFound {
	p := PackageFound{Name: name, Versions: repository.Offer{Names: versions}}
	if len(versions) == 0 {
		p.Err = repository.ErrNoVersions
	}
	return p
}

func names(packages []api.PackageInfo) (all []string) {
	for _, p := range packages {
		all = append(all, p.Name)
	}
	return all
}

func TestDecideFull(t *testing.T) {
	known := Known{
		Packages: []string{"gone", "store", "web"},
		Versions: map[string][]string{"web": {"v1.0.0", "v1.1.0"}, "gone": {"v0.1.0"}, "broken": {"v1.0.0"}},
	}
	web := found("web", "v1.1.0", "v1.2.0")
	web.Versions.Ignored = []repository.Ignored{{Tag: "main", Reason: "is no version"}}
	web.Channels = map[string]string{"stable": "v1.1.0"}
	broken := PackageFound{Name: "broken", Err: errors.New("refused")}
	r := Decide(known, Found{
		Packages: []PackageFound{broken, found("store", "v3.0.0"), web},
		Ignored:  []repository.Ignored{{Tag: "Not-A-Name", Reason: "is no name of a package"}},
	}, true)
	assert.Equal(t, []Version{{"store", "v3.0.0"}, {"web", "v1.2.0"}}, r.New)
	assert.Equal(t, []Version{{"web", "v1.1.0"}}, r.Present)
	assert.Equal(t, []Version{{"web", "v1.0.0"}, {"gone", "v0.1.0"}}, r.Gone, "what couldn't be listed isn't gone")
	assert.Equal(t, []string{"broken", "store", "web"}, names(r.Packages))
	assert.Equal(t, map[string]map[string]string{"web": {"stable": "v1.1.0"}}, r.Channels)
	assert.Equal(t, api.OperationPackages{
		Discovered: []api.PackageInfo{{Name: "broken", Type: "Application"}, {Name: "store", Type: "Application"}, {Name: "web", Type: "Application"}},
		Processed: []api.ProcessedPackage{
			{Name: "store", Type: "Application", FoundVersions: 1, NewVersions: 1},
			{Name: "web", Type: "Application", FoundVersions: 2, NewVersions: 1},
		},
		Failed: []api.FailedPackage{
			{Name: "broken", Errors: []api.VersionError{{Message: "refused"}}},
			{Name: "web", Errors: []api.VersionError{{Version: "main", Message: "ignored: is no version"}}},
			{Name: "(repository)", Errors: []api.VersionError{{Version: "Not-A-Name", Message: "is no name of a package"}}},
		},
		Total: 3, ProcessedOverall: 3, NewVersionsOverall: 2,
	}, r.Report)
	require.Len(t, r.Broken(), 1)
	assert.Equal(t, "broken", r.Broken()[0].Name, "ignored tags are told, and break nothing")
}

func TestComplaint27NoVersionIsAnError(t *testing.T) {
	none := Found{Packages: []PackageFound{found("web")}}
	for name, full := range map[string]bool{"full": true, "the first": false} {
		r := Decide(Known{}, none, full)
		require.Len(t, r.Broken(), 1, name)
		assert.Contains(t, r.Broken()[0].Errors[0].Message, "no version")
		assert.Empty(t, r.Report.Processed)
	}
	known := Known{Versions: map[string][]string{"web": {"v1.0.0"}}}
	r := Decide(known, none, true)
	assert.Len(t, r.Broken(), 1)
	assert.Empty(t, r.Gone, "an empty listing takes nothing away")
	assert.Empty(t, Decide(known, none, false).Broken(), "an incremental one found nothing new")
}

func TestComplaint28IncrementalScanForgetsNothing(t *testing.T) {
	known := Known{Packages: []string{"a", "b"}, Versions: map[string][]string{"a": {"v1.0.0"}, "b": {"v1.0.0", "v1.1.0"}}}
	r := Decide(known, Found{Packages: []PackageFound{found("b", "v1.1.0")}}, false)
	assert.Equal(t, []string{"a", "b"}, names(r.Packages))
	assert.Empty(t, r.Gone)
	assert.Empty(t, r.New)
}

// lister is a repository whose packages are given.
type lister struct {
	packages map[string][]string
	channels error
}

func (l lister) Packages(context.Context) (o repository.Offer, err error) {
	if l.packages == nil {
		return o, errors.New("refused")
	}
	o.Names = slices.Sorted(maps.Keys(l.packages))
	return o, nil
}

func (l lister) Versions(_ context.Context, name string) (repository.Offer, error) {
	return repository.Offer{Names: l.packages[name]}, nil
}

func (l lister) Channels(context.Context, string) (map[string]string, error) {
	return map[string]string{"stable": "v1.0.0"}, l.channels
}

func TestLook(t *testing.T) {
	l := lister{packages: map[string][]string{"web": {"v1.0.0"}, "store": {"v2.0.0"}}, channels: errors.New("no metadata")}
	f, err := Look(t.Context(), l)
	require.NoError(t, err)
	assert.Equal(t, []string{"store", "web"}, []string{f.Packages[0].Name, f.Packages[1].Name})
	r := Decide(Known{}, f, true)
	assert.Len(t, r.New, 2)
	assert.Empty(t, r.Channels)
	assert.Empty(t, r.Broken())
	assert.Equal(t, "no metadata", r.Report.Failed[0].Errors[0].Message)
	_, err = Look(t.Context(), lister{})
	require.ErrorContains(t, err, "list the packages: refused")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("it took too long"))
	_, err = Look(ctx, l)
	assert.ErrorContains(t, err, "it took too long")
}

// TestReportsAreBounded: what a hostile registry lists fits into the status of an object.
func TestReportsAreBounded(t *testing.T) {
	var f Found
	for i := range 1000 {
		p := PackageFound{Name: fmt.Sprintf("p%04d", i), Versions: repository.Offer{Names: []string{"v1.0.0"}}}
		for j := range 100 {
			p.Versions.Ignored = append(p.Versions.Ignored, repository.Ignored{Tag: fmt.Sprint("tag-", j), Reason: strings.Repeat("é", 5000)})
		}
		f.Packages = append(f.Packages, p)
		f.Ignored = append(f.Ignored, repository.Ignored{Tag: fmt.Sprint("x", i), Reason: "is no name"})
	}
	f.Packages = append(f.Packages, PackageFound{Name: "zz", Err: errors.New("refused")})
	r := Decide(Known{}, f, true)
	assert.Len(t, r.Report.Failed, mostFailed)
	assert.Equal(t, 1001, r.Report.ProcessedOverall)
	assert.Len(t, r.New, 1000)
	require.Len(t, r.Broken(), 1, "what is worst is told first")
	assert.Equal(t, api.FailedPackage{Name: "zz", Errors: []api.VersionError{{Message: "refused"}}}, r.Report.Failed[0])
	r.Report.Failed = r.Report.Failed[1:]
	for _, p := range r.Report.Failed {
		require.Len(t, p.Errors, mostFaults)
		assert.Equal(t, "and more, which are not listed", p.Errors[mostFaults-1].Message)
		assert.Less(t, len(p.Errors[0].Message), longestFault+4)
		assert.True(t, utf8.ValidString(p.Errors[0].Message))
	}
}

// TestRefuse: what can't have an object is no new version, and the report says why. The
// rest of the package is processed.
func TestRefuse(t *testing.T) {
	r := Decide(Known{}, Found{Packages: []PackageFound{{Name: "web", Versions: repository.Offer{Names: []string{"v1.0.0", "v1.1.0"}}}}}, true)
	r.Refuse(nil)
	require.Len(t, r.New, 2)
	r.Refuse(map[Version]string{{"web", "v1.0.0"}: "its name is taken"})
	assert.Equal(t, []Version{{"web", "v1.1.0"}}, r.New)
	assert.Equal(t, 1, r.Report.NewVersionsOverall)
	assert.Equal(t, 1, r.Report.Processed[0].NewVersions)
	assert.Equal(t, []api.FailedPackage{{Name: "web", Errors: []api.VersionError{{Version: "v1.0.0", Message: "its name is taken"}}}}, r.Report.Failed)
}

// TestTooMuchIsListed: every package and version would be an object of the cluster.
func TestTooMuchIsListed(t *testing.T) {
	many := lister{packages: map[string][]string{}}
	for i := range MaxPackages {
		many.packages[fmt.Sprint("p", i)] = []string{"v1.0.0"}
	}
	many.packages["p0"] = nil
	for i := range MaxVersions + 1 {
		many.packages["p0"] = append(many.packages["p0"], fmt.Sprintf("v1.%d.0", i))
	}
	f, err := Look(t.Context(), many)
	require.NoError(t, err)
	r := Decide(Known{}, f, true)
	assert.Len(t, r.New, MaxPackages-1)
	require.Len(t, r.Broken(), 1)
	assert.Equal(t, "versions: wanted at most 2000, found 2001", r.Broken()[0].Errors[0].Message)
	many.packages["one-more"] = nil
	_, err = Look(t.Context(), many)
	require.EqualError(t, err, "list the packages: wanted at most 2000, found 2001")
}

func TestMetadata(t *testing.T) {
	definition, findings := bundle.ParseDefinition([]byte(`
apiVersion: v1
type: Application
name: store
version: v1.2.3
stage: Preview
category: Data
descriptions: {en: A store}
requirements:
  kubernetes: {constraint: ">= 1.29"}
  modules:
    mandatory: [{name: ingress, constraint: ">= 1.2.0"}]
    anyOf: [{name: storage, description: A disk, modules: [{name: ceph}, {name: local}]}]
disable: {confirmation: true, messages: {en: 'Sure?'}}
licensing: {editions: {ce: {available: true}}}
versionCompatibilityRules: {upgrade: {from: ">= 1.0", to: "< 2", allowSkipMinor: true}}
`), "package.yaml")
	require.NoError(t, bundle.AsError(findings))
	m := &bundle.Metadata{
		Version: "v1.2.3", Definition: definition, Changelog: bundle.Changelog{Features: []string{"new"}},
		SettingsSchema: &bundle.File{Name: "openapi/settings.yaml", Data: []byte("type: object\nx-ui: a\nproperties: {replicas: {type: integer, maximum: 9007199254740993, x-deckhouse-immutable: true}}\n")},
	}
	told, schemas, err := Metadata(m)
	require.NoError(t, err)
	assert.Equal(t, &api.PackageMetadata{
		Description: map[string]string{"en": "A store"}, Category: "Data", Stage: "Preview",
		Requirements: &api.PackageRequirements{
			Kubernetes: &api.VersionConstraint{Constraint: ">= 1.29"},
			Modules: &api.ModuleRequirements{
				Mandatory: []api.ModuleRequirement{{Name: "ingress", Constraint: ">= 1.2.0"}},
				AnyOf:     []api.ModuleGroup{{Name: "storage", Description: "A disk", Modules: []api.ModuleRequirement{{Name: "ceph"}, {Name: "local"}}}},
			},
		},
		Licensing:                 &api.PackageLicensing{Editions: map[string]api.PackageEdition{"ce": {Available: true}}},
		Changelog:                 &api.PackageChangelog{Features: []string{"new"}},
		VersionCompatibilityRules: &api.VersionCompatibilityRules{Upgrade: &api.VersionCompatibilityRule{From: ">= 1.0", To: "< 2", AllowSkipMinor: true}},
		DisableOptions:            &api.PackageDisableOptions{Confirmation: true, Messages: map[string]string{"en": "Sure?"}},
	}, told)
	assert.JSONEq(t, `{"type":"object","additionalProperties":false,"properties":{"replicas":{"type":"integer","maximum":9007199254740993,"x-deckhouse-immutable":true}}}`,
		string(schemas.SettingsSchema.OpenAPIV3Schema.Raw))
	assert.Contains(t, string(schemas.SettingsSchema.OpenAPIV3Schema.Raw), "9007199254740993")
	assert.Nil(t, schemas.ValuesSchema)
	m.SettingsSchema.Data = []byte("type: nothing\n")
	_, _, err = Metadata(m)
	require.ErrorContains(t, err, "schemas: ")
	m.SettingsSchema.Data = []byte("type: object\ndescription: " + strings.Repeat("x", 600<<10) + "\n")
	_, _, err = Metadata(m)
	require.EqualError(t, err, "schemas: wanted at most 512 KiB as JSON, found 601 KiB")
	told, schemas, err = Metadata(&bundle.Metadata{})
	require.NoError(t, err)
	assert.Equal(t, &api.PackageMetadata{}, told)
	assert.Equal(t, &api.PackageSchemas{}, schemas)
}
