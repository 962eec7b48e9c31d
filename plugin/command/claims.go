package command

import (
	"context"
	"sync"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

// claims looks into the records of manifests outside the run: into one when an
// object carries its label, into all when an object is to be deleted, each once.
type claims struct {
	store *state.Store
	// run are the manifests of the run: what their files want is known.
	run map[string]bool

	mu      sync.Mutex
	names   map[string]string // ApplySet label → manifest; nil until read
	records map[string]*state.Record
	holders map[object.Ref][]string // nil until read
}

// manifest implements plan.Claims.
func (c *claims) manifest(ctx context.Context, label string, ref object.Ref) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if label == "" {
		return c.anyHolder(ctx, ref)
	}
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

// anyHolder looks into all records. The label of an object names one of them at
// most, and two may list it.
func (c *claims) anyHolder(ctx context.Context, ref object.Ref) (string, error) {
	if c.holders == nil {
		holders, err := c.store.Holders(ctx)
		if err != nil {
			return "", err
		}
		c.holders = holders
	}
	for _, manifest := range c.holders[ref] {
		if !c.run[manifest] {
			return manifest, nil
		}
	}
	return "", nil
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
