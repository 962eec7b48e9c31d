package repository

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/registry"
)

// ErrNoVersions tells that a package has no version: it is broken, or it is no
// package.
var ErrNoVersions = errors.New("no version")

// Offer is a listing of one kind of tags.
type Offer struct {
	// Names are what was looked for, in their order.
	Names []string
	// Ignored are the other tags.
	Ignored []Ignored
}

// Ignored is a tag that is not what was looked for.
type Ignored struct{ Tag, Reason string }

// Packages lists the packages of the repository.
func (r Repository) Packages(ctx context.Context) (Offer, error) {
	tags, err := r.Client.Tags(ctx, r.Root)
	if err != nil {
		return Offer{}, err
	}
	return sortOut(tags, bundle.IsName, "is no name of a package"), nil
}

// Versions lists the versions of a package, ascending. A package without any is
// ErrNoVersions.
func (r Repository) Versions(ctx context.Context, name string) (Offer, error) {
	from := r.Root.Below(name).Below(versionPath)
	tags, err := r.Client.Tags(ctx, from)
	if err != nil && !errors.Is(err, registry.ErrNotFound) {
		return Offer{}, err
	}
	if r.Root.IsLayout() {
		tags = ofLayout(tags)
	}
	o := sortOut(tags, bundle.IsVersion, "is no version (vMAJOR.MINOR.PATCH)")
	slices.SortFunc(o.Names, compareVersions)
	if len(o.Names) == 0 {
		return o, fmt.Errorf("versions of package %s: %w: wanted tags such as v1.2.3 in %s, found %s",
			name, ErrNoVersions, from, found(tags))
	}
	return o, nil
}

// ofLayout takes the tags of metadata images, without their prefix.
func ofLayout(tags []string) []string {
	var versions []string
	for _, tag := range tags {
		if version, ok := strings.CutPrefix(tag, versionPath+"/"); ok {
			versions = append(versions, version)
		}
	}
	return versions
}

// ReleaseChannels lists the release channels that a package has a version in. A
// package need not have any.
func (r Repository) ReleaseChannels(ctx context.Context, name string) (Offer, error) {
	tags, err := r.Client.Tags(ctx, r.Root.Below(name).Below(channelPath))
	if err != nil && !errors.Is(err, registry.ErrNotFound) {
		return Offer{}, err
	}
	o := sortOut(tags, IsChannel, "is no release channel ("+strings.Join(Channels(), ", ")+")")
	slices.SortFunc(o.Names, func(a, b string) int {
		return slices.Index(Channels(), a) - slices.Index(Channels(), b)
	})
	return o, nil
}

func sortOut(tags []string, wanted func(string) bool, reason string) (o Offer) {
	for _, tag := range tags {
		if wanted(tag) {
			o.Names = append(o.Names, tag)
		} else {
			o.Ignored = append(o.Ignored, Ignored{Tag: tag, Reason: reason})
		}
	}
	return o
}

// compareVersions compares what bundle.IsVersion takes.
func compareVersions(a, b string) int {
	va, errA := semver.NewVersion(a)
	vb, errB := semver.NewVersion(b)
	if errA != nil || errB != nil {
		return strings.Compare(a, b)
	}
	return va.Compare(vb)
}

func found(tags []string) string {
	switch {
	case len(tags) == 0:
		return "no tags"
	case len(tags) > 5:
		return fmt.Sprintf("%d tags: %s, …", len(tags), strings.Join(tags[:5], ", "))
	}
	return strings.Join(tags, ", ")
}

// Merge gives what is known after a listing, sorted. An incremental one saw only a
// part: what it didn't find is still there. A full one replaces what was known.
func Merge(known, found []string, full bool) []string {
	all := slices.Clone(found)
	if !full {
		all = append(all, known...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
