package main

import (
	"archive/tar"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
)

// What is wanted of the image, whatever it is made with.
const (
	// entry is the program: Pods name no command, only arguments.
	entry = "/ko-app/kubectl-tazuna"
	// user is a number, since a Pod with runAsNonRoot takes no name.
	user = "65532:65532"
)

// checkIndex judges the image of every platform; all that is wrong comes in one error.
func checkIndex(out io.Writer, index v1.ImageIndex, m made) error {
	manifest, err := index.IndexManifest()
	if err != nil {
		return err
	}
	var found, wanted []string
	var problems []error
	for _, d := range manifest.Manifests {
		platform := d.Platform.String()
		found = append(found, platform)
		image, err := index.Image(d.Digest)
		if err != nil {
			return err
		}
		if err := checkImage(image, platform, m); err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", platform, err))
		}
		fmt.Fprintf(out, "image: %s %s\n", platform, d.Digest)
	}
	for _, p := range platforms() {
		wanted = append(wanted, p.String())
	}
	slices.Sort(found)
	if !slices.Equal(found, wanted) {
		problems = append(problems, fmt.Errorf("wanted images for %v, found %v", wanted, found))
	}
	return errors.Join(problems...)
}

// checkImage judges settings and files of one image.
func checkImage(image v1.Image, platform string, m made) error {
	config, err := image.ConfigFile()
	if err != nil {
		return err
	}
	var problems []error
	want := func(what, wanted, found string) {
		if wanted != found {
			problems = append(problems, fmt.Errorf("%s: wanted %q, found %q", what, wanted, found))
		}
	}
	want("platform", platform, config.Platform().String())
	want("user", user, config.Config.User)
	want("entry point", entry, strings.Join(config.Config.Entrypoint, " "))
	want("arguments", "", strings.Join(config.Config.Cmd, " "))
	want("time", m.committed.UTC().String(), config.Created.UTC().String())
	for label, wanted := range wantedLabels(m) {
		want("label "+label, wanted, config.Config.Labels[label])
	}
	if !slices.Contains(config.Config.Env, "SSL_CERT_FILE=/"+certificates) {
		problems = append(problems, fmt.Errorf("environment: wanted that of the base image, found %q", config.Config.Env))
	}
	return errors.Join(append(problems, checkFiles(image, m.programs[platform]))...)
}

// wantedLabels are those of the OCI image specification.
func wantedLabels(m made) map[string]string {
	const prefix = "org.opencontainers.image."
	return map[string]string{
		prefix + "title":    "kubectl-tazuna",
		prefix + "source":   "https://github.com/kubectl-tazuna/kubectl-tazuna",
		prefix + "licenses": "Apache-2.0",
		prefix + "version":  releaseTag,
		prefix + "revision": m.commit,
	}
}

// checkFiles wants the program of the archives, and beside it nothing but what the base
// image has.
func checkFiles(image v1.Image, program string) error {
	wanted, err := fileSum(program)
	if err != nil {
		return err
	}
	allowed := []string{"ko-app/", "var/", "var/run/", "var/run/ko/"}
	for _, h := range baseFiles() {
		allowed = append(allowed, h.Name)
	}
	files := mutate.Extract(image)
	defer files.Close()
	sum := ""
	var others []string
	for r := tar.NewReader(files); ; {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("read the layers: %w", err)
		}
		name := strings.TrimPrefix(header.Name, "/")
		switch {
		case "/"+name == entry:
			if sum, err = sumOf(r); err != nil {
				return err
			}
			if header.Mode&0o555 != 0o555 {
				return fmt.Errorf("%s: wanted a file that everybody may start, found mode %o", entry, header.Mode)
			}
		case !slices.Contains(allowed, name) && !slices.Contains(allowed, name+"/"):
			others = append(others, name)
		}
	}
	switch {
	case sum == "":
		return fmt.Errorf("there is no %s", entry)
	case sum != wanted:
		return fmt.Errorf("%s isn't the program of the archives: its SHA-256 is %s and not %s", entry, sum, wanted)
	case len(others) > 0:
		return fmt.Errorf("wanted no other files, found %q", others)
	}
	return nil
}

func fileSum(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	return sumOf(f)
}

func sumOf(r io.Reader) (string, error) {
	h := sha256.New()
	if _, err := io.Copy(h, r); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
