package registry

import (
	"context"
	"fmt"
	"net/http"
	"sync"

	"oras.land/oras-go/v2/registry/remote"
	"oras.land/oras-go/v2/registry/remote/auth"
)

// Client reaches registries and layouts. It is safe for use by several
// goroutines.
type Client struct {
	options Options
	auth    *auth.Client
	stores  []credentialStore
	cache   *cache // nil: nothing is kept
	pruned  sync.Once

	mu            sync.Mutex
	authenticated bool     // credentials were found for a host
	secrets       []string // what is in no error text
}

// New makes a client. Nothing is asked of any server; errors are those of
// CAFile, the files of credentials and CacheDir.
func New(o Options) (*Client, error) {
	o = o.withDefaults()
	transport, err := newTransport(o)
	if err != nil {
		return nil, err
	}
	c := &Client{options: o}
	if c.stores, err = openStores(o.CredentialFiles); err != nil {
		return nil, err
	}
	if o.CacheDir != "" {
		if c.cache, err = openCache(o.CacheDir); err != nil {
			return nil, err
		}
	}
	c.remember(o.Credentials.Password, o.Credentials.Token)
	c.auth = &auth.Client{
		Client:     &http.Client{Transport: transport},
		Header:     http.Header{"User-Agent": {o.UserAgent}},
		Cache:      auth.NewCache(),
		Credential: c.credential,
	}
	return c, nil
}

// repository opens a repository of a registry. Nothing is asked yet.
func (c *Client) repository(ref Reference) (*remote.Repository, error) {
	if c.options.Offline {
		return nil, fmt.Errorf("%w, and no server may be asked (offline)", ErrOffline)
	}
	return &remote.Repository{
		Client:           c.auth,
		Reference:        ref.WithTag("").oras(),
		PlainHTTP:        c.options.PlainHTTP,
		TagListMaxPages:  c.options.Limits.Tags/100 + 1,
		MaxMetadataBytes: c.options.Limits.Manifest,
		// Pushing needs no garbage collection of referrers: nothing is pushed
		// that has a subject.
		SkipReferrersGC: true,
	}, nil
}

// Tags lists the tags of a repository or layout, sorted. A repository that
// doesn't exist is ErrNotFound.
func (c *Client) Tags(ctx context.Context, ref Reference) ([]string, error) {
	tags, err := c.tags(ctx, ref)
	if err != nil {
		return nil, c.fail(ctx, "list tags of", ref, err)
	}
	return tags, nil
}
