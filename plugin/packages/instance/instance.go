package instance

import (
	"context"
	"sync"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/binding"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/output"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/schema"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/values"
)

// Cluster is where hooks look and what their operations are done to.
type Cluster interface {
	hook.Source
	hook.Sink
}

// Options are what an instance is loaded with.
type Options struct {
	Namespace, Name string
	// Hooks says what hooks may touch, with which environment and limits they run.
	Hooks HookOptions
	// Catalogues are what the project offers; nil where nobody knows.
	Catalogues map[string]schema.Catalogue
}

// HookOptions are those of hook.Loader and hook.Runner.
type HookOptions struct {
	Namespaces binding.Rule
	Env        []string
	LogLevel   string
	TempDir    string
	Limits     hook.Limits
}

// Instance is a loaded package. It may be used by several goroutines.
type Instance struct {
	shared  *Shared
	shelf   *Shelf
	set     *hook.Set
	runner  *hook.Runner
	pace    *hook.Pace
	sources *values.Sources
	id      hook.Instance

	// effects is held by who changes settings or values: one at a time.
	effects chan struct{}

	mu         sync.Mutex
	settings   map[string]any
	values     map[string]any
	patches    output.ValuesPatch
	checked    string // digest of the settings that the check hooks agreed to
	configured bool
	started    bool
}

// Load reads the bundle in a directory and asks its hooks for their configuration. A
// hook that can't be loaded is an error (*hook.LoadError). The version is that which
// was asked for.
func Load(ctx context.Context, shelf *Shelf, dir, version string, o Options) (*Instance, error) {
	shared, err := shelf.Take(ctx, dir, version)
	if err != nil {
		return nil, err
	}
	id := hook.Instance{Namespace: o.Namespace, Name: o.Name}
	loader := hook.Loader{
		Instance: id, Namespaces: o.Hooks.Namespaces, Env: o.Hooks.Env, LogLevel: o.Hooks.LogLevel, Limits: o.Hooks.Limits,
	}
	set, err := loader.Load(ctx, shared.Package.Dir)
	if err != nil {
		return nil, joined(err, shelf.Give(shared))
	}
	pace := &hook.Pace{} // it counts the hooks of one load
	return &Instance{
		shared: shared, shelf: shelf, set: set, pace: pace, id: id, effects: make(chan struct{}, 1),
		runner: &hook.Runner{
			Instance: id, Namespaces: o.Hooks.Namespaces, Env: o.Hooks.Env, LogLevel: o.Hooks.LogLevel,
			TempDir: o.Hooks.TempDir, Limits: o.Hooks.Limits, Pace: pace,
		},
		sources: &values.Sources{Schemas: shared.Schemas, Static: shared.Static, Catalogues: o.Catalogues},
	}, nil
}

// Close gives up the files. Nothing of the instance may run any more.
func (i *Instance) Close() error { return i.shelf.Give(i.shared) }

// Definition is package.yaml.
func (i *Instance) Definition() bundle.Definition { return i.shared.Package.Definition }

// Dir is where the files are.
func (i *Instance) Dir() string { return i.shared.Package.Dir }

// Digests are those of the images.
func (i *Instance) Digests() map[string]string { return i.shared.Package.Digests }

// Hooks are the hooks.
func (i *Instance) Hooks() *hook.Set { return i.set }

// Pace says how soon hooks may run again.
func (i *Instance) Pace() *hook.Pace { return i.pace }

// Renders tells whether there is anything to render.
func (i *Instance) Renders() bool { return i.shared.Template != nil }

// Warnings are oddities of the bundle and its hooks, each beginning with its file.
func (i *Instance) Warnings() []string {
	var all []string
	for _, f := range i.shared.Warnings {
		all = append(all, f.String())
	}
	return append(all, i.set.Warnings...)
}

// Configured tells whether Configure has succeeded.
func (i *Instance) Configured() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.configured
}

// Settings are the effective settings, nil before Configure. They are not to be changed.
func (i *Instance) Settings() map[string]any {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.settings
}

// Values are the values as they are now. They are not to be changed.
func (i *Instance) Values() map[string]any {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.values
}

// lock waits for its turn to change settings or values.
func (i *Instance) lock(ctx context.Context) (unlock func(), err error) {
	select {
	case i.effects <- struct{}{}:
		return func() { <-i.effects }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
