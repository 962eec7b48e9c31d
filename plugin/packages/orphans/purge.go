package orphans

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/nelm"
)

// Cluster is what is asked of a cluster; *cluster.Client has it.
type Cluster interface {
	Served(ctx context.Context) (served, missing []string, err error)
	Mapping(ctx context.Context, gk schema.GroupKind, version string) (cluster.Mapping, error)
	InvalidateDiscovery()
	List(ctx context.Context, m cluster.Mapping, o cluster.ListOptions) ([]*unstructured.Unstructured, error)
	Delete(ctx context.Context, m cluster.Mapping, namespace, name string, o cluster.DeleteOptions) error
}

// Purger deletes orphans. It may be used by several goroutines.
type Purger struct {
	Cluster Cluster
	Log     *slog.Logger
}

// Purge deletes the orphans of an application. list is the value orphanResources as it
// is; nil lists nothing. The error names each kind and object at which it failed: try
// again later.
func (p *Purger) Purge(ctx context.Context, namespace, instance string, list any) error {
	if list == nil {
		return nil
	}
	one := &purge{Purger: p, namespace: namespace, instance: instance, log: p.Log.With("application", api.InstanceName(namespace, instance))}
	kinds, err := Parse(list)
	if err != nil {
		one.log.Error("orphan resources: the value orphanResources can't be understood; nothing is deleted", "error", err.Error())
		return nil
	}
	return one.run(ctx, kinds)
}

// purge is one Purge on its way.
type purge struct {
	*Purger
	namespace, instance string
	log                 *slog.Logger
	seen                map[types.UID]bool
}

func (p *purge) run(ctx context.Context, kinds []Kind) error {
	mappings, err := p.resolve(ctx, kinds)
	faults := []error{err}
	p.seen = map[types.UID]bool{}
	for _, m := range mappings {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		faults = append(faults, p.purgeKind(ctx, m)...)
	}
	if err := errors.Join(faults...); err != nil {
		return fmt.Errorf("delete orphan resources: %w", err)
	}
	return nil
}

// resolve finds the resources of the kinds, each once. What is not served or has no
// namespaces is skipped; what can't be found out is an error.
func (p *purge) resolve(ctx context.Context, kinds []Kind) ([]cluster.Mapping, error) {
	served, unread, err := p.Cluster.Served(ctx)
	if err != nil {
		return nil, fmt.Errorf("find out which kinds there are: %w", err)
	}
	fresh := false
	known := map[schema.GroupVersionResource]bool{}
	var out []cluster.Mapping
	var faults []error
	for _, k := range kinds {
		found := k.serves(served)
		if len(found) == 0 && !fresh { // it may have come since discovery was read
			fresh = true
			if served, unread, err = p.again(ctx, k); err != nil {
				return out, fmt.Errorf("find out which kinds there are: %w", err)
			}
			found = k.serves(served)
		}
		if len(found) == 0 && k.unknown(unread) {
			faults = append(faults, fmt.Errorf("kind %s: its group can't be read at present", k))
			continue
		}
		if len(found) == 0 {
			p.log.Warn("orphan resources: kind skipped, the cluster doesn't serve it", "kind", k.String(), "unreadable groups", strings.Join(unread, ", "))
		}
		for _, gvk := range found {
			m, err := p.Cluster.Mapping(ctx, gvk.GroupKind(), gvk.Version)
			switch {
			case err != nil:
				faults = append(faults, fmt.Errorf("kind %s: %w", k, err))
			case known[m.GVR]:
			case !m.Namespaced:
				p.log.Warn("orphan resources: kind skipped, its objects have no namespace", "kind", k.String())
			case !m.Can("list") || !m.Can("delete"):
				p.log.Warn("orphan resources: kind skipped, its objects can't be listed and deleted", "kind", gvk.String())
			default:
				known[m.GVR] = true
				out = append(out, m)
			}
		}
	}
	return out, errors.Join(faults...)
}

// again downloads discovery once more: a miss does.
func (p *purge) again(ctx context.Context, k Kind) (served, unread []string, err error) {
	p.Cluster.InvalidateDiscovery()
	if _, err := p.Cluster.Mapping(ctx, schema.GroupKind{Group: k.Group, Kind: k.Kind}, k.Version); err != nil && ctx.Err() != nil {
		return nil, nil, context.Cause(ctx)
	}
	return p.Cluster.Served(ctx)
}

// purgeKind deletes the orphans of one kind.
func (p *purge) purgeKind(ctx context.Context, m cluster.Mapping) []error {
	list, err := p.Cluster.List(ctx, m, cluster.ListOptions{
		Namespace: p.namespace, LabelSelector: labels.Set{api.LabelInstance: p.instance}.String(), MetadataOnly: true,
	})
	if err != nil {
		return []error{fmt.Errorf("list %s: %w", m.GVR.Resource, err)}
	}
	var faults []error
	for _, u := range list {
		if p.seen[u.GetUID()] { // the same object, served by another group
			continue
		}
		p.seen[u.GetUID()] = true
		log := p.log.With("kind", m.GVK.Kind, "group", m.GVK.Group, "name", u.GetName())
		switch Judge(u, p.instance) {
		case Kept:
			log.Info("orphan kept: it is annotated " + nelm.HelmResourcePolicyAnnotation + ": keep")
		case Delete:
			if err := p.delete(ctx, m, u); err != nil {
				log.Error("orphan not deleted", "error", err.Error())
				faults = append(faults, err) // it says which object
				continue
			}
			log.Info("orphan deleted")
		case Other:
		}
	}
	return faults
}

// delete asks for the deletion. One that is gone, or another one by now, is fine.
func (p *purge) delete(ctx context.Context, m cluster.Mapping, u *unstructured.Unstructured) error {
	err := p.Cluster.Delete(ctx, m, p.namespace, u.GetName(), cluster.DeleteOptions{
		UID: u.GetUID(), Propagation: metav1.DeletePropagationBackground,
	})
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return nil
	}
	return err
}

// Verdict says what becomes of an object.
type Verdict int

// The verdicts.
const (
	// Other: it isn't the application's, or is going already.
	Other Verdict = iota
	// Kept: it is an orphan that asks to be kept.
	Kept
	Delete
)

// Judge says what becomes of an object of a listed kind in the application's namespace.
func Judge(u *unstructured.Unstructured, instance string) Verdict {
	switch {
	case u.GetLabels()[api.LabelInstance] != instance, u.GetDeletionTimestamp() != nil:
		return Other
	case strings.TrimSpace(u.GetAnnotations()[nelm.HelmResourcePolicyAnnotation]) == string(nelm.Keep):
		return Kept
	default:
		return Delete
	}
}
