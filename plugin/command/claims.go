package command

import (
	"context"
	"sync"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

// claims looks into the records of manifests outside the run, each read once and
// only when an object carries another record's label.
type claims struct {
	store *state.Store

	mu      sync.Mutex
	names   map[string]string // ApplySet label → manifest; nil until read
	records map[string]*state.Record
}

// manifest implements plan.Claims.
func (c *claims) manifest(ctx context.Context, label string, ref object.Ref) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.readNames(ctx); err != nil {
		return "", err
	}
	name, ok := c.names[label]
	if !ok {
		return "", nil
	}
	if c.records[name] == nil {
		rec, err := c.store.Read(ctx, name)
		if err != nil {
			return "", err
		}
		c.records[name] = rec
	}
	if _, listed := c.records[name].Find(ref); !listed {
		return "", nil
	}
	return name, nil
}

func (c *claims) readNames(ctx context.Context) error {
	if c.names != nil {
		return nil
	}
	manifests, err := c.store.Manifests(ctx)
	if err != nil {
		return err
	}
	c.names, c.records = map[string]string{}, map[string]*state.Record{}
	for _, m := range manifests {
		c.names[state.ApplySetID(state.StateName(m), state.Namespace)] = m
	}
	return nil
}
