package packages

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/admission"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/output"
)

// secrets are what may not stand in any text about an application, as far as the cluster
// tells: its Secrets, and the settings that the published schemas mark. What a user may
// not read is not among them: err is forbidden then, and comes with the rest. With any
// other error it isn't known what has to be masked.
func (a *applications) secrets(ctx context.Context, app *api.Application) (all []map[string]any, err error) {
	found, err := a.of(ctx, schema.GroupKind{Kind: "Secret"}, app.Namespace, api.LabelInstance+"="+app.Name)
	if err != nil && !apierrors.IsForbidden(err) {
		return nil, err
	}
	for _, u := range found {
		all = append(all, u.Object)
	}
	marked, more := a.secretSettings(ctx, app)
	return append(all, marked...), errors.Join(more, err) // the first one decides what it is
}

// secretSettings are what the schemas mark in the settings that are wanted, and in those
// of the last apply.
func (a *applications) secretSettings(ctx context.Context, app *api.Application) ([]map[string]any, error) {
	m, err := a.client.Mapping(ctx, schema.GroupKind{Group: api.Group, Kind: api.KindApplicationPackageVersion}, api.GroupVersion().Version)
	if err != nil {
		return nil, err
	}
	u, err := a.client.Get(ctx, m, "", api.VersionName(app.Spec.Repository(), app.Spec.PackageName, app.Spec.PackageVersion))
	if apierrors.IsNotFound(err) {
		return nil, nil // nobody knows which settings are secret
	}
	if err != nil {
		return nil, err
	}
	version := &api.ApplicationPackageVersion{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, version); err != nil {
		return nil, fmt.Errorf("ApplicationPackageVersion %s: %w", u.GetName(), err)
	}
	schemas, err := admission.Published(version)
	if err != nil {
		return nil, err
	}
	var all []map[string]any
	for _, raw := range []*runtime.RawExtension{app.Spec.Settings, app.Status.LastAppliedConfiguration} {
		if raw == nil {
			continue
		}
		if settings, err := object.DecodeJSON(raw.Raw); err == nil { // else there is nothing to be marked
			all = append(all, output.SecretOf(schemas.Secrets(settings)))
		}
	}
	return all, nil
}
