package build

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"sigs.k8s.io/kustomize/api/konfig"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
)

// TypeKustomize is a directory with a kustomization file.
const TypeKustomize = "kustomize"

func kustomizeType() Type {
	return Type{Type: config.Type{Name: TypeKustomize, Block: "kustomize", Read: readKustomizeOptions}, build: buildKustomize}
}

func readKustomizeOptions(r config.Reader, block *yaml.Node, at string, m *config.Manifest) {
	if block == nil {
		return
	}
	r.Mapping(block, at,
		config.Field{Key: "defaultNamespace", Read: func(v *yaml.Node, at string) { m.DefaultNamespace = r.Namespace(v, at) }},
	)
}

// buildKustomize runs kustomize on a directory: first over everything that the
// kustomization reads, to refuse what we don't do and to learn where objects are
// written; then kustomize itself; then its output through the strict reader.
func buildKustomize(ctx context.Context, b Builder, m Manifest) (content, error) {
	if err := kustomizable(m); err != nil {
		return content{}, err
	}
	// An artifact that somebody else made sends nobody to other places.
	read, err := survey(m.Path, b.Remote && m.Within == "")
	if err != nil {
		return content{}, err
	}
	built, err := runUntil(ctx, m.Path)
	if ctx.Err() != nil {
		return content{}, ctx.Err()
	}
	if err != nil {
		return content{}, read.explain(err)
	}
	set, err := read.objects(built)
	return content{Set: set}, err
}

// kustomizable refuses paths that are no local directory. kustomize would clone a
// repository for some of them.
func kustomizable(m Manifest) error {
	switch {
	case m.Inline != nil || m.Path == "-":
		return errors.New("a kustomization cannot be read from standard input")
	case remote(m.Path):
		return errors.New("remote kustomizations are not fetched: clone the repository and name the directory")
	}
	info, err := os.Stat(m.Path)
	if err == nil && !info.IsDir() {
		return fmt.Errorf("%s is a file: name the directory of the kustomization", m.Path)
	}
	return err
}

// isKustomization tells by the name whether a file is a kustomization.
func isKustomization(name string) bool {
	return slices.Contains(konfig.RecognizedKustomizationFileNames(), name)
}

// runUntil gives up when the context ends: kustomize may wait for a server.
func runUntil(ctx context.Context, dir string) (resmap.ResMap, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	type answer struct {
		built resmap.ResMap
		err   error
	}
	done := make(chan answer, 1)
	go func() {
		built, err := run(dir)
		done <- answer{built, err}
	}()
	select {
	case a := <-done:
		return a.built, a.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// run runs kustomize with the restrictions of kubectl: files only from the
// kustomization's own directory, no plugins, no Helm. A panic in it is an error:
// it must not take down a run that has other manifests to report on. kustomize
// writes notes about deprecated fields to standard error by itself.
func run(dir string) (built resmap.ResMap, err error) {
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("kustomize failed inside: %v", reason)
		}
	}()
	return krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), absolute)
}
