package registry

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/content"
)

// Descriptor says what some content is.
type Descriptor struct {
	MediaType string
	// Digest is ALGORITHM:HEX, Size in bytes.
	Digest string
	Size   int64
}

// Artifact is a manifest and the content it lists, fetched and verified. Close it
// when its layers are read.
type Artifact struct {
	// Reference is what was asked for.
	Reference Reference
	// Descriptor is that of the manifest: its digest names this very content.
	Descriptor Descriptor
	// Type is the artifact type: the manifest's, else the media type of the config.
	Type string
	// Annotations are the manifest's.
	Annotations map[string]string
	// Labels are those of an image's config.
	Labels map[string]string
	// Config is the config blob; Layers the rest, in their order.
	Config Layer
	Layers []Layer

	close func() error
}

// Close gives up what the artifact holds: its layers can't be opened any more.
func (a *Artifact) Close() error {
	if a == nil || a.close == nil {
		return nil
	}
	return a.close()
}

// FindLayer returns the only layer whose media type is one of these. None and
// several are errors that name what there is.
func (a *Artifact) FindLayer(mediaTypes ...string) (Layer, error) {
	var found []Layer
	var all []string
	for _, l := range a.Layers {
		all = append(all, strconv.Quote(l.MediaType)) // words of strangers
		for _, m := range mediaTypes {
			if l.MediaType == m {
				found = append(found, l)
			}
		}
	}
	if len(found) == 1 {
		return found[0], nil
	}
	return Layer{}, fmt.Errorf("%s: wanted one layer of type %s, found %d; the layers are of %s",
		a.Reference, strings.Join(mediaTypes, " or "), len(found), listed(all))
}

func listed(words []string) string {
	if len(words) == 0 {
		return "nothing"
	}
	return strings.Join(words, ", ")
}

// Layer is one blob of an artifact.
type Layer struct {
	Descriptor
	Annotations map[string]string

	from content.Fetcher
}

// Title is the name of the file that the layer is; empty for a layer that is
// more than a file.
func (l Layer) Title() string { return l.Annotations[ocispec.AnnotationTitle] }

func (l Layer) oci() ocispec.Descriptor {
	return ocispec.Descriptor{MediaType: l.MediaType, Digest: digest.Digest(l.Digest), Size: l.Size}
}

// Open reads the content as it was transferred, usually compressed. The last
// Read gives ErrCorrupt instead of io.EOF if it has another digest than it
// should have: believe nothing before the end.
func (l Layer) Open(ctx context.Context) (io.ReadCloser, error) {
	in, err := l.from.Fetch(ctx, l.oci())
	if err != nil {
		return nil, fmt.Errorf("open layer %s: %w", l.Digest, err)
	}
	return newVerified(in, l.oci()), nil
}

// ReadAll gives the whole content, verified. It is held in memory: see Size.
func (l Layer) ReadAll(ctx context.Context) ([]byte, error) {
	in, err := l.Open(ctx)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	data, err := io.ReadAll(in)
	if err != nil {
		return nil, fmt.Errorf("read layer %s: %w", l.Digest, err)
	}
	return data, nil
}

// verified checks size and digest at the end of what it reads.
type verified struct {
	in     io.ReadCloser
	reader *content.VerifyReader
	want   ocispec.Descriptor
}

func newVerified(in io.ReadCloser, want ocispec.Descriptor) *verified {
	return &verified{in: in, reader: content.NewVerifyReader(in, want), want: want}
}

// Read implements io.Reader.
func (v *verified) Read(p []byte) (int, error) {
	n, err := v.reader.Read(p)
	switch {
	case err == nil:
		return n, nil
	case errors.Is(err, io.EOF):
		if bad := v.reader.Verify(); bad != nil {
			return n, corrupt(v.want, bad)
		}
		return n, io.EOF
	case errors.Is(err, io.ErrUnexpectedEOF):
		return n, corrupt(v.want, err)
	}
	return n, err
}

// Close implements io.Closer.
func (v *verified) Close() error { return v.in.Close() }

// corrupt says that content is not what its descriptor says.
func corrupt(want ocispec.Descriptor, err error) error {
	return fmt.Errorf("%w: wanted %d bytes with digest %s: %w", ErrCorrupt, want.Size, want.Digest, err)
}

// isMismatch knows the library's words for content that is not as described.
// What servers say in headers has no error of its own there.
func isMismatch(err error) bool {
	return errors.Is(err, content.ErrMismatchedDigest) || errors.Is(err, content.ErrTrailingData) ||
		errors.Is(err, content.ErrInvalidDescriptorSize) ||
		(err != nil && (strings.Contains(err.Error(), "mismatch Content-Length") || strings.Contains(err.Error(), "digest mismatch")))
}

func fromOCI(d ocispec.Descriptor) Descriptor {
	return Descriptor{MediaType: d.MediaType, Digest: d.Digest.String(), Size: d.Size}
}
