package main

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
)

// start unpacks the image for this machine and starts its entry point: where the user
// may, inside of what was unpacked and as the image's user; otherwise as a program of
// this machine, which still shows that it needs no other file.
func start(ctx context.Context, out io.Writer, index v1.ImageIndex) error {
	if runtime.GOOS != "linux" {
		_, err := fmt.Fprintln(out, "image: the program was not started: it is for linux")
		return err
	}
	image, err := forThisMachine(index)
	if err != nil {
		return err
	}
	root, err := os.MkdirTemp("", "tazuna-image-root-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(root) }()     // a temporary directory
	if err := os.Chmod(root, 0o755); err != nil { //nolint:gosec // another user starts the program
		return err
	}
	if err := unpack(image, root); err != nil {
		return err
	}
	for _, args := range [][]string{
		{"version", "--client", "-o", "jsonpath={.client.version}"},
		{"packages", "controller", "--help"},
	} {
		cmd, how := inside(ctx, root, args...)
		text, err := cmd.CombinedOutput()
		if err != nil {
			return fmt.Errorf("%s %s, %s: %w: %s", entry, strings.Join(args, " "), how, err, text)
		}
		if args[0] == "version" && string(text) != releaseTag {
			return fmt.Errorf("%s version: wanted %s, found %q", entry, releaseTag, text)
		}
		fmt.Fprintf(out, "image: %s %s ran %s\n", entry, args[0], how)
	}
	return nil
}

func forThisMachine(index v1.ImageIndex) (v1.Image, error) {
	manifest, err := index.IndexManifest()
	if err != nil {
		return nil, err
	}
	for _, d := range manifest.Manifests {
		if d.Platform != nil && d.Platform.Architecture == runtime.GOARCH {
			return index.Image(d.Digest)
		}
	}
	return nil, fmt.Errorf("no image for %s", runtime.GOARCH)
}

// unpack writes directories and files of all layers below root, and refuses names that
// lead out of it.
func unpack(image v1.Image, root string) error {
	dir, err := os.OpenRoot(root)
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }() // nothing was written through it
	files := mutate.Extract(image)
	defer files.Close()
	for r := tar.NewReader(files); ; {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read the layers: %w", err)
		}
		name := filepath.FromSlash(strings.Trim(header.Name, "/"))
		if header.Typeflag == tar.TypeDir {
			err = dir.MkdirAll(name, 0o755)
		} else {
			err = writeFile(dir, name, r, header)
		}
		if err != nil {
			return fmt.Errorf("unpack %s: %w", header.Name, err)
		}
	}
}

func writeFile(dir *os.Root, name string, content io.Reader, header *tar.Header) error {
	if err := dir.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	f, err := dir.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, os.FileMode(header.Mode).Perm()) //nolint:gosec // a mode has few bits
	if err != nil {
		return err
	}
	_, err = io.Copy(f, content)
	return errors.Join(err, f.Close())
}

// onThisMachine is the entry point as any other program.
func onThisMachine(ctx context.Context, root string, args ...string) (*exec.Cmd, string) {
	cmd := exec.CommandContext(ctx, filepath.Join(root, filepath.FromSlash(entry)), args...)
	cmd.Env = []string{"HOME=" + root}
	return cmd, "on this machine"
}
