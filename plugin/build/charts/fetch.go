package charts

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/chart"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/registry"
)

// Fetcher gets charts. The zero value reads local ones and asks servers without
// credentials or a cache.
type Fetcher struct {
	// Registry says how servers are reached, registries and repositories alike.
	// Its CacheDir and Offline count for both.
	Registry registry.Options
}

// Fetch gets a chart. The error names the source and what was wanted.
func (f Fetcher) Fetch(ctx context.Context, s Source) (*chart.Chart, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	var c *chart.Chart
	var err error
	switch {
	case s.Path != "":
		c, err = local(s)
	case IsOCI(s.Name):
		c, err = f.fromRegistry(ctx, s)
	default:
		c, err = f.fromRepository(ctx, s)
	}
	if err != nil {
		return nil, fmt.Errorf("chart %s: %w", s, err)
	}
	return c, nil
}

// local reads a directory or an archive.
func local(s Source) (*chart.Chart, error) {
	path, err := confined(s)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		in, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer in.Close()
		return chart.LoadArchive(in)
	}
	if s.Within == "" {
		return chart.Load(os.DirFS(path))
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	c, err := chart.Load(root.FS())
	return c, errors.Join(err, root.Close())
}

// confined resolves the path, and refuses one that leads out of Within.
func confined(s Source) (string, error) {
	if s.Within == "" {
		return s.Path, nil
	}
	within, err := filepath.EvalSymlinks(s.Within)
	if err != nil {
		return "", err
	}
	path, err := filepath.EvalSymlinks(s.Path)
	if err != nil {
		return "", err
	}
	if below, err := filepath.Rel(within, path); err != nil || !filepath.IsLocal(below) {
		return "", fmt.Errorf("%s leads out of the artifact", s.Path)
	}
	return path, nil
}

// options are those of a source's server.
func (f Fetcher) options(s Source, host string) registry.Options {
	o := f.Registry
	if s.Username != "" || s.Password != "" {
		o.Credentials = registry.Credentials{Host: host, Username: s.Username, Password: s.Password}
	}
	if s.CAFile != "" {
		o.CAFile = s.CAFile
	}
	o.Insecure = o.Insecure || s.Insecure
	o.PlainHTTP = o.PlainHTTP || s.PlainHTTP
	return o
}
