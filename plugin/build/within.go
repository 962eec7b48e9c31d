package build

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// readWithin reads a file; if within is set, only one that doesn't lie outside of
// that directory, also by links.
func readWithin(within, file string) ([]byte, error) {
	if within == "" {
		return os.ReadFile(file)
	}
	below, err := filepath.Rel(within, file)
	if err != nil || !filepath.IsLocal(below) {
		return nil, fmt.Errorf("%s leads out of the artifact", file)
	}
	root, err := os.OpenRoot(within)
	if err != nil {
		return nil, err
	}
	data, err := root.ReadFile(below)
	return data, errors.Join(err, root.Close())
}

// inside gives the places of files of a manifest: those of an artifact are
// relative to its path.
func (m Manifest) inside(files []string) []string {
	if m.Within == "" {
		return files
	}
	var all []string
	for _, f := range files {
		all = append(all, filepath.Join(m.Path, f))
	}
	return all
}
