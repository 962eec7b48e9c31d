package registry

import (
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
	// stores reads the files of credentials, cache opens the cache: when they are
	// needed, so that who only reads a directory needs neither.
	stores func() ([]credentialStore, error)
	cache  func() *cache // gives nil: nothing is kept
	pruned sync.Once

	mu            sync.Mutex
	authenticated bool     // credentials were found for a host
	secrets       []string // what is in no error text
}

// New makes a client. Nothing is asked of any server; an error is one of CAFile.
// That files of credentials are broken is an error of the first request that
// needs them. A cache that can't be used is none, and told to Options.Warn.
func New(o Options) (*Client, error) {
	o = o.withDefaults()
	transport, err := newTransport(o)
	if err != nil {
		return nil, err
	}
	c := &Client{options: o}
	c.stores = sync.OnceValues(func() ([]credentialStore, error) { return openStores(o.DockerConfig, o.CredentialFiles) })
	c.cache = sync.OnceValue(c.openCache)
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
