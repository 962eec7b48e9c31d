package repository

import (
	"slices"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/registry"
)

const (
	versionPath = "version"
	channelPath = "release-channel"
)

// Channels lists the release channels, from the least to the most careful. There
// are no others: a tag such as "main" is none.
func Channels() []string {
	return []string{"alpha", "beta", "early-access", "stable", "rock-solid", "lts"}
}

// IsChannel tells whether a tag is a release channel.
func IsChannel(tag string) bool { return slices.Contains(Channels(), tag) }

// Repository is a repository of packages.
type Repository struct {
	Client *registry.Client
	// Root is REPO, without tag and digest, or a layout.
	Root registry.Reference
	// TempDir is where metadata is unpacked; empty: the system's directory.
	TempDir string
}

// Listing is the tag that makes a package listed.
func (r Repository) Listing(name string) registry.Reference { return r.Root.WithTag(name) }

// Bundle is where the bundle of a version is.
func (r Repository) Bundle(name, version string) registry.Reference {
	return r.Root.Below(name).WithTag(version)
}

// Metadata is where the metadata of a version is.
func (r Repository) Metadata(name, version string) registry.Reference {
	if r.Root.IsLayout() {
		return r.Root.WithTag(versionPath + "/" + version)
	}
	return r.Root.Below(name).Below(versionPath).WithTag(version)
}

// Channel is where the metadata of a release channel is.
func (r Repository) Channel(name, channel string) registry.Reference {
	return r.Root.Below(name).Below(channelPath).WithTag(channel)
}
