package controller

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
)

func version(w *world, name, version string) *api.ApplicationPackageVersion {
	return &api.ApplicationPackageVersion{ObjectMeta: metav1.ObjectMeta{Name: api.VersionName(w.id, name, version)}}
}

func isLoaded(v *api.ApplicationPackageVersion) string {
	if why, ok := loaded(v); !ok {
		return "not loaded" + why
	}
	return ""
}

func succeeded(p *api.PackageRepository) string {
	return wantCondition(p.Status.Conditions, "LastScanSucceeded=True")
}

func TestRepositoryIsScanned(t *testing.T) {
	w := newWorld(t)
	name := w.id + "-web"
	w.push(name, "v1.0.0", "stage: Preview\nrequirements: {modules: {mandatory: [{name: ingress, constraint: '>= 1.2.0'}]}}\n")
	w.push(name, "v1.1.0", "")
	w.tag(w.root().Below(name).Below("version").WithTag("main"))
	w.repository()
	p := eventually(w, &api.PackageRepository{ObjectMeta: metav1.ObjectMeta{Name: w.id}}, succeeded)
	assert.Equal(t, []api.PackageInfo{{Name: name, Type: "Application"}}, p.Status.Packages)
	assert.Equal(t, 1, p.Status.PackagesCount)
	assert.Equal(t, 2, p.Status.LastNewVersions)
	assert.True(t, p.Status.PartialScanAvailable)
	assert.Equal(t, api.PhaseActive, p.Status.Phase)
	v := eventually(w, version(w, name, "v1.0.0"), isLoaded)
	assert.Equal(t, "Preview", v.Status.PackageMetadata.Stage)
	assert.Equal(t, []api.ModuleRequirement{{Name: "ingress", Constraint: ">= 1.2.0"}}, v.Status.PackageMetadata.Requirements.Modules.Mandatory)
	assert.JSONEq(t, `{"type":"object","additionalProperties":false,"properties":{"replicas":{"type":"integer","default":1}}}`,
		string(v.Status.PackageSchemas.SettingsSchema.OpenAPIV3Schema.Raw))
	assert.Equal(t, "true", v.Labels[api.LabelExistInRegistry])
	eventually(w, version(w, name, "v1.1.0"), isLoaded)
	eventually(w, &api.ApplicationPackage{ObjectMeta: metav1.ObjectMeta{Name: name}}, func(p *api.ApplicationPackage) string {
		if len(p.Status.AvailableRepositories) != 1 {
			return "no repository"
		}
		return ""
	})
	operations := &api.PackageRepositoryOperationList{}
	require.NoError(t, w.client.List(t.Context(), operations, client.MatchingLabels{api.LabelRepository: w.id}))
	require.Len(t, operations.Items, 1, "one scan is enough")
	o := operations.Items[0]
	assert.True(t, o.Spec.Update.FullScan)
	assert.Equal(t, api.TriggerAuto, o.Labels[api.LabelOperationTrigger])
	require.NotNil(t, o.Status.Packages)
	assert.Equal(t, []api.FailedPackage{{Name: name, Errors: []api.VersionError{{Version: "main", Message: "ignored: is no version (vMAJOR.MINOR.PATCH)"}}}}, o.Status.Packages.Failed)
	assert.Equal(t, 2, o.Status.Packages.NewVersionsOverall)
}

func manual(w *world, name string, full bool) *api.PackageRepositoryOperation {
	return &api.PackageRepositoryOperation{
		ObjectMeta: metav1.ObjectMeta{Name: w.id + "-" + name},
		Spec: api.PackageRepositoryOperationSpec{
			PackageRepositoryName: w.id, Type: api.OperationUpdate, Update: &api.OperationOptions{FullScan: full},
		},
	}
}

func isCompleted(o *api.PackageRepositoryOperation) string {
	if !completed(o) {
		return "not completed"
	}
	return ""
}

func TestOperations(t *testing.T) {
	w := newWorld(t)
	web, broken := w.id+"-web", w.id+"-broken"
	w.push(web, "v1.0.0", "")
	w.repository()
	eventually(w, &api.PackageRepository{ObjectMeta: metav1.ObjectMeta{Name: w.id}}, succeeded)
	w.push(web, "v1.2.0", "")
	o := manual(w, "incremental", false)
	w.create(o)
	o = eventually(w, o, isCompleted)
	assert.Empty(t, wantCondition(o.Status.Conditions, "Processed=True"))
	assert.Equal(t, 1, o.Status.Packages.NewVersionsOverall)
	assert.Equal(t, api.TriggerManual, o.Labels[api.LabelOperationTrigger])
	assert.Len(t, o.OwnerReferences, 1, "it goes with its repository")
	assert.Equal(t, []api.ProcessedPackage{{Name: web, Type: "Application", FoundVersions: 2, NewVersions: 1}}, o.Status.Packages.Processed)
	eventually(w, version(w, web, "v1.2.0"), isLoaded)

	// A package that is listed and has no versions is an error (complaint 27).
	w.tag(w.root().WithTag(broken))
	o = manual(w, "full", true)
	w.create(o)
	o = eventually(w, o, isCompleted)
	assert.Empty(t, wantCondition(o.Status.Conditions, "Processed=False(PackagesFailed: "+broken+": versions of package"))
	p := eventually(w, &api.PackageRepository{ObjectMeta: metav1.ObjectMeta{Name: w.id}}, func(p *api.PackageRepository) string {
		return wantCondition(p.Status.Conditions, "LastScanSucceeded=False(PackagesFailed")
	})
	assert.Contains(t, p.Status.Message, broken)
	eventually(w, version(w, web, "v1.2.0"), isLoaded)

	none := manual(w, "none", true)
	none.Spec.PackageRepositoryName = w.id + "-other"
	w.create(none)
	none = eventually(w, none, isCompleted)
	assert.Empty(t, wantCondition(none.Status.Conditions, "Processed=False(PackageRepositoryNotFound: there is no PackageRepository "+w.id+"-other"))
}

// TestVersionsOfOneName: the names of repository, package and version are joined by what may
// be in each. The second one is told, and an Application gets nothing that it didn't ask for.
func TestVersionsOfOneName(t *testing.T) {
	w := newWorld(t)
	w.push("b-c", "v1.0.0", "")
	w.push("b-c", "v1.1.0", "")
	p := &api.PackageRepository{
		ObjectMeta: metav1.ObjectMeta{Name: w.id},
		Spec:       api.PackageRepositorySpec{Registry: api.RegistrySpec{Repo: w.root().Name(), Scheme: "http"}},
	}
	other := &api.ApplicationPackageVersion{
		ObjectMeta: metav1.ObjectMeta{Name: api.VersionName(w.id, "b-c", "v1.0.0")},
		Spec:       api.ApplicationPackageVersionSpec{PackageName: "c", PackageRepositoryName: w.id + "-b", PackageVersion: "v1.0.0"},
	}
	w.create(other)
	t.Cleanup(func() { _ = w.client.Delete(context.WithoutCancel(t.Context()), other) })
	w.create(p)
	eventually(w, version(w, "b-c", "v1.1.0"), isLoaded)
	operations := &api.PackageRepositoryOperationList{}
	w.waitFor("a scan that has ended", func() bool {
		require.NoError(t, w.client.List(t.Context(), operations, labelled(w.id)))
		return len(operations.Items) > 0 && completed(&operations.Items[0])
	})
	failed := operations.Items[0].Status.Packages.Failed
	require.Len(t, failed, 1)
	assert.Contains(t, failed[0].Errors[0].Message, "version v1.0.0 of the package c in the repository "+w.id+"-b")
	app := w.application("shop", "b-c", "v1.0.0")
	w.create(app)
	eventually(w, app, func(a *api.Application) string {
		if a.Status.Summary == nil || !strings.Contains(a.Status.Summary.Message, "give one of the repositories another name") {
			return fmt.Sprint(a.Status.Summary)
		}
		return ""
	})
	_, submitted := w.runtime.last(w.id + ".shop")
	assert.False(t, submitted)
	require.NoError(t, w.client.Delete(t.Context(), app))
}

// A registry that can't be reached is told, and tried again; another way to reach it is
// a reason for a full scan at once.
func TestRegistryThatCannotBeReached(t *testing.T) {
	w := newWorld(t)
	web := w.id + "-web"
	w.push(web, "v1.0.0", "")
	w.create(&api.PackageRepository{
		ObjectMeta: metav1.ObjectMeta{Name: w.id},
		Spec:       api.PackageRepositorySpec{Registry: api.RegistrySpec{Repo: w.root().Name(), Login: "robot", Password: "c0rrect-horse"}},
	})
	p := eventually(w, &api.PackageRepository{ObjectMeta: metav1.ObjectMeta{Name: w.id}}, func(p *api.PackageRepository) string {
		return wantCondition(p.Status.Conditions, "LastScanSucceeded=False(PackageListingFailed")
	})
	assert.NotContains(t, conditionText(p.Status.Conditions)+p.Status.Message, "c0rrect-horse")
	w.waitFor("a second scan", func() bool {
		operations := &api.PackageRepositoryOperationList{}
		require.NoError(t, w.client.List(t.Context(), operations, client.MatchingLabels{api.LabelRepository: w.id}))
		return len(operations.Items) > 1
	})
	require.NoError(t, w.client.Patch(t.Context(), p, client.RawPatch(types.MergePatchType, []byte(`{"spec":{"registry":{"scheme":"HTTP"}}}`))))
	eventually(w, p, succeeded)
	eventually(w, version(w, web, "v1.0.0"), isLoaded)
}

func TestVersionWithoutMetadata(t *testing.T) {
	w := newWorld(t)
	web := w.id + "-web"
	w.push(web, "v1.0.0", "")
	w.tag(w.root().Below(web).Below("version").WithTag("v1.1.0"))
	w.repository()
	eventually(w, version(w, web, "v1.0.0"), isLoaded)
	v := eventually(w, version(w, web, "v1.1.0"), func(v *api.ApplicationPackageVersion) string {
		return wantCondition(v.Status.Conditions, "MetadataLoaded=False(GetImageError: ")
	})
	assert.Contains(t, v.Labels, api.LabelDraft)
	orphan := &api.ApplicationPackageVersion{
		ObjectMeta: metav1.ObjectMeta{Name: w.id + "-orphan", Labels: map[string]string{api.LabelRepository: w.id}},
		Spec:       api.ApplicationPackageVersionSpec{PackageName: web, PackageRepositoryName: w.id + "-other", PackageVersion: "v1.0.0"},
	}
	w.create(orphan)
	eventually(w, orphan, func(v *api.ApplicationPackageVersion) string {
		return wantCondition(v.Status.Conditions, "MetadataLoaded=False(GetPackageRepositoryError: there is no PackageRepository")
	})
}

func manualCreated(w *world, name string) *api.PackageRepositoryOperation {
	o := manual(w, name, true)
	w.create(o)
	return o
}

// Who uses a version holds it, and with it the repository.
func TestUsageHoldsVersions(t *testing.T) {
	w := newWorld(t)
	web := w.id + "-web"
	w.push(web, "v1.0.0", "")
	w.push(web, "v1.1.0", "")
	w.repository()
	eventually(w, version(w, web, "v1.0.0"), isLoaded)
	app := w.application("shop", web, "v1.0.0")
	w.create(app)
	v := eventually(w, version(w, web, "v1.0.0"), func(v *api.ApplicationPackageVersion) string {
		if v.Status.UsedByCount != 1 || len(v.Finalizers) != 1 {
			return "not used yet"
		}
		return ""
	})
	assert.Equal(t, []api.InstanceRef{{Namespace: w.id, Name: "shop"}}, v.Status.UsedBy)
	eventually(w, &api.ApplicationPackage{ObjectMeta: metav1.ObjectMeta{Name: web}}, func(p *api.ApplicationPackage) string {
		if p.Status.UsedByCount != 1 {
			return "not used yet"
		}
		return ""
	})
	p := &api.PackageRepository{ObjectMeta: metav1.ObjectMeta{Name: w.id}}
	require.NoError(t, w.client.Delete(t.Context(), p))
	p = eventually(w, p, func(p *api.PackageRepository) string {
		if p.Status.Phase != api.PhaseTerminating || len(p.Status.Message) == 0 {
			return "not terminating yet"
		}
		if p.Status.Message != "versions of it are used by Applications: "+w.id+"/shop" {
			return p.Status.Message
		}
		return ""
	})
	assert.NotNil(t, meta.FindStatusCondition(p.Status.Conditions, api.ConditionLastScanSucceeded))
	assert.Equal(t, p.UID, v.OwnerReferences[0].UID, "what a scan makes while its repository goes, goes with it")
	w.push(web, "v1.2.0", "")
	late := eventually(w, manualCreated(w, "late"), isCompleted)
	assert.Empty(t, wantCondition(late.Status.Conditions, "Processed=False(PackageRepositoryNotFound: the PackageRepository "+w.id+" is being deleted"))
	assert.True(t, apierrors.IsNotFound(w.client.Get(t.Context(), client.ObjectKeyFromObject(version(w, web, "v1.2.0")), version(w, web, "v1.2.0"))))
	w.runtime.locked(func() { w.runtime.gone[w.id+".shop"] = true })
	require.NoError(t, w.client.Delete(t.Context(), app))
	for _, o := range []client.Object{p, v, app, &api.ApplicationPackage{ObjectMeta: metav1.ObjectMeta{Name: web}}} {
		w.waitFor(o.GetName()+" is gone", func() bool {
			return apierrors.IsNotFound(w.client.Get(t.Context(), client.ObjectKeyFromObject(o), o))
		})
	}
}
