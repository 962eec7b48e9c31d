package controller

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/document"
)

const (
	// PlatformConfigMap has, under PlatformKey, what templates see as .Platform besides
	// its defaults: a YAML mapping.
	PlatformConfigMap = "platform"
	PlatformKey       = "platform.yaml"
)

// kubernetesService is there once a cluster is up.
func kubernetesService() types.NamespacedName {
	return types.NamespacedName{Namespace: "default", Name: "kubernetes"}
}

// facts tells the Runtime what the cluster has: modules, versions, the platform.
type facts struct {
	client    client.Client
	discovery discovery.ServerVersionInterface
	runtime   Runtime
	platform  string // version
	namespace string // of the ConfigMap
	// every is how often it is asked for without an event: no watch tells that the
	// cluster got another version, or other kinds.
	every       time.Duration
	forgetKinds func(context.Context)
	log         *slog.Logger
	mu          sync.Mutex
	// told is the version of Kubernetes that was told last.
	told string
}

// Reconcile tells everything; whatever changed, the request is the same.
func (r *facts) Reconcile(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
	if r.forgetKinds != nil {
		r.forgetKinds(ctx)
	}
	if err := r.tell(ctx); err != nil {
		return reconcile.Result{}, err
	}
	return reconcile.Result{RequeueAfter: r.every}, nil
}

func (r *facts) tell(ctx context.Context) error {
	f, err := r.collect(ctx)
	if err != nil {
		return err
	}
	values, err := r.values(ctx)
	if err != nil {
		return err
	}
	r.runtime.SetPlatform(values)
	r.runtime.SetFacts(f)
	return nil
}

func (r *facts) collect(ctx context.Context) (Facts, error) {
	f := Facts{Platform: r.platform, Modules: map[string]string{}, Needs: map[string]map[string]string{}}
	version, err := r.discovery.ServerVersion()
	if err != nil {
		return f, fmt.Errorf("ask the server for its version: %w", err)
	}
	f.Kubernetes = version.GitVersion
	r.note(f.Kubernetes)
	list := &api.ModuleList{}
	if err := r.client.List(ctx, list); err != nil {
		return f, fmt.Errorf("list modules: %w", err)
	}
	for i := range list.Items {
		if m := &list.Items[i]; m.Enabled() {
			f.Modules[m.Name] = m.Properties.Version
			if needs := m.Properties.Requirements; needs != nil {
				f.Needs[m.Name] = needs.Modules
			}
		}
	}
	err = r.client.Get(ctx, kubernetesService(), &corev1.Service{})
	if err != nil && !apierrors.IsNotFound(err) {
		return f, fmt.Errorf("get the Service %s: %w", kubernetesService(), err)
	}
	f.Bootstrapped = err == nil
	return f, nil
}

// note logs that the cluster was upgraded.
func (r *facts) note(version string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.told != "" && r.told != version {
		r.log.Info("Kubernetes has another version", "before", r.told, "now", version)
	}
	r.told = version
}

// values reads the ConfigMap. One that can't be read is told and not used: objects
// would be made of half of it.
func (r *facts) values(ctx context.Context) (map[string]any, error) {
	m := &corev1.ConfigMap{}
	name := types.NamespacedName{Namespace: r.namespace, Name: PlatformConfigMap}
	err := r.client.Get(ctx, name, m)
	if apierrors.IsNotFound(err) {
		return map[string]any{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("get the ConfigMap %s: %w", name, err)
	}
	values, err := parsePlatform(m.Data[PlatformKey])
	if err != nil {
		r.log.Error("the ConfigMap of the platform can't be read, so it is as if it weren't there",
			"configmap", name.String(), "key", PlatformKey, "error", err)
		return map[string]any{}, nil
	}
	return values, nil
}

func parsePlatform(text string) (map[string]any, error) {
	documents, err := document.Stream([]byte(text))
	switch {
	case err != nil:
		return nil, err
	case len(documents) == 0:
		return map[string]any{}, nil
	case len(documents) > 1:
		return nil, fmt.Errorf("wanted one document, found %d", len(documents))
	}
	values, ok := documents[0].Value.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("wanted a mapping, found %s", document.KindOf(documents[0].Value))
	}
	return values, nil
}
