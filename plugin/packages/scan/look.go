package scan

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle/repository"
)

// Lister lists what is on offer: a catalog.Catalog.
type Lister interface {
	Packages(ctx context.Context) (repository.Offer, error)
	Versions(ctx context.Context, name string) (repository.Offer, error)
	Channels(ctx context.Context, name string) (map[string]string, error)
}

// Found is what a repository offers.
type Found struct {
	// Packages are in the order of their names, Ignored tags that name none.
	Packages []PackageFound
	Ignored  []repository.Ignored
}

// PackageFound is what a repository offers of one package.
type PackageFound struct {
	Name     string
	Versions repository.Offer
	// Err is why the versions couldn't be listed.
	Err error
	// Channels are versions by release channel, ChannelsErr why some are missing.
	Channels    map[string]string
	ChannelsErr error
}

// MaxPackages is how many packages a repository may list, and MaxVersions how many versions
// one of them: each becomes an object of the cluster, and a registry may list anything.
const (
	MaxPackages = 2000
	MaxVersions = 2000
)

// parallel is how many packages are listed at a time: few, for the sake of registries.
const parallel = 4

// Look lists a repository. The error is one of the list of packages, or of the
// context; what is wrong with one package is in Found.
func Look(ctx context.Context, from Lister) (Found, error) {
	offer, err := from.Packages(ctx)
	if err != nil {
		return Found{}, fmt.Errorf("list the packages: %w", err)
	}
	if n := len(offer.Names); n > MaxPackages {
		return Found{}, fmt.Errorf("list the packages: wanted at most %d, found %d", MaxPackages, n)
	}
	found := Found{Packages: make([]PackageFound, len(offer.Names)), Ignored: offer.Ignored}
	group := errgroup.Group{}
	group.SetLimit(parallel)
	for i, name := range offer.Names {
		group.Go(func() error {
			p := PackageFound{Name: name}
			p.Versions, p.Err = from.Versions(ctx, name)
			if n := len(p.Versions.Names); n > MaxVersions {
				p.Versions.Names, p.Err = nil, fmt.Errorf("versions: wanted at most %d, found %d", MaxVersions, n)
			}
			if p.Err == nil {
				p.Channels, p.ChannelsErr = from.Channels(ctx, name)
			}
			found.Packages[i] = p
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return Found{}, err
	}
	if ctx.Err() != nil {
		return Found{}, fmt.Errorf("list the versions: %w", context.Cause(ctx))
	}
	return found, nil
}
