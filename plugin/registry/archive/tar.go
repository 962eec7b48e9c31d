package archive

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/klauspost/compress/zstd"
)

// maxWindow is how much memory a zstd stream may ask for.
const maxWindow = 128 << 20

// Tar unpacks an archive, plain or compressed with gzip or zstd: its first bytes
// tell.
func (x *Extractor) Tar(ctx context.Context, in io.Reader) error {
	clear(x.written)
	source := withContext(ctx, in)
	entry, err := x.tar(source)
	if err != nil {
		return &Error{Entry: entry, Err: source.blame(err)}
	}
	return nil
}

// tar unpacks all entries. Of an error it tells the entry that it came with.
func (x *Extractor) tar(source *contextReader) (entry string, err error) {
	plain, done, err := decompress(source)
	if err != nil {
		return "", err
	}
	defer done()
	bounded := &boundedReader{in: plain, left: x.limits.Bytes + headerRoom}
	for archive := tar.NewReader(bounded); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return "", err
		}
		if err := x.entry(header, archive); err != nil {
			return header.Name, err
		}
	}
	// The padding, and what else follows the end.
	if _, err := io.Copy(io.Discard, bounded); err != nil {
		return "", err
	}
	_, err = io.Copy(io.Discard, source)
	return "", err
}

func (x *Extractor) entry(h *tar.Header, content io.Reader) error {
	if h.Typeflag == tar.TypeXGlobalHeader {
		return x.count(0)
	}
	name, err := x.clean(h.Name)
	if err != nil {
		return err
	}
	if err := x.count(h.Size); err != nil {
		return err
	}
	if h.Typeflag == tar.TypeDir {
		return x.directory(name)
	}
	if name == "." {
		return fmt.Errorf("%w: the top is no directory", ErrFormat)
	}
	if isWhiteout(name) {
		return x.whiteout(name)
	}
	switch h.Typeflag {
	case tar.TypeReg:
		return x.file(name, h.FileInfo().Mode(), h.Size, content)
	case tar.TypeSymlink:
		return x.symlink(name, h.Linkname)
	case tar.TypeLink:
		return x.hardlink(name, h.Linkname)
	}
	return fmt.Errorf("%w: wanted a file, a directory or a link, found %s", ErrUnsafe, typeName(h.Typeflag))
}

func typeName(flag byte) string {
	switch flag {
	case tar.TypeChar, tar.TypeBlock:
		return "a device"
	case tar.TypeFifo:
		return "a pipe"
	}
	return fmt.Sprintf("type %q", flag)
}

// decompress finds out how the input is compressed. done gives up what the
// decompressor holds.
func decompress(in io.Reader) (plain io.Reader, done func(), err error) {
	buffered := bufio.NewReader(in)
	start, err := buffered.Peek(4)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, nil, err
	}
	switch {
	case bytes.HasPrefix(start, []byte{0x1f, 0x8b}):
		unzipped, err := gzip.NewReader(buffered)
		if err != nil {
			return nil, nil, err
		}
		return unzipped, func() {}, nil
	case bytes.Equal(start, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		decoder, err := zstd.NewReader(buffered, zstd.WithDecoderConcurrency(1),
			zstd.WithDecoderMaxMemory(maxWindow), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, nil, err
		}
		return decoder, decoder.Close, nil
	}
	return buffered, func() {}, nil
}

// boundedReader gives an error, and not an end, after so many bytes.
type boundedReader struct {
	in   io.Reader
	left int64
}

// Read implements io.Reader.
func (b *boundedReader) Read(p []byte) (int, error) {
	n, err := b.in.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return n, fmt.Errorf("%w: it goes on after all that may be in it", ErrTooLarge)
	}
	return n, err
}

// contextReader ends with its context, and keeps the error that it gave.
type contextReader struct {
	ctx context.Context
	in  io.Reader
	err error
}

func withContext(ctx context.Context, in io.Reader) *contextReader {
	return &contextReader{ctx: ctx, in: in}
}

// Read implements io.Reader.
func (r *contextReader) Read(p []byte) (n int, err error) {
	if err = context.Cause(r.ctx); err == nil {
		n, err = r.in.Read(p)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		r.err = err
	}
	return n, err
}

// blame tells whose fault an error is: that of the input, of the disk, or, where it
// is none of them and not said yet, of the archive's format.
func (r *contextReader) blame(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case r.err != nil:
		return r.err
	case errors.Is(err, ErrFormat), errors.Is(err, ErrTooLarge), errors.Is(err, ErrUnsafe),
		errors.As(err, &path), errors.As(err, &link):
		return err
	}
	return fmt.Errorf("%w: %w", ErrFormat, err)
}
