package command

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
)

// which finds the manifests that a command is about that reads records and builds
// nothing: those of the file, or those of --manifest, which may have left the file.
// There are none where neither names one. The source is that of the file, so that its
// guard can be asked; a file that can't be read is an error, never no file.
func (o *sourceOptions) which(env *Env) ([]string, *source, error) {
	if o.nothingGiven() {
		return o.named()
	}
	all := *o
	if len(o.manifests) > 0 && len(o.tags) == 0 && o.kustomize == "" {
		all.manifests = nil
	}
	src, err := all.read(env)
	switch {
	case err != nil:
		return nil, nil, err
	case src.file == nil:
		return o.named()
	case len(all.manifests) != len(o.manifests):
		names, _, err := o.named()
		src.options = *o
		return names, src, err
	}
	var names []string
	for _, m := range src.all {
		if src.selected[m.Name] && !slices.Contains(names, m.Name) {
			names = append(names, m.Name)
		}
	}
	return names, src, nil
}

// nothingGiven tells that no flag names a file and none is there by itself.
func (o *sourceOptions) nothingGiven() bool {
	if len(o.files) > 0 || o.kustomize != "" {
		return false
	}
	if o.own {
		return true
	}
	_, err := os.Stat(defaultFile)
	return errors.Is(err, os.ErrNotExist)
}

// named are the manifests of --manifest.
func (o *sourceOptions) named() ([]string, *source, error) {
	if len(o.tags) > 0 {
		return nil, nil, errors.New("--tags selects manifests of a tazuna.yaml, and there is none")
	}
	for _, name := range o.manifests {
		if err := config.CheckName(name); err != nil {
			return nil, nil, fmt.Errorf("--manifest: %w", err)
		}
	}
	return o.manifests, &source{options: *o}, nil
}
