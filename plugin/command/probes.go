package command

import (
	"context"
	"errors"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/probe"
)

// compiled makes probes of tests.
func compiled(tests []config.Test) ([]*probe.Probe, error) {
	var all []*probe.Probe
	var errs []error
	for _, t := range tests {
		p, err := probe.Compile(t)
		errs = append(errs, err)
		all = append(all, p)
	}
	return all, errors.Join(errs...)
}

// runProbes runs tests one after the other.
func runProbes(ctx context.Context, env *Env, p *prepared, probes []*probe.Probe) error {
	for _, test := range probes {
		if err := test.Run(ctx, p.client, env.Clock); err != nil {
			return err
		}
		env.note("test passed: %s", test)
	}
	return nil
}

// testAll runs the tests of a file where nothing is applied: those of the selected
// manifests in their order, then those of the file.
func (p *prepared) testAll(ctx context.Context, env *Env) error {
	if p.source == nil || p.source.file == nil {
		return nil
	}
	var tests []config.Test
	for _, m := range p.source.file.Tazuna.Spec.Manifests {
		if p.source.selected[m.Name] {
			tests = append(tests, m.Tests...)
		}
	}
	probes, err := compiled(append(tests, p.source.file.Tazuna.Spec.Tests...))
	if err != nil {
		return err
	}
	return runProbes(ctx, env, p, probes)
}

// testFile runs the tests of a file after all its manifests.
func (p *prepared) testFile(ctx context.Context, env *Env) error {
	if p.source == nil || p.source.file == nil {
		return nil
	}
	probes, err := compiled(p.source.file.Tazuna.Spec.Tests)
	if err != nil {
		return err
	}
	return runProbes(ctx, env, p, probes)
}
