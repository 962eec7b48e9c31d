package main

import (
	"archive/tar"
	"bytes"
	"context"
	"io"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// certificates is where the base image has those of certificate authorities.
const certificates = "etc/ssl/certs/ca-certificates.crt"

// baseFiles are what a static base image has: a user, certificates (none here, as the
// file is only looked for), a place for temporary files and a home directory.
func baseFiles() []tar.Header {
	return []tar.Header{
		{Name: "etc/", Typeflag: tar.TypeDir, Mode: 0o755},
		{Name: "etc/passwd", Typeflag: tar.TypeReg, Mode: 0o644, Linkname: "root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin\n"},
		{Name: "etc/group", Typeflag: tar.TypeReg, Mode: 0o644, Linkname: "root:x:0:\nnonroot:x:65532:\n"},
		{Name: certificates, Typeflag: tar.TypeReg, Mode: 0o644, Linkname: "# none\n"},
		{Name: "tmp/", Typeflag: tar.TypeDir, Mode: 0o1777},
		{Name: "home/nonroot/", Typeflag: tar.TypeDir, Mode: 0o700, Uid: 65532, Gid: 65532},
	}
}

// pushBase makes a base image for both platforms, whose user is root as in any image
// that says nothing of it, and returns its reference. Its files are left in dir.
func pushBase(ctx context.Context, host, dir string) (string, error) {
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		var out bytes.Buffer
		w := tar.NewWriter(&out)
		for _, header := range baseFiles() {
			content := header.Linkname // the text of a file, see above
			header.Linkname, header.Size = "", int64(len(content))
			if err := w.WriteHeader(&header); err != nil {
				return nil, err
			}
			if _, err := io.WriteString(w, content); err != nil {
				return nil, err
			}
		}
		return io.NopCloser(&out), w.Close()
	})
	if err != nil {
		return "", err
	}
	index := mutate.IndexMediaType(empty.Index, "application/vnd.oci.image.index.v1+json")
	for _, platform := range platforms() {
		image, err := mutate.AppendLayers(empty.Image, layer)
		if err != nil {
			return "", err
		}
		config, err := image.ConfigFile()
		if err != nil {
			return "", err
		}
		config.OS, config.Architecture = platform.OS, platform.Architecture
		config.Config.Env = []string{"PATH=/usr/bin:/bin", "SSL_CERT_FILE=/" + certificates}
		if image, err = mutate.ConfigFile(image, config); err != nil {
			return "", err
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: image, Descriptor: v1.Descriptor{Platform: &platform}})
	}
	return push(ctx, index, dir, host+"/base", "static")
}

// platforms are those that the image is for.
func platforms() []v1.Platform {
	return []v1.Platform{{OS: "linux", Architecture: "amd64"}, {OS: "linux", Architecture: "arm64"}}
}
