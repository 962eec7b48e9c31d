package chart

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"helm.sh/helm/v4/pkg/chart/loader/archive"
	"helm.sh/helm/v4/pkg/ignore"
)

// maxSize bounds the files of a chart, unpacked, in bytes: Helm's own limit.
const maxSize = 100 << 20

// Load reads a chart from a directory. A .helmignore file is honoured. Whether a
// link may lead out of the directory is fsys's decision: that of an [os.Root]
// refuses it, [os.DirFS] follows it as Helm does.
func Load(fsys fs.FS) (*Chart, error) {
	files, err := ReadFiles(fsys, nil)
	if err != nil {
		return nil, err
	}
	return New(files)
}

// ReadFiles reads the files that Load makes a chart of. Files and directories for
// which skip is true are left out; nil skips none.
func ReadFiles(fsys fs.FS, skip func(name string) bool) ([]File, error) {
	r := reader{fsys: fsys, skip: skip, left: maxSize}
	if err := r.readIgnore(); err != nil {
		return nil, err
	}
	if err := r.directory("."); err != nil {
		return nil, fmt.Errorf("read chart: %w", err)
	}
	return r.files, nil
}

// LoadArchive reads a chart from a gzipped tar archive, as `helm package` makes.
func LoadArchive(r io.Reader) (*Chart, error) {
	packed, err := readPacked(r, maxSize)
	if err != nil {
		return nil, fmt.Errorf("read chart archive: %w", err)
	}
	buffered, err := archive.LoadArchiveFiles(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("read chart archive: %w", err)
	}
	files := make([]File, len(buffered))
	for i, f := range buffered {
		files[i] = File{Name: f.Name, Data: f.Data}
	}
	return New(files)
}

// readPacked reads an archive and refuses one that unpacks to more than limit bytes
// of files and as many of headers. Helm's reader bounds the files only, and a few
// kilobytes can hold millions of empty ones.
func readPacked(r io.Reader, limit int64) ([]byte, error) {
	packed, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(packed)) > limit {
		return nil, fmt.Errorf("it has more than %d bytes", limit)
	}
	unzipped, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	size, err := io.Copy(io.Discard, io.LimitReader(unzipped, 2*limit+1))
	if err != nil {
		return nil, err
	}
	if size > 2*limit {
		return nil, fmt.Errorf("it unpacks to more than %d bytes", 2*limit)
	}
	return packed, unzipped.Close()
}

// reader collects the files of one directory.
type reader struct {
	fsys  fs.FS
	skip  func(name string) bool
	rules *ignore.Rules
	left  int64 // bytes that may still be read
	seen  int   // files and directories
	files []File
}

func (r *reader) readIgnore() error {
	r.rules = ignore.Empty()
	info, err := fs.Stat(r.fsys, ignore.HelmIgnore)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return fmt.Errorf("read chart: %w", err)
	case !info.Mode().IsRegular():
		return fmt.Errorf("read chart: %w", irregular(ignore.HelmIgnore, info))
	default:
		data, err := r.read(ignore.HelmIgnore)
		if err != nil {
			return fmt.Errorf("read chart: %w", err)
		}
		if r.rules, err = ignore.Parse(bytes.NewReader(data)); err != nil {
			return fmt.Errorf("read %s: %w", ignore.HelmIgnore, err)
		}
	}
	r.rules.AddDefaults()
	return nil
}

// Links to a parent make a directory endless; these bounds end it.
const (
	maxDepth   = 64
	maxEntries = 100_000
)

func (r *reader) directory(dir string) error {
	if strings.Count(dir, "/") > maxDepth {
		return fmt.Errorf("%s: more than %d directories deep; is there a link to a parent?", dir, maxDepth)
	}
	entries, err := fs.ReadDir(r.fsys, dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := e.Name()
		if dir != "." {
			name = dir + "/" + name
		}
		if err := r.entry(name); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) entry(name string) error {
	if r.skip != nil && r.skip(name) {
		return nil
	}
	if r.seen++; r.seen > maxEntries {
		return fmt.Errorf("more than %d files and directories; is there a link to a parent?", maxEntries)
	}
	info, err := fs.Stat(r.fsys, name)
	if err != nil {
		return err
	}
	switch {
	case r.rules.Ignore(name, info):
		return nil
	case info.IsDir():
		return r.directory(name)
	case !info.Mode().IsRegular():
		return irregular(name, info)
	}
	data, err := r.read(name)
	if err != nil {
		return err
	}
	r.files = append(r.files, File{Name: name, Data: bytes.TrimPrefix(data, []byte("\xEF\xBB\xBF"))})
	return nil
}

// irregular is the error of what is never opened: a pipe would wait for its other end.
func irregular(name string, info fs.FileInfo) error {
	return fmt.Errorf("%s: wanted a file or a directory, found %s", name, info.Mode().Type())
}

func (r *reader) read(name string) ([]byte, error) {
	f, err := r.fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	data, err := io.ReadAll(io.LimitReader(f, r.left+1))
	if err != nil {
		return nil, err
	}
	if r.left -= int64(len(data)); r.left < 0 {
		return nil, fmt.Errorf("the chart has more than %d bytes", int64(maxSize))
	}
	return data, nil
}
