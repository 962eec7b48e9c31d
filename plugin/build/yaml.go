package build

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// TypeYAML is a file of objects or a directory of such files.
const TypeYAML = "yaml"

func yamlType() Type {
	return Type{Type: config.Type{Name: TypeYAML, Block: "yaml", Read: readYAMLOptions}, build: buildYAML}
}

func readYAMLOptions(r config.Reader, block *yaml.Node, at string, m *config.Manifest) {
	if block == nil {
		return
	}
	r.Mapping(block, at,
		config.Field{Key: "defaultNamespace", Read: func(v *yaml.Node, at string) { m.DefaultNamespace = r.Namespace(v, at) }},
		config.Field{Key: "recursive", Read: func(v *yaml.Node, at string) { m.Recursive = r.Bool(v, at) }},
	)
}

// buildYAML reads a file, the files of a directory, or standard input.
func buildYAML(ctx context.Context, b Builder, m Manifest) (content, error) {
	switch {
	case m.Inline != nil:
		return load(m.Inline, m.Path)
	case m.Path == "-" && b.Stdin == nil:
		return content{}, errors.New("there is no standard input to read")
	case m.Path == "-":
		return load(b.Stdin, "standard input")
	case strings.Contains(m.Path, "://"):
		return content{}, errors.New("URLs are not read: download the file and name its path")
	}
	info, err := os.Stat(m.Path)
	if err != nil {
		return content{}, err
	}
	if info.Mode().IsRegular() {
		return loadFile(m.Path)
	}
	if !info.IsDir() { // what -f names is read before, into Inline
		return content{}, notAFile(m.Path)
	}
	files, err := filesOf(m.Path, m.Recursive)
	if err != nil {
		return content{}, err
	}
	return loadFiles(ctx, files)
}

// loadFiles reads all files, so that one error can name the faults of each.
func loadFiles(ctx context.Context, files []string) (content, error) {
	var all content
	var errs []error
	for _, file := range files {
		if err := ctx.Err(); err != nil {
			return content{}, err
		}
		set, err := loadFile(file)
		errs = append(errs, err)
		all.add(set)
	}
	return all, errors.Join(errs...)
}

func loadFile(file string) (content, error) {
	f, err := os.Open(file)
	if err != nil {
		return content{}, err
	}
	defer f.Close()
	return load(f, file)
}

// load reads a stream: kapp configuration is taken out first, since it has no
// name and is no object.
func load(r io.Reader, file string) (content, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return content{}, fmt.Errorf("read %s: %w", file, err)
	}
	rules, rest, err := config.TakeKappConfig(data, file)
	if err != nil {
		return content{}, err
	}
	set, err := object.Load(bytes.NewReader(rest), file)
	return content{Set: set, rules: rules}, err
}

// filesOf lists the files of a directory that may hold objects, in the order of
// their paths. Links are followed; a directory that was read already, as in a loop
// of links, is not read again.
func filesOf(dir string, recursive bool) ([]string, error) {
	l := lister{recursive: recursive, seen: map[string]bool{}}
	if err := l.list(dir); err != nil {
		return nil, err
	}
	return l.files, errors.Join(l.errs...)
}

type lister struct {
	recursive bool
	// seen has the real paths of the directories that were read.
	seen  map[string]bool
	files []string
	errs  []error
}

func (l *lister) list(dir string) error {
	canonical, err := filepath.EvalSymlinks(dir)
	if err != nil || l.seen[canonical] {
		return err
	}
	l.seen[canonical] = true
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := l.entry(filepath.Join(dir, e.Name())); err != nil {
			l.errs = append(l.errs, err)
		}
	}
	return nil
}

func (l *lister) entry(path string) error {
	if !l.recursive && !hasObjectSuffix(path) {
		return nil
	}
	info, err := os.Stat(path)
	switch {
	case err != nil && !hasObjectSuffix(path):
		return nil // a dangling link that would not be read anyway
	case err != nil:
		return err
	case info.IsDir() && l.recursive:
		return l.list(path)
	case info.IsDir() || !hasObjectSuffix(path):
		return nil
	case !info.Mode().IsRegular(): // a pipe would be waited for
		return notAFile(path)
	case isOwnFile(path):
		return nil
	case isKustomization(filepath.Base(path)):
		return fmt.Errorf("%s is a kustomization: use type kustomize or -k for its directory", path)
	}
	l.files = append(l.files, path)
	return nil
}

// notAFile refuses what would be waited for, or never ends.
func notAFile(path string) error {
	return fmt.Errorf("%s is a pipe, a socket or a device: wanted a file", path)
}

// hasObjectSuffix tells by the name whether a file of a directory is read.
func hasObjectSuffix(path string) bool {
	return slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(path))
}

// isOwnFile recognises the tazuna.yaml that may lie beside the objects it names.
func isOwnFile(path string) bool {
	if !slices.Contains([]string{"tazuna.yaml", "tazuna.yml"}, filepath.Base(path)) {
		return false
	}
	data, err := os.ReadFile(path)
	return err == nil && config.IsTazunaFile(data)
}

// emptyReason says where objects were looked for.
func emptyReason(m Manifest) string {
	info, err := os.Stat(m.Path)
	switch {
	case m.Type == TypeKustomize:
		return "the kustomization gives none"
	case m.Type != TypeYAML:
		return ""
	case err != nil || !info.IsDir():
		return "no document has content"
	case m.Recursive:
		return "no .yaml, .yml or .json file in the directory or below has any"
	}
	return "no .yaml, .yml or .json file in the directory has any; subdirectories are read only with recursive: true or -R"
}
