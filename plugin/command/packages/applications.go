package packages

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/overview"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/report"
)

// applications are the Applications of a cluster.
type applications struct {
	client  *cluster.Client
	mapping cluster.Mapping
}

// findApplications finds out how the cluster serves Applications.
func findApplications(ctx context.Context, env *Env) (*applications, error) {
	client, err := env.Connect()
	if err != nil {
		return nil, err
	}
	m, err := client.Mapping(ctx, schema.GroupKind{Group: api.Group, Kind: api.KindApplication}, api.GroupVersion().Version)
	var none *cluster.ErrNoKind
	if errors.As(err, &none) {
		return nil, fmt.Errorf("this cluster has no Applications: \"%s packages controller\" brings their definition", env.Name)
	}
	return &applications{client, m}, err
}

func (a *applications) list(ctx context.Context, namespace string) ([]*api.Application, error) {
	found, err := a.client.List(ctx, a.mapping, cluster.ListOptions{Namespace: namespace})
	if err != nil {
		return nil, err
	}
	all := make([]*api.Application, len(found))
	for i, u := range found {
		if all[i], err = applicationOf(u); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (a *applications) get(ctx context.Context, name string) (*api.Application, error) {
	namespace, instance, _ := api.SplitInstanceName(name)
	u, err := a.client.Get(ctx, a.mapping, namespace, instance)
	if apierrors.IsNotFound(err) {
		return nil, &unknownError{name, a.others(ctx, instance)}
	}
	if err != nil {
		return nil, err
	}
	return applicationOf(u)
}

// others names applications that may be meant; nothing if they can't be listed.
func (a *applications) others(ctx context.Context, instance string) string {
	all, err := a.list(ctx, "")
	if err != nil || len(all) == 0 {
		return ""
	}
	var near, names []string
	for _, other := range all {
		name := api.InstanceName(other.Namespace, other.Name)
		names = append(names, name)
		if strings.Contains(other.Name, instance) || strings.Contains(instance, other.Name) {
			near = append(near, name)
		}
	}
	if len(near) > 0 {
		names = near
	}
	slices.Sort(names)
	return "; there is " + strings.Join(names[:min(5, len(names))], ", ")
}

func applicationOf(u *unstructured.Unstructured) (*api.Application, error) {
	app := &api.Application{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, app); err != nil {
		return nil, fmt.Errorf("application %s: %w", api.InstanceName(u.GetNamespace(), u.GetName()), err)
	}
	return app, nil
}

// events lists those about an application and its objects, the last at the end.
func (a *applications) events(ctx context.Context, app *api.Application) ([]report.EventLine, error) {
	m, err := a.client.Mapping(ctx, schema.GroupKind{Kind: "Event"}, "v1")
	if err != nil {
		return nil, err
	}
	found, err := a.client.List(ctx, m, cluster.ListOptions{Namespace: app.Namespace})
	if err != nil {
		return nil, err
	}
	all, err := a.list(ctx, app.Namespace) // names of others may begin alike
	if err != nil {
		return nil, err
	}
	bodies := make([]map[string]any, len(found))
	for i, u := range found {
		bodies[i] = u.Object
	}
	lines := overview.Events(bodies, app, all)
	if len(lines) == 0 {
		return nil, nil
	}
	// Whoever may not read Secrets is shown what they can read of the events anyway.
	secrets, err := a.secrets(ctx, app)
	if err != nil && !apierrors.IsForbidden(err) {
		return nil, fmt.Errorf("find out what has to be masked in events: %w", err)
	}
	for i := range lines {
		lines[i].Message = object.Scrub(lines[i].Message, secrets...)
	}
	return lines, nil
}
