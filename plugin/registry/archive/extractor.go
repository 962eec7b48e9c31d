package archive

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Extractor unpacks archives into one directory, the later over the earlier.
type Extractor struct {
	root    *os.Root
	limits  Limits
	bytes   int64
	entries int
	// written are the paths that the archive at hand brought, with the
	// directories above them; true for what is no directory.
	written map[string]bool
}

// New opens a directory, which has to be there and empty.
func New(dir string, l Limits) (*Extractor, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("unpack: %w", err)
	}
	if len(entries) > 0 {
		return nil, fmt.Errorf("unpack: wanted an empty directory, found %q in %s", entries[0].Name(), dir)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("unpack: %w", err)
	}
	return &Extractor{root: root, limits: l, written: map[string]bool{}}, nil
}

// File writes one file that is no part of an archive.
func (x *Extractor) File(ctx context.Context, name string, size int64, in io.Reader) error {
	clear(x.written)
	clean, err := x.clean(name)
	if err == nil && clean == "." {
		err = fmt.Errorf("%w: no name", ErrUnsafe)
	}
	if err == nil {
		err = x.count(size)
	}
	if err == nil {
		err = x.file(clean, 0o644, size, withContext(ctx, in))
	}
	if err != nil {
		return &Error{Entry: name, Err: err}
	}
	return nil
}

// Close checks the links and gives up the directory.
func (x *Extractor) Close() error {
	return errors.Join(x.checkLinks(), x.root.Close())
}

// Abandon gives up the directory without looking at its links: after an error.
func (x *Extractor) Abandon() error { return x.root.Close() }

// clean gives the path of an entry within the directory, slash-separated; "." is
// the directory itself.
func (x *Extractor) clean(name string) (string, error) {
	switch {
	case !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl):
		return "", fmt.Errorf("%w: a name that is no text, or would steer a terminal", ErrUnsafe)
	case path.IsAbs(name):
		return "", fmt.Errorf("%w: an absolute path", ErrUnsafe)
	}
	clean := path.Clean(name)
	if clean == "." {
		return clean, nil
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == ".." {
			return "", fmt.Errorf(`%w: a path with ".."`, ErrUnsafe)
		}
	}
	if !filepath.IsLocal(filepath.FromSlash(clean)) {
		return "", fmt.Errorf("%w: a path that leads out of the directory", ErrUnsafe)
	}
	if depth := strings.Count(clean, "/") + 1; depth > x.limits.Depth {
		return "", fmt.Errorf("%w: %d directories deep, the limit is %d", ErrTooLarge, depth, x.limits.Depth)
	}
	return clean, nil
}

// claim makes the way free for an entry: the directories above it are there and
// are no links, and nothing of a former archive is in its place.
func (x *Extractor) claim(name string, directory bool) (there bool, err error) {
	if file, seen := x.written[name]; seen && (file || !directory) {
		return false, fmt.Errorf("%w: it is there twice", ErrFormat)
	}
	if err := x.parents(path.Dir(name)); err != nil {
		return false, err
	}
	info, err := x.root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return false, err
	case info.IsDir() && directory:
		there = true
	default:
		if err := x.root.RemoveAll(name); err != nil {
			return false, err
		}
	}
	x.written[name] = !directory
	return there, nil
}

// parents makes the directories of a path. They may not be links: what is written
// through a link is written somewhere else.
func (x *Extractor) parents(dir string) error {
	if dir == "." {
		return nil
	}
	if err := x.parents(path.Dir(dir)); err != nil {
		return err
	}
	info, err := x.root.Lstat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = x.mkdir(dir)
	case err != nil:
	case info.Mode()&fs.ModeSymlink != 0:
		err = fmt.Errorf("%w: its directory %q is a link", ErrUnsafe, dir)
	case !info.IsDir() && x.written[dir]:
		err = fmt.Errorf("%w: its directory %q is a file", ErrFormat, dir)
	case !info.IsDir(): // of a former archive
		err = errors.Join(x.root.Remove(dir), x.mkdir(dir))
	}
	if err != nil {
		return err
	}
	if _, seen := x.written[dir]; !seen {
		x.written[dir] = false
	}
	return nil
}

func (x *Extractor) directory(name string) error {
	if name == "." {
		return nil
	}
	there, err := x.claim(name, true)
	if err != nil || there {
		return err
	}
	return x.mkdir(name)
}

// mkdir makes a directory whose mode doesn't depend on the user's mask.
func (x *Extractor) mkdir(name string) error {
	if err := x.root.Mkdir(name, 0o755); err != nil {
		return err
	}
	return x.root.Chmod(name, 0o755)
}

// file writes a file of exactly that size.
func (x *Extractor) file(name string, mode fs.FileMode, size int64, in io.Reader) error {
	if _, err := x.claim(name, false); err != nil {
		return err
	}
	out, err := x.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	n, err := io.Copy(out, io.LimitReader(in, size))
	if err == nil && n < size {
		err = fmt.Errorf("%w: it ends after %d of %d bytes", ErrFormat, n, size)
	}
	if err == nil {
		err = out.Chmod(plainMode(mode))
	}
	return errors.Join(err, out.Close())
}

// plainMode leaves of a mode whether the file is a program.
func plainMode(mode fs.FileMode) fs.FileMode {
	if mode&0o100 != 0 {
		return 0o755
	}
	return 0o644
}
