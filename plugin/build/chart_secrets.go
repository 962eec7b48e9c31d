package build

import (
	"context"
	"errors"
	"sync"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/chart"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// finds are the objects that a chart's templates got from the cluster. A template can
// put their values into its own messages.
type finds struct {
	mu     sync.Mutex
	bodies []map[string]any
}

// remember answers as lookup does, and keeps what was answered.
func (f *finds) remember(lookup chart.LookupFunc) chart.LookupFunc {
	return func(ctx context.Context, apiVersion, kind, namespace, name string) (map[string]any, error) {
		body, err := lookup(ctx, apiVersion, kind, namespace, name)
		f.mu.Lock()
		defer f.mu.Unlock()
		f.bodies = append(f.bodies, body)
		items, _ := body["items"].([]any)
		for _, item := range items {
			if o, ok := item.(map[string]any); ok {
				f.bodies = append(f.bodies, o)
			}
		}
		return body, err
	}
}

// discreet hides in an error what is masked in the bodies. One that shows nothing of it
// is given back as it is.
func discreet(err error, secrets ...map[string]any) error {
	text := object.Scrub(err.Error(), secrets...)
	if text == err.Error() {
		return err
	}
	return errors.New(text)
}
