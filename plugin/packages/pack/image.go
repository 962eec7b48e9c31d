package pack

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"path"
	"time"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/registry"
)

// Labels of the images of packages.
const (
	typeLabel       = "io.deckhouse.package.type"
	apiVersionLabel = "io.deckhouse.package.apiVersion"
)

// image makes a container image of one layer. Images of packages hold nothing for
// a processor but hooks, which are for linux/amd64 as everywhere on the platform.
func image(fs files, d bundle.Definition, version string) (registry.Image, error) {
	plain, err := archive(fs)
	if err != nil {
		return registry.Image{}, err
	}
	layer, err := compress(plain)
	if err != nil {
		return registry.Image{}, err
	}
	config, err := json.Marshal(ocispec.Image{
		Platform: ocispec.Platform{OS: "linux", Architecture: "amd64"},
		Config:   ocispec.ImageConfig{Labels: map[string]string{typeLabel: d.Type, apiVersionLabel: d.APIVersion}},
		RootFS:   ocispec.RootFS{Type: "layers", DiffIDs: []digest.Digest{digest.FromBytes(plain)}},
	})
	if err != nil {
		return registry.Image{}, err
	}
	return registry.Image{
		Config: registry.Blob{MediaType: ocispec.MediaTypeImageConfig, Data: config},
		Layers: []registry.Blob{{MediaType: ocispec.MediaTypeImageLayerGzip, Data: layer}},
		Annotations: map[string]string{
			ocispec.AnnotationTitle: d.Name, ocispec.AnnotationVersion: version,
		},
	}, nil
}

// archive writes files, sorted as they are, with the directories above them.
func archive(fs files) ([]byte, error) {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	made := map[string]bool{".": true}
	for _, f := range fs {
		if err := directories(w, path.Dir(f.name), made); err != nil {
			return nil, err
		}
		mode := int64(0o644)
		if f.executable {
			mode = 0o755
		}
		if err := w.WriteHeader(header(f.name, tar.TypeReg, mode, int64(len(f.data)))); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, err
		}
	}
	err := w.Close() // writes the end
	return out.Bytes(), err
}

func directories(w *tar.Writer, dir string, made map[string]bool) error {
	if made[dir] {
		return nil
	}
	if err := directories(w, path.Dir(dir), made); err != nil {
		return err
	}
	made[dir] = true
	return w.WriteHeader(header(dir+"/", tar.TypeDir, 0o755, 0))
}

func header(name string, kind byte, mode, size int64) *tar.Header {
	return &tar.Header{
		Name: name, Typeflag: kind, Mode: mode, Size: size, ModTime: time.Unix(0, 0).UTC(), Format: tar.FormatPAX,
	}
}

func compress(plain []byte) ([]byte, error) {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err := w.Write(plain)
	err = errors.Join(err, w.Close()) // writes the end
	return out.Bytes(), err
}
