package build

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// reading is what is known of a kustomization's inputs before kustomize runs.
type reading struct {
	// file is the kustomization file of the root.
	file string
	// sources are the objects of all resource files.
	sources []object.Object
	// warnings are those about the sources.
	warnings []object.Warning
	// secrets are the bodies of all Secrets in sight, to keep their values out of
	// messages.
	secrets []map[string]any

	seen map[string]bool
	errs []error
}

// survey reads the kustomization in dir and all that it refers to. It refuses
// what kustomize would fetch or run, and is stricter than kustomize about the
// YAML of resources.
func survey(dir string) (*reading, error) {
	r := &reading{seen: map[string]bool{}}
	r.file = r.directory(dir)
	return r, errors.Join(r.errs...)
}

// directory reads the kustomization of a directory and gives the path of its
// file. A directory that was read already, as in a loop, is left to kustomize,
// which has its own message for loops.
func (r *reading) directory(dir string) string {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil || r.seen[real] {
		r.failed(err)
		return dir
	}
	r.seen[real] = true
	file := kustomizationFile(dir)
	if file == "" {
		r.errs = append(r.errs, fmt.Errorf("%s has no kustomization.yaml", dir))
		return dir
	}
	data, err := os.ReadFile(file)
	if err != nil {
		r.failed(err)
		return file
	}
	root, err := documentRoots(data)
	if err != nil {
		r.errs = append(r.errs, fmt.Errorf("%s: %w", file, err))
		return file
	}
	for _, n := range root {
		r.twice(file, n)
		k := kustomization{reading: r, dir: dir, file: file}
		k.read(n)
	}
	return file
}

func (r *reading) failed(err error) {
	if err != nil {
		r.errs = append(r.errs, err)
	}
}

// kustomizationFile is the kustomization file of a directory; empty if it has
// none. If it has more than one, kustomize complains.
func kustomizationFile(dir string) string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return ""
	}
	for _, e := range entries {
		if isKustomization(e.Name()) {
			return filepath.Join(dir, e.Name())
		}
	}
	return ""
}

// documentRoots parses all documents of a YAML text.
func documentRoots(data []byte) ([]*yaml.Node, error) {
	var roots []*yaml.Node
	documents := yaml.NewDecoder(bytes.NewReader(data))
	for {
		var doc yaml.Node
		err := documents.Decode(&doc)
		switch {
		case errors.Is(err, io.EOF):
			return roots, nil
		case err != nil:
			return nil, errors.New("not YAML: " + strings.TrimPrefix(err.Error(), "yaml: "))
		case len(doc.Content) > 0:
			roots = append(roots, doc.Content[0])
		}
	}
}

// twice reports every key that one mapping has twice: kustomize would silently
// take one of them.
func (r *reading) twice(file string, n *yaml.Node) {
	lines := map[string]int{}
	for i, c := range n.Content {
		r.twice(file, c)
		if n.Kind != yaml.MappingNode || i%2 == 1 || c.Kind != yaml.ScalarNode {
			continue
		}
		if first, again := lines[c.Value]; again {
			r.errs = append(r.errs, fmt.Errorf("%s:%d: key %q is there twice, first on line %d", file, c.Line, c.Value, first))
		}
		lines[c.Value] = c.Line
	}
}
