package apply

import (
	"errors"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
)

// isNoKind tells that the cluster does not serve a kind.
func isNoKind(err error) bool {
	var none *cluster.ErrNoKind
	return errors.As(err, &none)
}

// isUnavailable tells that a kind is registered and can't be reached: then
// nothing is known about its objects.
func isUnavailable(err error) bool {
	var broken *cluster.ErrUnavailable
	return errors.As(err, &broken)
}
