package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/build"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/genesis"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/registry"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/trace"
)

// builder makes what builds the manifests of a source.
func (e *Env) builder(src *source) (build.Builder, error) {
	b := build.Builder{
		Stdin: e.In, Environment: src.options.environment, Lenient: src.options.lenient, LookupEnv: e.lookupEnv,
		Unresolved: src.unresolved, Remote: src.options.remote,
	}
	var declared []config.Provider
	if src.file != nil {
		declared = src.file.Tazuna.Spec.Providers
	}
	b.Providers = genesis.NewProviders(declared, genesis.RunCommand)
	var err error
	if b.Registry, err = e.registries(src.options); err != nil {
		return b, err
	}
	if src.client != nil {
		b.Cluster = &chartCluster{client: src.client, warn: e.warn}
	}
	b.Namespace, _, err = e.flags.ToRawKubeConfigLoader().Namespace()
	if err != nil {
		return b, fmt.Errorf("read the namespace of the kubeconfig: %w", err)
	}
	return b, nil
}

// registries says how registries and chart repositories are reached.
func (e *Env) registries(o sourceOptions) (registry.Options, error) {
	home, _ := os.UserHomeDir() // without one there are no credentials in it
	cache, err := os.UserCacheDir()
	if err != nil || o.noCache {
		cache = ""
	}
	r, err := registry.FromEnvironment(e.Getenv, home, cache)
	r.UserAgent, r.Offline, r.Warn = e.userAgent(), o.offline, e.warn
	return r, err
}

// lookupEnv tells an empty variable from one that is not set, where the
// environment can.
func (e *Env) lookupEnv(name string) (string, bool) {
	if e.LookupEnv != nil {
		return e.LookupEnv(name)
	}
	value := e.Getenv(name)
	return value, value != ""
}

// buildEach builds one result a manifest. Parts of one manifest are joined. Of a
// manifest that the run is not about only the objects matter, so that one that
// moved is not taken for removed: values of its generated Secrets are not asked
// for, and if it doesn't build nothing is deleted.
func (e *Env) buildEach(ctx context.Context, src *source) ([]build.Result, error) {
	builder, err := e.builder(src)
	if err != nil {
		return nil, err
	}
	var out []build.Result
	var failed []error
	src.describe(ctx)
	for _, m := range src.all {
		r, err := src.build(ctx, builder, m)
		switch {
		case err != nil && !src.selected[m.Name] && ctx.Err() == nil:
			src.unbuilt = append(src.unbuilt, m.Name)
			e.warn(fmt.Sprintf("manifest %s, which is not selected, doesn't build: nothing is deleted in this run: %v", m.Name, err))
		case err != nil:
			failed = append(failed, err)
		case len(out) > 0 && out[len(out)-1].Manifest == m.Name:
			out[len(out)-1].Add(r)
		default:
			r.Manifest = m.Name
			out = append(out, r)
		}
	}
	return out, errors.Join(failed...)
}

// build builds one manifest.
func (s *source) build(ctx context.Context, b build.Builder, m build.Manifest) (build.Result, error) {
	if !s.selected[m.Name] {
		b.Unresolved = true
	}
	if rec := s.records[m.Name]; rec != nil && rec.DefaultNamespace != "" && !s.namespaceGiven {
		b.Namespace = rec.DefaultNamespace
	}
	ctx, span := buildSpan(ctx, m)
	r, err := b.Build(ctx, m)
	span.Set(trace.Attribute{Key: "manifest.objects", Value: len(r.Objects)})
	span.End(err)
	return r, err
}

// warnOfFile tells what a tazuna.yaml has that is accepted and probably not meant.
func (e *Env) warnOfFile(f *config.File) {
	for _, w := range f.Warnings {
		e.warn(w.String())
	}
}

// lenientHint adds the way out to the error of a file that a lenient read takes.
func lenientHint(err error) error {
	var faulty *config.Error
	if errors.As(err, &faulty) && slices.ContainsFunc(faulty.Findings, func(f config.Finding) bool { return f.Lenient }) && faulty.Lenient() {
		return fmt.Errorf("%w\n--lenient makes warnings of this, for files of the original tazuna", err)
	}
	return err
}
