package release

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"helm.sh/helm/v4/pkg/release/common"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/clock"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
)

// store keeps revisions in Secrets.
type store struct {
	cluster Cluster
	clock   clock.PassiveClock
}

// secrets is how Secrets are served by every cluster.
func secrets() cluster.Mapping {
	return cluster.Mapping{
		GVR:        schema.GroupVersionResource{Version: "v1", Resource: "secrets"},
		GVK:        schema.GroupVersionKind{Version: "v1", Kind: "Secret"},
		Namespaced: true,
	}
}

// history reads all revisions of a release, the oldest first.
func (s store) history(ctx context.Context, namespace, name string) ([]*Revision, error) {
	list, err := s.cluster.List(ctx, secrets(), cluster.ListOptions{
		Namespace: namespace, LabelSelector: labels.Set{ownerLabel: ownerHelm, nameLabel: nameLabelOf(name)}.String(),
	})
	if err != nil {
		return nil, fmt.Errorf("read the history of release %s: %w", name, err)
	}
	var out []*Revision
	for _, u := range list {
		if of, _, ok := parseSecretName(u.GetName()); !ok || of != name {
			continue
		}
		r, err := decode(u)
		if err != nil {
			return nil, fmt.Errorf("read the history of release %s: %w", name, err)
		}
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b *Revision) int { return cmp.Compare(a.Number, b.Number) })
	return out, nil
}

// outline reads what labels say of the newest revision: how it stands, and what was
// rendered for it. nil where there is none. It costs a tenth of history.
func (s store) outline(ctx context.Context, namespace, name string) (*Revision, error) {
	list, err := s.cluster.List(ctx, secrets(), cluster.ListOptions{
		Namespace: namespace, LabelSelector: labels.Set{ownerLabel: ownerHelm, nameLabel: nameLabelOf(name)}.String(), MetadataOnly: true,
	})
	if err != nil {
		return nil, fmt.Errorf("read the history of release %s: %w", name, err)
	}
	var newest *Revision
	for _, u := range list {
		of, number, ok := parseSecretName(u.GetName())
		if !ok || of != name || newest != nil && newest.Number > number {
			continue
		}
		l := u.GetLabels()
		newest = &Revision{
			Namespace: namespace, Name: name, Number: number, Status: common.Status(l[statusLabel]),
			Checksum: l[checksumLabel], Maintenance: l[maintenanceLabel] == "true",
		}
	}
	return newest, nil
}

// create writes a new revision. That there is one already is an error: somebody else
// works on the release.
func (s store) create(ctx context.Context, r *Revision) error {
	body, err := encode(r, s.clock.Now().Unix())
	if err != nil {
		return err
	}
	made, err := s.cluster.Create(ctx, secrets(), body, cluster.WriteOptions{})
	switch {
	case apierrors.IsAlreadyExists(err):
		return fmt.Errorf("revision %d of release %s is there already: somebody else works on the release", r.Number, r.Name)
	case err != nil:
		return fmt.Errorf("record revision %d of release %s: %w", r.Number, r.Name, err)
	}
	r.stored = made
	return nil
}

// mark changes how a revision stands.
func (s store) mark(ctx context.Context, r *Revision, status common.Status, description string) error {
	if r.Status == status && r.Description == description {
		return nil
	}
	secret, err := remark(r.stored, status, description, s.clock.Now().Unix())
	if err == nil {
		secret, err = s.cluster.Update(ctx, secrets(), secret.Object, cluster.WriteOptions{})
	}
	if err != nil {
		return fmt.Errorf("mark revision %d of release %s as %s: %w", r.Number, r.Name, status, err)
	}
	r.Status, r.Description, r.stored = status, description, secret
	return nil
}

// remove deletes a revision; that it is gone already is fine.
func (s store) remove(ctx context.Context, r *Revision) error {
	err := s.cluster.Delete(ctx, secrets(), r.Namespace, r.stored.GetName(), cluster.DeleteOptions{UID: r.stored.GetUID(), Propagation: metav1.DeletePropagationBackground})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("delete revision %d of release %s: %w", r.Number, r.Name, err)
	}
	return nil
}

// Found is a release of ours in the cluster.
type Found struct {
	Namespace string
	// Name is the release's, NAMESPACE.INSTANCE; Instance is its second part.
	Name, Instance string
	// Revision is the newest one's number, Status how that one stands.
	Revision int
	Status   common.Status
}

// installed lists the releases that carry our mark, by namespace and name. Others, also
// those of Helm itself, are none of ours.
func (s store) installed(ctx context.Context, namespaces []string) ([]Found, error) {
	if len(namespaces) == 0 {
		namespaces = []string{""}
	}
	var list []*unstructured.Unstructured
	for _, namespace := range namespaces {
		some, err := s.cluster.List(ctx, secrets(), cluster.ListOptions{
			Namespace: namespace, MetadataOnly: true,
			LabelSelector: labels.Set{ownerLabel: ownerHelm, api.AnnotationManagedBy: api.ManagedByDeckhouse}.String(),
		})
		if err != nil {
			return nil, fmt.Errorf("list the releases of applications: %w", err)
		}
		list = append(list, some...)
	}
	newest := map[string]Found{}
	for _, u := range list {
		name, number, ok := parseSecretName(u.GetName())
		namespace, instance, isInstance := api.SplitInstanceName(name)
		if !ok || !isInstance || namespace != u.GetNamespace() || newest[name].Revision > number {
			continue
		}
		newest[name] = Found{
			Namespace: namespace, Name: name, Instance: instance, Revision: number, Status: common.Status(u.GetLabels()[statusLabel]),
		}
	}
	out := make([]Found, 0, len(newest))
	for _, f := range newest {
		out = append(out, f)
	}
	slices.SortFunc(out, func(a, b Found) int { return cmp.Compare(a.Name, b.Name) })
	return out, nil
}
