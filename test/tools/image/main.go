package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
)

func main() {
	goreleaser := flag.String("goreleaser", "goreleaser", "The program to release with")
	source := flag.String("source", ".", "The repository of which the last commit is released")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Stdout, *goreleaser, *source)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "image:", err)
		os.Exit(1)
	}
}

// run makes the image twice and judges it.
func run(ctx context.Context, out io.Writer, goreleaser, source string) error {
	work, err := os.MkdirTemp("", "tazuna-image-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(work) }() // a temporary directory
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	defer server.Close()
	host := server.Listener.Addr().String()

	base, err := pushBase(ctx, host, filepath.Join(work, "base"))
	if err != nil {
		return err
	}
	var digests []v1.Hash
	for _, place := range []string{"one", filepath.Join("another-place", "two")} {
		r := release{
			goreleaser: goreleaser, source: source, dir: filepath.Join(work, place),
			base: base, repository: host + "/" + filepath.Base(place) + "/kubectl-tazuna", log: out,
		}
		digest, err := makeOnce(ctx, out, r)
		if err != nil {
			return err
		}
		digests = append(digests, digest)
	}
	if digests[0] != digests[1] {
		return fmt.Errorf("two images of one commit differ: %s and %s", digests[0], digests[1])
	}
	_, err = fmt.Fprintf(out, "image: all is well; made twice, the digest is %s\n", digests[0])
	return err
}

// makeOnce makes the image once and judges it; its digest is returned.
func makeOnce(ctx context.Context, out io.Writer, r release) (v1.Hash, error) {
	made, err := r.run(ctx)
	if err != nil {
		return v1.Hash{}, err
	}
	index, err := pull(ctx, r.repository, releaseTag, r.dir+"-image")
	if err != nil {
		return v1.Hash{}, fmt.Errorf("an index of images for several platforms: %w", err)
	}
	digest, err := index.Digest()
	if err != nil {
		return v1.Hash{}, err
	}
	if err := checkIndex(out, index, made); err != nil {
		return v1.Hash{}, err
	}
	return digest, start(ctx, out, index)
}
