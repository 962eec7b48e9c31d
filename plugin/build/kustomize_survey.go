package build

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// reading is what is known of a kustomization's inputs before kustomize runs.
type reading struct {
	// file is the kustomization file of the root.
	file string
	// sources are the objects of all resource files.
	sources []source
	// prefixes and suffixes are what the kustomizations add to names.
	prefixes, suffixes []string
	// secrets are the bodies of all Secrets in sight, to keep their values out of
	// messages.
	secrets []map[string]any
	// credentials are those in URLs, up to their @, for the same reason.
	credentials []string

	// fetched tells that what is remote is left to kustomize, which fetches it.
	fetched bool

	seen map[string]bool
	errs []error
}

// survey reads the kustomization in dir and all that it refers to. It refuses
// what kustomize would fetch (unless fetched says that it may) or run, and is
// stricter than kustomize about the YAML of resources.
func survey(dir string, fetched bool) (*reading, error) {
	r := &reading{seen: map[string]bool{}, fetched: fetched}
	r.file = r.directory(dir, false)
	return r, errors.Join(r.errs...)
}

// directory reads the kustomization of a directory and gives the path of its
// file. A directory that was read already, as in a loop, is left to kustomize,
// which has its own message for loops.
func (r *reading) directory(dir string, plugins bool) string {
	file, err := kustomizationFile(dir)
	if err != nil {
		r.failed(err)
		return dir
	}
	canonical, err := filepath.EvalSymlinks(dir)
	key := fmt.Sprint(plugins, canonical)
	if err != nil || r.seen[key] {
		r.failed(err)
		return file
	}
	r.seen[key] = true
	data, err := os.ReadFile(file)
	r.failed(err)
	for _, root := range r.documents(file, data) {
		kustomization{reading: r, dir: dir, file: file, plugins: plugins}.fields(root)
	}
	return file
}

func (r *reading) failed(err error) {
	if err != nil {
		r.errs = append(r.errs, err)
	}
}

// kustomizationFile finds the kustomization file of a directory.
func kustomizationFile(dir string) (string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	var found []string
	for _, e := range entries {
		if isKustomization(e.Name()) {
			found = append(found, filepath.Join(dir, e.Name()))
		}
	}
	switch len(found) {
	case 0:
		return "", fmt.Errorf("%s has no kustomization.yaml", dir)
	case 1:
		return found[0], nil
	}
	return "", fmt.Errorf("%s has more than one kustomization file: %s and %s", dir, filepath.Base(found[0]), filepath.Base(found[1]))
}
