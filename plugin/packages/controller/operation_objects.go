package controller

import (
	"context"
	"fmt"
	"maps"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/scan"
)

// makePackage makes an ApplicationPackage that isn't there yet, and tells its release
// channels in this repository.
func (r *operations) makePackage(ctx context.Context, repository, name string, channels map[string]string) error {
	p := newPackage(name)
	err := r.client.Create(ctx, p)
	if apierrors.IsAlreadyExists(err) {
		err = r.client.Get(ctx, types.NamespacedName{Name: name}, p)
	}
	if err != nil {
		return fmt.Errorf("make ApplicationPackage %s: %w", name, err)
	}
	if maps.Equal(p.Status.ReleaseChannels[repository], channels) {
		return nil
	}
	base := p.DeepCopy()
	if p.Status.ReleaseChannels == nil {
		p.Status.ReleaseChannels = map[string]map[string]string{}
	}
	p.Status.ReleaseChannels[repository] = maps.Clone(channels)
	if len(channels) == 0 {
		delete(p.Status.ReleaseChannels, repository)
	}
	if err := r.client.Status().Patch(ctx, p, client.MergeFrom(base)); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("write the status of ApplicationPackage %s: %w", name, err)
	}
	return nil
}

// makeVersion makes the draft of a version.
func (r *operations) makeVersion(ctx context.Context, p *api.PackageRepository, v scan.Version) error {
	name := api.VersionName(p.Name, v.Package, v.Version)
	err := r.client.Create(ctx, &api.ApplicationPackageVersion{
		ObjectMeta: metav1.ObjectMeta{
			Name: name,
			Labels: map[string]string{
				api.LabelHeritage: api.HeritageDeckhouse, api.LabelDraft: "true",
				api.LabelPackage: v.Package, api.LabelRepository: p.Name, api.LabelExistInRegistry: "true",
			},
			// One that is made while its repository goes doesn't stay for ever.
			OwnerReferences: []metav1.OwnerReference{ownerOf(p)},
		},
		Spec: api.ApplicationPackageVersionSpec{PackageName: v.Package, PackageRepositoryName: p.Name, PackageVersion: v.Version},
	})
	if apierrors.IsAlreadyExists(err) {
		return r.isIt(ctx, name, p.Name, v)
	}
	if err != nil {
		return fmt.Errorf("make ApplicationPackageVersion %s: %w", name, err)
	}
	return nil
}

// takenError is that two versions would have objects of the same name: repository, package
// and version are joined by what may be in each of them.
type takenError struct {
	name string
	by   api.ApplicationPackageVersionSpec
}

// Error says whose the name is.
func (e *takenError) Error() string {
	return fmt.Sprintf("its ApplicationPackageVersion would be %s, which is that of version %s of the package %s in the repository %s: give one of the repositories another name",
		e.name, e.by.PackageVersion, e.by.PackageName, e.by.PackageRepositoryName)
}

// isIt tells whether the object that is there is that of a version.
func (r *operations) isIt(ctx context.Context, name, repository string, v scan.Version) error {
	there := &api.ApplicationPackageVersion{}
	if err := r.reader.Get(ctx, types.NamespacedName{Name: name}, there); err != nil {
		return fmt.Errorf("get ApplicationPackageVersion %s: %w", name, err) // gone just now: it is made the next time
	}
	if s := there.Spec; s.PackageRepositoryName != repository || s.PackageName != v.Package || s.PackageVersion != v.Version {
		return &takenError{name: name, by: s}
	}
	return nil
}

// exists says of a version whether the registry has it. One that it has not stays, for
// who uses it and for who wants to know.
func (r *operations) exists(ctx context.Context, p *api.PackageRepository, of scan.Version, there string) error {
	name := api.VersionName(p.Name, of.Package, of.Version)
	v := &api.ApplicationPackageVersion{}
	if err := r.client.Get(ctx, types.NamespacedName{Name: name}, v); err != nil {
		return client.IgnoreNotFound(err)
	}
	if v.Labels[api.LabelExistInRegistry] == there {
		return nil
	}
	base := v.DeepCopy()
	metav1.SetMetaDataLabel(&v.ObjectMeta, api.LabelExistInRegistry, there)
	if err := r.client.Patch(ctx, v, client.MergeFrom(base)); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("label ApplicationPackageVersion %s: %w", name, err)
	}
	return nil
}
