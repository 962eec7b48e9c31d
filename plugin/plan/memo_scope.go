package plan

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
)

// ScopeReader is what Circumstances asks of a cluster.
type ScopeReader interface {
	Reader
	ServerVersion(ctx context.Context) (*version.Info, error)
}

// mutators are the kinds whose objects may change what we send on its way in:
// with them another verdict may be right for the same object.
func mutators() []schema.GroupKind {
	const group = "admissionregistration.k8s.io"
	return []schema.GroupKind{
		{Group: group, Kind: "MutatingWebhookConfiguration"},
		{Group: group, Kind: "MutatingAdmissionPolicy"},
		{Group: group, Kind: "MutatingAdmissionPolicyBinding"},
	}
}

// MemoScope names the memo of these records, whose UIDs no other cluster has, for
// a user under these circumstances.
func MemoScope(records []string, user, circumstances string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q", user, records, circumstances))
	return hex.EncodeToString(sum[:16])
}

// Circumstances is the fingerprint of what may change a verdict on the cluster's
// side: the server's version and everything that may mutate requests. An error, or
// a user who may not see one of them, means that nothing can be proven without
// looking at the objects.
func Circumstances(ctx context.Context, c ScopeReader) (string, error) {
	facts := make([]string, 1+len(mutators()))
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		v, err := c.ServerVersion(ctx)
		if err == nil {
			facts[0] = v.GitVersion
		}
		return err
	})
	for i, gk := range mutators() {
		g.Go(func() (err error) {
			facts[1+i], err = versionsOf(ctx, c, gk)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return "", err
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", facts))
	return hex.EncodeToString(sum[:16]), nil
}

// versionsOf lists the objects of a kind by UID and resourceVersion. A kind that
// the cluster doesn't serve has none.
func versionsOf(ctx context.Context, c Reader, gk schema.GroupKind) (string, error) {
	m, err := c.Mapping(ctx, gk, "")
	if Unserved(err) {
		return "none", nil
	}
	if err != nil {
		return "", err
	}
	list, err := c.List(ctx, m, cluster.ListOptions{MetadataOnly: true})
	if err != nil {
		return "", err
	}
	var all []string
	for _, u := range list {
		all = append(all, string(u.GetUID())+"@"+u.GetResourceVersion())
	}
	slices.Sort(all)
	return fmt.Sprint(all), nil
}
