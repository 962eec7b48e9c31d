package registry

import (
	"fmt"
	"strings"

	"github.com/opencontainers/go-digest"
	orasregistry "oras.land/oras-go/v2/registry"
)

// LayoutPrefix begins a reference to an OCI layout directory.
const LayoutPrefix = "oci:"

// urlPrefix is how Helm writes references; it is taken off.
const urlPrefix = "oci://"

// Reference names an artifact, or the repository that holds it.
type Reference struct {
	// Host is the registry, with its port if it has one: "ghcr.io",
	// "localhost:5000". Empty for a layout.
	Host string
	// Repository is the path in the registry: "org/app". Empty for a layout.
	Repository string
	// Layout is the path of an OCI layout directory, instead of Host and
	// Repository.
	Layout string
	// Tag and Digest say which artifact. With both, the digest decides. With
	// neither, the reference names the repository, and a pull takes the tag
	// "latest"; in a layout, the only artifact there is.
	Tag    string
	Digest string
}

// ParseReference reads HOST/REPOSITORY[:TAG][@DIGEST], the same after "oci://",
// or oci:DIR[:TAG][@DIGEST]. A colon in DIR counts as part of it where a slash
// follows. The host is never left out: a name without one is an error, because
// guessing it would send requests to somebody else's server.
func ParseReference(text string) (Reference, error) {
	if rest, ok := strings.CutPrefix(text, urlPrefix); ok {
		return parseRemote(rest)
	}
	if rest, ok := strings.CutPrefix(text, LayoutPrefix); ok {
		return parseLayout(rest)
	}
	if scheme, _, ok := strings.Cut(text, "://"); ok {
		return Reference{}, fmt.Errorf("reference: wanted HOST/REPOSITORY[:TAG][@DIGEST], found the scheme %q", scheme)
	}
	return parseRemote(text)
}

func parseLayout(text string) (Reference, error) {
	rest, sum, err := cutDigest(text)
	if err != nil {
		return Reference{}, err
	}
	r := Reference{Layout: rest, Digest: sum}
	if i := strings.LastIndexByte(rest, ':'); i > 0 && !strings.ContainsAny(rest[i:], `/\`) {
		r.Layout, r.Tag = rest[:i], rest[i+1:]
		if r.Tag == "" {
			return Reference{}, fmt.Errorf("reference %q: the tag after the colon is empty", text)
		}
	}
	if r.Layout == "" {
		return Reference{}, fmt.Errorf("reference %q: wanted the directory of a layout after %s", text, LayoutPrefix)
	}
	return r, nil
}

func parseRemote(text string) (Reference, error) {
	rest, sum, err := cutDigest(text)
	if err != nil {
		return Reference{}, err
	}
	host, path, ok := strings.Cut(rest, "/")
	if !ok || !looksLikeHost(host) {
		return Reference{}, fmt.Errorf("reference %q: wanted HOST/REPOSITORY[:TAG][@DIGEST]; "+
			"%q is no host (it has no dot, no port and is not localhost)", text, host)
	}
	r := Reference{Host: host, Repository: path, Digest: sum}
	if i := strings.IndexByte(path, ':'); i >= 0 {
		r.Repository, r.Tag = path[:i], path[i+1:]
		if r.Tag == "" {
			return Reference{}, fmt.Errorf("reference %q: the tag after the colon is empty", text)
		}
	}
	if err := r.oras().Validate(); err != nil {
		return Reference{}, fmt.Errorf("reference %q: %w", text, err)
	}
	return r, nil
}

// cutDigest takes @DIGEST off the end.
func cutDigest(text string) (rest, sum string, err error) {
	rest, sum, ok := strings.Cut(text, "@")
	if !ok {
		return text, "", nil
	}
	if err := digest.Digest(sum).Validate(); err != nil {
		// The text is not repeated: USER:PASSWORD@HOST is a mistake that is made.
		return "", "", fmt.Errorf("reference: wanted a digest such as sha256:… after the @: %w", err)
	}
	return rest, sum, nil
}

// looksLikeHost tells a host from the first part of a path, as container tools do.
func looksLikeHost(s string) bool {
	return strings.ContainsAny(s, ".:") || s == "localhost"
}

// oras gives the reference in the words of the library: by tag.
func (r Reference) oras() orasregistry.Reference {
	return orasregistry.Reference{Registry: r.Host, Repository: r.Repository, Reference: r.Tag}
}

// IsLayout tells whether the reference leads to a directory and not to a server.
func (r Reference) IsLayout() bool { return r.Layout != "" }

// IsRepository tells whether the reference names no particular artifact.
func (r Reference) IsRepository() bool { return r.Tag == "" && r.Digest == "" }

// Name is the reference without tag and digest: "ghcr.io/org/app", "oci:./dir".
func (r Reference) Name() string {
	if r.IsLayout() {
		return LayoutPrefix + r.Layout
	}
	return r.Host + "/" + r.Repository
}

// String is the whole reference, as ParseReference reads it.
func (r Reference) String() string {
	text := r.Name()
	if r.Tag != "" {
		text += ":" + r.Tag
	}
	if r.Digest != "" {
		text += "@" + r.Digest
	}
	return text
}

// WithTag is the same repository at another tag.
func (r Reference) WithTag(tag string) Reference {
	r.Tag, r.Digest = tag, ""
	return r
}

// WithDigest is the same repository at a digest.
func (r Reference) WithDigest(sum string) Reference {
	r.Tag, r.Digest = "", sum
	return r
}

// Below is a repository below this one, without tag and digest: Below("version").
// In a layout, which has no repositories, it is the layout itself.
func (r Reference) Below(path string) Reference {
	r.Tag, r.Digest = "", ""
	if !r.IsLayout() {
		r.Repository += "/" + path
	}
	return r
}

// defaultTag is what a reference without tag and digest means.
const defaultTag = "latest"

// selector is what is asked for: the digest, else the tag, else the default.
func (r Reference) selector() string {
	switch {
	case r.Digest != "":
		return r.Digest
	case r.Tag != "":
		return r.Tag
	}
	return defaultTag
}
