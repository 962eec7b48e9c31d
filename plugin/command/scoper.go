package command

import (
	"context"
	"errors"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
)

// scoper answers build's questions about kinds from discovery.
type scoper struct {
	ctx    context.Context
	client *cluster.Client
	// failed is the first error that made further questions pointless.
	failed error
}

// Namespaced implements build.Scoper. A kind that is not served, or can't be
// looked up, is not known: whether that is an error is the plan's to say.
func (s *scoper) Namespaced(gk schema.GroupKind, version string) (namespaced, known bool, err error) {
	if s.failed != nil {
		return false, false, s.failed
	}
	m, err := s.client.Mapping(s.ctx, gk, version)
	var none *cluster.ErrNoKind
	var away *cluster.ErrUnavailable
	switch {
	case errors.As(err, &none) && len(none.Served) > 0:
		m, err = s.client.Mapping(s.ctx, gk, none.Served[0])
		return m.Namespaced, err == nil, nil
	case errors.As(err, &none), errors.As(err, &away):
		return false, false, nil
	case err != nil:
		s.failed = err
		return false, false, err
	}
	return m.Namespaced, true, nil
}
