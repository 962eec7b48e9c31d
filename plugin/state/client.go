package state

import (
	"context"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
)

// fieldManager is the manager of everything this package writes.
const fieldManager = "tazuna"

// Client is what this package needs of a cluster; *cluster.Client has it. Errors
// of the API server must be recognisable with apimachinery's api/errors.
type Client interface {
	Get(ctx context.Context, m cluster.Mapping, namespace, name string) (*unstructured.Unstructured, error)
	List(ctx context.Context, m cluster.Mapping, o cluster.ListOptions) ([]*unstructured.Unstructured, error)
	Create(ctx context.Context, m cluster.Mapping, body map[string]any,
		o cluster.WriteOptions) (*unstructured.Unstructured, error)
	// Update replaces an object; a resourceVersion in the body must be the live one.
	Update(ctx context.Context, m cluster.Mapping, body map[string]any,
		o cluster.WriteOptions) (*unstructured.Unstructured, error)
	Delete(ctx context.Context, m cluster.Mapping, namespace, name string, o cluster.DeleteOptions) error
}

var _ Client = (*cluster.Client)(nil)

// The four kinds are of the core and known beforehand: asking discovery would
// cost requests, and a broken API service could keep the record from being read.

func configMaps() cluster.Mapping {
	return mapping(corev1.SchemeGroupVersion.WithKind("ConfigMap"), "configmaps", true)
}

func secrets() cluster.Mapping {
	return mapping(corev1.SchemeGroupVersion.WithKind("Secret"), "secrets", true)
}

func namespaces() cluster.Mapping {
	return mapping(corev1.SchemeGroupVersion.WithKind("Namespace"), "namespaces", false)
}

func leases() cluster.Mapping {
	return mapping(coordinationv1.SchemeGroupVersion.WithKind("Lease"), "leases", true)
}

func mapping(gvk schema.GroupVersionKind, resource string, namespaced bool) cluster.Mapping {
	return cluster.Mapping{GVK: gvk, GVR: gvk.GroupVersion().WithResource(resource), Namespaced: namespaced}
}
