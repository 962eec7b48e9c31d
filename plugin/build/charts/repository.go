package charts

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/chart"
)

// index is what a repository says it has, as far as it is used.
type index struct {
	Entries map[string][]indexEntry `json:"entries"`
}

// indexEntry is one version of a chart.
type indexEntry struct {
	Version string   `json:"version"`
	URLs    []string `json:"urls"`
	Digest  string   `json:"digest"`
}

// fromRepository asks a repository for its index and gets the archive.
func (f Fetcher) fromRepository(ctx context.Context, s Source) (*chart.Chart, error) {
	w, err := f.repository(s)
	if err != nil {
		return nil, err
	}
	entry, err := w.find(ctx, s)
	if err != nil {
		return nil, err
	}
	data, err := w.archive(ctx, entry)
	if err != nil {
		return nil, err
	}
	c, err := chart.LoadArchive(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return c, matches(entry.Version, c)
}

// repository checks the address of a repository.
func (f Fetcher) repository(s Source) (*web, error) {
	base, err := url.Parse(s.Repository)
	if err != nil || base.Host == "" {
		return nil, errors.New("the repository is no address") // err may quote a password
	}
	if base.User != nil {
		return nil, errors.New("the address of the repository holds credentials: give them beside it")
	}
	return f.web(s, base)
}

// find looks the chart up in the index.
func (w *web) find(ctx context.Context, s Source) (indexEntry, error) {
	entries, err := w.entries(ctx, s.Name)
	if err != nil {
		return indexEntry{}, err
	}
	version, err := best(s.Version, versionsOf(entries))
	if err != nil {
		return indexEntry{}, err
	}
	for _, e := range entries {
		if e.Version == version {
			if len(e.URLs) == 0 {
				break
			}
			return e, nil
		}
	}
	return indexEntry{}, fmt.Errorf("index.yaml has no address for version %s", version)
}

// index gets index.yaml, offline the one that was seen last.
func (w *web) index(ctx context.Context) ([]byte, error) {
	sum := sha256.Sum256([]byte(w.base.String()))
	kept := w.kept("index-" + hex.EncodeToString(sum[:]) + ".yaml")
	if w.offline {
		data, err := os.ReadFile(kept)
		if err != nil {
			return nil, fmt.Errorf("offline, and not seen before: %w", err)
		}
		return data, nil
	}
	data, err := w.get(ctx, w.base.JoinPath("index.yaml"), maxIndex)
	if err != nil {
		return nil, err
	}
	return data, w.keep(kept, data)
}

// archive gets the archive of an entry, and believes it only with its digest.
func (w *web) archive(ctx context.Context, e indexEntry) ([]byte, error) {
	digest := strings.TrimPrefix(e.Digest, "sha256:")
	kept := ""
	if len(digest) == sha256.Size*2 && filepath.IsLocal(digest) {
		kept = w.kept("sha256-" + digest + ".tgz")
		if data, err := os.ReadFile(kept); err == nil && sumOf(data) == digest {
			return data, nil
		}
	}
	if w.offline {
		return nil, fmt.Errorf("version %s: offline, and not in the cache", e.Version)
	}
	address, err := w.base.Parse(e.URLs[0])
	if err != nil {
		return nil, fmt.Errorf("index.yaml has an odd address for version %s", e.Version)
	}
	data, err := w.get(ctx, address, maxArchive)
	if err != nil {
		return nil, fmt.Errorf("get version %s: %w", e.Version, err)
	}
	if digest != "" && sumOf(data) != digest {
		return nil, fmt.Errorf("version %s: wanted the digest %s that index.yaml names, found %s", e.Version, digest, sumOf(data))
	}
	if kept == "" {
		return data, nil
	}
	return data, w.keep(kept, data)
}

func sumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
