package cluster

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// schemaStore keeps the OpenAPI documents that this run has asked for, and below
// dir, in a reduced form, those of earlier runs. A file is named by the hash the
// server gave for the document, so it can't be stale.
type schemaStore struct {
	dir string

	mu    sync.Mutex
	paths map[string]string // group version path → server path with ?hash=
	docs  map[string]*schemaDocument
}

func newSchemaStore(cacheDir, host string) *schemaStore {
	s := &schemaStore{docs: map[string]*schemaDocument{}}
	if cacheDir != "" {
		// Per server: another one could claim the same hash for other content.
		sum := sha256.Sum256([]byte(host))
		s.dir = filepath.Join(cacheDir, "openapi", hex.EncodeToString(sum[:8]))
	}
	return s
}

// invalidate makes the next lookup ask for the hashes again.
func (s *schemaStore) invalidate() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.paths = nil
}

// Schema gives the schema of a kind as the server publishes it: nil without an
// error when it has none, which for a new CRD may last a second. It costs one
// request a run, and one more for each group version whose schema has changed
// since it was last seen.
func (c *Client) Schema(ctx context.Context, gvk schema.GroupVersionKind) (*Schema, error) {
	c.schemas.mu.Lock()
	defer c.schemas.mu.Unlock()
	doc, err := c.document(ctx, gvk.GroupVersion())
	if err != nil || doc == nil {
		return nil, err
	}
	return doc.kind(gvk), nil
}

// SchemaVersion names the schemas of a group version as they are now: it changes
// with each of them. Empty where the server publishes none. It costs one request a
// run.
func (c *Client) SchemaVersion(ctx context.Context, gv schema.GroupVersion) (string, error) {
	c.schemas.mu.Lock()
	defer c.schemas.mu.Unlock()
	if err := c.openAPIPaths(ctx); err != nil {
		return "", err
	}
	return c.schemas.paths[pathKey(gv)], nil
}

// pathKey is the name of a group version in the list of schemas.
func pathKey(gv schema.GroupVersion) string {
	if gv.Group == "" {
		return "api/" + gv.Version
	}
	return "apis/" + gv.String()
}

func (c *Client) document(ctx context.Context, gv schema.GroupVersion) (*schemaDocument, error) {
	if err := c.openAPIPaths(ctx); err != nil {
		return nil, err
	}
	key := pathKey(gv)
	address, ok := c.schemas.paths[key]
	if !ok {
		return nil, nil
	}
	if doc, ok := c.schemas.docs[address]; ok {
		return doc, nil
	}
	doc := c.schemas.load(key, address)
	if doc == nil {
		data, err := c.openAPI(ctx, address)
		if err != nil {
			return nil, fmt.Errorf("get the OpenAPI schema of %s: %w", gv, err)
		}
		if doc, err = parseDocument(data); err != nil {
			return nil, fmt.Errorf("%s: %w", gv, err)
		}
		c.schemas.save(key, address, doc)
	}
	c.schemas.docs[address] = doc
	return doc, nil
}

// openAPIPaths reads which group versions have a document and their hashes.
func (c *Client) openAPIPaths(ctx context.Context) error {
	if c.schemas.paths != nil {
		return nil
	}
	data, err := c.openAPI(ctx, "/openapi/v3")
	if apierrors.IsNotFound(err) || apierrors.IsForbidden(err) {
		c.schemas.paths = map[string]string{}
		return nil
	}
	if err != nil {
		return fmt.Errorf("get the list of OpenAPI schemas: %w", err)
	}
	var list struct {
		Paths map[string]struct {
			ServerRelativeURL string `json:"serverRelativeURL"`
		} `json:"paths"`
	}
	if err := json.Unmarshal(data, &list); err != nil {
		return fmt.Errorf("decode the list of OpenAPI schemas: %w", err)
	}
	c.schemas.paths = make(map[string]string, len(list.Paths))
	for key, p := range list.Paths {
		c.schemas.paths[key] = p.ServerRelativeURL
	}
	return nil
}

// openAPI fetches one document.
func (c *Client) openAPI(ctx context.Context, address string) ([]byte, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	// Servers behind a prefix may or may not repeat it.
	p := strings.TrimPrefix(u.Path, strings.TrimSuffix(c.base.Path, "/"))
	return c.do(ctx, &request{verb: verbGet, path: p, query: u.Query(), accept: mediaJSON}, nil)
}

// file is where a document is kept; empty when it is not to be kept.
func (s *schemaStore) file(key, address string) string {
	u, err := url.Parse(address)
	if err != nil || s.dir == "" {
		return ""
	}
	// Both come from the server and become names of files.
	hash, name := u.Query().Get("hash"), strings.ReplaceAll(key, "/", "_")
	if hash == "" || strings.ContainsAny(hash, `/\.`) || strings.Contains(name, "..") || strings.ContainsAny(name, `\:`) {
		return ""
	}
	return filepath.Join(s.dir, name, hash+".json")
}

// load reads a kept document; nil when there is none or it is damaged.
func (s *schemaStore) load(key, address string) *schemaDocument {
	file := s.file(key, address)
	if file == "" {
		return nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	doc, err := parseDocument(data)
	if err != nil {
		return nil
	}
	return doc
}

// save keeps a document and drops the group version's older ones. A cache that
// can't be written costs time, not results, so failures are silent.
func (s *schemaStore) save(key, address string, doc *schemaDocument) {
	file := s.file(key, address)
	if file == "" {
		return
	}
	data, err := doc.reduced()
	if err != nil || os.MkdirAll(filepath.Dir(file), 0o750) != nil {
		return
	}
	if writeFile(file, data) != nil {
		return
	}
	old, _ := filepath.Glob(filepath.Join(filepath.Dir(file), "*.json"))
	for _, f := range old {
		if f != file {
			_ = os.Remove(f)
		}
	}
}

// writeFile replaces a file in one step: another run may be reading it.
func writeFile(file string, data []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(file), ".new-")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(tmp.Name()) }()
	if _, err := tmp.Write(data); err != nil {
		return errors.Join(err, tmp.Close())
	}
	if err := tmp.Close(); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), file)
}
