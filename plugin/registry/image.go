package registry

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/opencontainers/go-digest"
	specs "github.com/opencontainers/image-spec/specs-go"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
)

// Blob is content that is to be pushed.
type Blob struct {
	MediaType   string
	Data        []byte
	Annotations map[string]string
}

// Image is an artifact that is to be pushed. Equal images have equal digests.
type Image struct {
	// Type is the artifact type; empty for a container image, whose config says
	// what it is.
	Type string
	// Config of media type "" is the empty config of artifacts.
	Config      Blob
	Layers      []Blob
	Annotations map[string]string
}

// Digest is the digest that the image will have.
func (i Image) Digest() (string, error) {
	p, err := i.pack()
	if err != nil {
		return "", err
	}
	return p.manifest.descriptor.Digest.String(), nil
}

// piece is content with its descriptor.
type piece struct {
	descriptor ocispec.Descriptor
	data       []byte
}

func (p piece) reader() io.Reader { return bytes.NewReader(p.data) }

// packed is an image in the pieces that are stored.
type packed struct {
	manifest piece
	blobs    []piece
}

func (i Image) pack() (packed, error) {
	config := i.Config
	if config.MediaType == "" {
		config = Blob{MediaType: ocispec.MediaTypeEmptyJSON, Data: ocispec.DescriptorEmptyJSON.Data}
	}
	manifest := ocispec.Manifest{
		Versioned:    specs.Versioned{SchemaVersion: 2},
		MediaType:    ocispec.MediaTypeImageManifest,
		ArtifactType: i.Type,
		Config:       describe(config),
		Layers:       []ocispec.Descriptor{},
		Annotations:  i.Annotations,
	}
	p := packed{blobs: []piece{{describe(config), config.Data}}}
	for _, l := range i.Layers {
		manifest.Layers = append(manifest.Layers, describe(l))
		p.blobs = append(p.blobs, piece{plain(describe(l)), l.Data})
	}
	data, err := json.Marshal(manifest)
	if err != nil {
		return packed{}, err
	}
	p.manifest = piece{describe(Blob{MediaType: manifest.MediaType, Data: data}), data}
	return p, nil
}

func describe(b Blob) ocispec.Descriptor {
	return ocispec.Descriptor{
		MediaType: b.MediaType, Digest: digest.FromBytes(b.Data), Size: int64(len(b.Data)), Annotations: b.Annotations,
	}
}
