package snapshot

import (
	"context"
	"errors"
	"fmt"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/binding"
)

// Take makes the snapshot of a binding from a list of objects of its kind.
func Take(ctx context.Context, k *binding.Kubernetes, bodies []map[string]any) (Snapshot, error) {
	all := Snapshot{}
	var failures []error
	for _, body := range bodies {
		if !Selects(k, body) {
			continue
		}
		entry, err := entryOf(ctx, k, object.RefOf(body), body)
		if err != nil {
			failures = append(failures, err)
			continue
		}
		all = append(all, entry)
	}
	if err := join(failures); err != nil {
		return nil, err
	}
	all.Sort()
	return all, nil
}

// mostFailures bounds an error text: what is wrong with one object is often
// wrong with all.
const mostFailures = 5

// join makes one error of several; nil of none.
func join(failures []error) error {
	if more := len(failures) - mostFailures; more > 0 {
		failures = append(failures[:mostFailures:mostFailures], fmt.Errorf("and %d more objects", more))
	}
	return errors.Join(failures...)
}
