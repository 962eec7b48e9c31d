package archive

import (
	"errors"
	"io/fs"
	"path"
	"strings"
)

const (
	// whiteoutPrefix marks a name that the layer removes.
	whiteoutPrefix = ".wh."
	// opaque marks a directory that shows nothing of the layers below.
	opaque = ".wh..wh..opq"
)

func isWhiteout(name string) bool { return strings.HasPrefix(path.Base(name), whiteoutPrefix) }

// whiteout removes what former archives brought.
func (x *Extractor) whiteout(name string) error {
	dir, base := path.Split(name)
	dir = path.Clean(dir)
	if err := x.parents(dir); err != nil {
		return err
	}
	if base == opaque {
		return x.empty(dir)
	}
	hiddenName := strings.TrimPrefix(base, whiteoutPrefix)
	if hiddenName == "" || hiddenName == "." || hiddenName == ".." {
		return ErrFormat
	}
	return x.removeFormer(path.Join(dir, hiddenName))
}

// removeFormer removes a path unless the archive at hand brought it; of a
// directory that it brought, what it didn't.
func (x *Extractor) removeFormer(name string) error {
	file, seen := x.written[name]
	switch {
	case !seen:
		return x.root.RemoveAll(name)
	case file:
		return nil
	}
	return x.empty(name)
}

// empty removes from a directory what former archives brought.
func (x *Extractor) empty(dir string) error {
	entries, err := fs.ReadDir(x.root.FS(), dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := x.removeFormer(path.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	return nil
}
