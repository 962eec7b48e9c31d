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

	"github.com/klauspost/compress/zstd"
)

// maxWindow is how much memory a zstd stream may ask for.
const maxWindow = 128 << 20

// Tar unpacks an archive, plain or compressed with gzip or zstd: its first bytes
// tell.
func (x *Extractor) Tar(ctx context.Context, in io.Reader) error {
	clear(x.written)
	in = withContext(ctx, in)
	plain, done, err := decompress(in)
	if err != nil {
		return &Error{Err: err}
	}
	defer done()
	bounded := &boundedReader{in: plain, left: x.limits.Bytes + headerRoom}
	if err := x.entriesOf(tar.NewReader(bounded)); err != nil {
		return err
	}
	// The padding, and what else follows the end.
	if _, err := io.Copy(io.Discard, bounded); err != nil {
		return &Error{Err: formatOf(err)}
	}
	if _, err := io.Copy(io.Discard, in); err != nil {
		return &Error{Err: err}
	}
	return nil
}

func (x *Extractor) entriesOf(archive *tar.Reader) error {
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return &Error{Err: formatOf(err)}
		}
		if err := x.entry(header, archive); err != nil {
			return &Error{Entry: header.Name, Err: formatOf(err)}
		}
	}
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

// formatOf says that an error of a reader of archives is one of the archive;
// others stay what they are.
func formatOf(err error) error {
	var corrupt *tarFault
	switch {
	case errors.Is(err, tar.ErrHeader), errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum),
		errors.Is(err, io.ErrUnexpectedEOF), errors.As(err, &corrupt):
		return fmt.Errorf("%w: %w", ErrFormat, err)
	}
	return err
}

// tarFault is an error of a decompressor.
type tarFault struct{ err error }

func (f *tarFault) Error() string { return f.err.Error() }
func (f *tarFault) Unwrap() error { return f.err }

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
			return nil, nil, fmt.Errorf("%w: %w", ErrFormat, err)
		}
		return unzipped, func() { unzipped.Close() }, nil
	case bytes.Equal(start, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		decoder, err := zstd.NewReader(buffered, zstd.WithDecoderConcurrency(1),
			zstd.WithDecoderMaxMemory(maxWindow), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, nil, fmt.Errorf("%w: %w", ErrFormat, err)
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

// contextReader ends with its context.
type contextReader struct {
	ctx context.Context
	in  io.Reader
}

func withContext(ctx context.Context, in io.Reader) io.Reader { return &contextReader{ctx, in} }

// Read implements io.Reader.
func (r *contextReader) Read(p []byte) (int, error) {
	if r.ctx.Err() != nil {
		return 0, context.Cause(r.ctx)
	}
	return r.in.Read(p)
}
