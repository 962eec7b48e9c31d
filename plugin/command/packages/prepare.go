package packages

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle/source"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/document"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/output"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/render"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/schema"
)

// inputOptions say with which settings and values a package is tried.
type inputOptions struct {
	settings    string
	complete    bool
	showSecrets bool
}

// addFlags is for commands that show what there is after the hooks have run.
func (o *inputOptions) addFlags(cmd *cobra.Command) {
	o.addSettingsFlag(cmd)
	cmd.Flags().BoolVar(&o.complete, "complete", true, "Make up values that hooks would have set")
	o.addSecretsFlag(cmd)
}

func (o *inputOptions) addSecretsFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.showSecrets, "show-secrets", false, "Don't mask values that are secret")
}

func (o *inputOptions) addSettingsFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.settings, "settings", "", "A file (YAML or JSON) with the settings of the instance; - is standard input (default: guessed from examples and defaults)")
	_ = cmd.MarkFlagFilename("settings", "yaml", "yml", "json") // an error is only that there is no such flag
}

func (o *inputOptions) masker() object.Masker {
	m := object.DefaultMasker()
	m.Show = o.showSecrets
	return m
}

// read reads the file of settings; nil where none is given.
func (o *inputOptions) read(env *Env) (map[string]any, error) {
	if o.settings == "" {
		return nil, nil
	}
	data, err := env.readFile(o.settings)
	if err != nil {
		return nil, fmt.Errorf("--settings: %w", err)
	}
	return parseMapping(data, "--settings "+o.settings)
}

// readFile reads a file or, for -, standard input.
func (e *Env) readFile(path string) ([]byte, error) {
	if path == "-" {
		return io.ReadAll(e.In)
	}
	return os.ReadFile(path)
}

// parseMapping reads one document that has to be a mapping; an empty one is {}.
func parseMapping(data []byte, what string) (map[string]any, error) {
	documents, err := document.Stream(data)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", what, err)
	case len(documents) == 0:
		return map[string]any{}, nil
	case len(documents) > 1:
		return nil, fmt.Errorf("%s: wanted one document, found %d", what, len(documents))
	}
	mapping, ok := documents[0].Value.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%s: wanted a mapping, found %s", what, document.KindOf(documents[0].Value))
	}
	return mapping, nil
}

// prepare makes settings and values of a package and holds the settings against their
// schema. The values may still lack what hooks set.
func (o *inputOptions) prepare(ctx context.Context, env *Env, p *source.Package) (*render.Prepared, error) {
	settings, err := o.read(env)
	if err != nil {
		return nil, err
	}
	prepared, findings, err := render.Prepare(ctx, p.Bundle, render.Inputs{Settings: settings, Complete: o.complete})
	env.warnOf(bundle.Warnings(findings))
	if err != nil {
		return nil, err
	}
	if prepared.Guessed && prepared.Sources.Schemas.Settings != nil {
		env.note("no settings were given: they are guessed from the schema (packages values --settings-only prints them)")
	}
	return prepared, nil
}

// whole is prepare for values that are as after the hooks: they have to fit, too.
func (o *inputOptions) whole(ctx context.Context, env *Env, p *source.Package) (*render.Prepared, error) {
	prepared, err := o.prepare(ctx, env, p)
	if err != nil {
		return nil, err
	}
	return prepared, prepared.Sources.Check(ctx, prepared.Values, schema.Check{})
}

// secrets are the settings that no output may hold. Those that were guessed are none.
func secrets(p *render.Prepared) []map[string]any {
	marked := p.Sources.Schemas.Secrets(p.Settings)
	if p.Guessed || len(marked) == 0 {
		return nil
	}
	return []map[string]any{output.SecretOf(marked)}
}
