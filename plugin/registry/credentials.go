package registry

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/credentials"
)

// credentialStore is one file of credentials.
type credentialStore struct {
	file  string
	store credentials.Store
}

// openStores reads a configuration that was given, and the files of credentials that
// exist.
func openStores(config []byte, files []string) ([]credentialStore, error) {
	var stores []credentialStore
	if len(config) > 0 {
		store, err := credentials.NewMemoryStoreFromDockerConfig(config)
		if err != nil {
			// The library's text may repeat parts of the configuration.
			return nil, errors.New("read credentials of registries: the docker configuration that was given can't be understood")
		}
		stores = append(stores, credentialStore{file: "the docker configuration that was given", store: store})
	}
	for _, file := range files {
		if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		store, err := credentials.NewStore(file, credentials.StoreOptions{})
		if err != nil {
			return nil, fmt.Errorf("read credentials of registries: %w", err)
		}
		stores = append(stores, credentialStore{file: file, store: store})
	}
	return stores, nil
}

// credential finds what proves who we are to a host. Nothing found is anonymous.
func (c *Client) credential(ctx context.Context, host string) (auth.Credential, error) {
	found, err := c.findCredential(ctx, host)
	if err != nil {
		return auth.EmptyCredential, err
	}
	if found != auth.EmptyCredential {
		c.remember(found.Username+":"+found.Password, found.Password, found.RefreshToken, found.AccessToken)
		c.mu.Lock()
		c.authenticated = true
		c.mu.Unlock()
	}
	return found, nil
}

func (c *Client) findCredential(ctx context.Context, host string) (auth.Credential, error) {
	given := c.options.Credentials
	if !given.empty() && (given.Host == "" || serverAddress(given.Host) == serverAddress(host)) {
		return auth.Credential{Username: given.Username, Password: given.Password, RefreshToken: given.Token}, nil
	}
	stores, err := c.stores()
	if err != nil {
		return auth.EmptyCredential, err
	}
	for _, s := range stores {
		found, err := s.store.Get(ctx, serverAddress(host))
		if err != nil {
			return auth.EmptyCredential, fmt.Errorf("credentials for %s from %s: %w", host, s.file, err)
		}
		if found != auth.EmptyCredential {
			return found, nil
		}
	}
	return auth.EmptyCredential, nil
}

// serverAddress is the name under which a host stands in a file of credentials.
func serverAddress(host string) string { return credentials.ServerAddressFromRegistry(host) }
