package charts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/registry"
)

// Bounds of what a repository may send, in bytes. The index of the largest public
// repository has some 20 MB.
const (
	maxIndex   = 128 << 20
	maxArchive = 64 << 20
)

// maxRedirects is how often a server may point elsewhere.
const maxRedirects = 10

// web is one repository on the web.
type web struct {
	base               *url.URL
	client             *http.Client
	username, password string
	userAgent          string
	dir                string // of the cache; may be empty
	offline            bool
}

func (f Fetcher) web(s Source, base *url.URL) (*web, error) {
	o := f.options(s, base.Host)
	transport, err := registry.NewTransport(o)
	if err != nil {
		return nil, err
	}
	w := &web{
		// What stands behind the last slash counts: an index lies in a directory.
		base:     base.JoinPath("/"),
		username: s.Username, password: s.Password, userAgent: o.UserAgent, offline: o.Offline,
	}
	if o.CacheDir != "" {
		w.dir = filepath.Join(o.CacheDir, "charts")
	}
	w.client = &http.Client{Transport: transport, CheckRedirect: w.redirect}
	return w, nil
}

// redirect takes the credentials away from requests that go to another host or
// without TLS.
func (w *web) redirect(r *http.Request, via []*http.Request) error {
	if len(via) >= maxRedirects {
		return fmt.Errorf("more than %d redirections", maxRedirects)
	}
	if !w.mine(r.URL) {
		r.Header.Del("Authorization")
	}
	return nil
}

// mine tells the repository's own server from others.
func (w *web) mine(u *url.URL) bool { return u.Scheme == w.base.Scheme && u.Host == w.base.Host }

// get gets a file of at most that many bytes. Errors name the address without its
// query, which may be signed.
func (w *web) get(ctx context.Context, u *url.URL, limit int64) ([]byte, error) {
	shown := u.Scheme + "://" + u.Host + u.Path
	if u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%s: wanted http or https", shown)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, fmt.Errorf("%s is no address", shown)
	}
	if w.userAgent != "" {
		request.Header.Set("User-Agent", w.userAgent)
	}
	if w.mine(u) && (w.username != "" || w.password != "") {
		request.SetBasicAuth(w.username, w.password)
	}
	response, err := w.client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", shown, cause(err))
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: the server answers %s", shown, response.Status)
	}
	data, err := io.ReadAll(io.LimitReader(response.Body, limit+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", shown, err)
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("%s: more than %d bytes", shown, limit)
	}
	return data, nil
}

// cause takes the address off an error, which names it with its query.
func cause(err error) error {
	var of *url.Error
	if errors.As(err, &of) {
		return of.Err
	}
	return err
}

func (w *web) kept(name string) string {
	if w.dir == "" {
		return ""
	}
	return filepath.Join(w.dir, name)
}

// keep writes a file of the cache as a whole or not at all.
func (w *web) keep(path string, data []byte) error {
	if path == "" {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("keep in the cache: %w", err)
	}
	temp, err := os.CreateTemp(filepath.Dir(path), ".tmp-")
	if err != nil {
		return fmt.Errorf("keep in the cache: %w", err)
	}
	_, err = temp.Write(data)
	err = errors.Join(err, temp.Close())
	if err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("keep in the cache: %w", errors.Join(err, os.Remove(temp.Name())))
	}
	return nil
}
