package pack

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle"
)

// file is one file that is packed.
type file struct {
	name       string // slash-separated
	executable bool
	data       []byte
}

// files are sorted by name.
type files []file

// collector walks the files of a package.
type collector struct {
	fsys  fs.FS
	files files
	left  []Left
	room  int64 // bytes that may still come
}

func collect(fsys fs.FS, maxBytes int64) (files, []Left, error) {
	c := &collector{fsys: fsys, room: maxBytes}
	if err := fs.WalkDir(fsys, ".", c.visit); err != nil {
		return nil, nil, err
	}
	return c.files, c.left, nil
}

func (c *collector) visit(name string, entry fs.DirEntry, err error) error {
	if err != nil {
		return err
	}
	if reason := leftOut(name, entry.IsDir()); reason != "" {
		c.left = append(c.left, Left{Path: name, Reason: reason})
		if entry.IsDir() {
			return fs.SkipDir
		}
		return nil
	}
	if entry.IsDir() {
		return nil
	}
	// A link is packed as the file that it leads to.
	info, err := fs.Stat(c.fsys, name)
	if bundle.LeadsOut(err) {
		return bundle.NameLink(err)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s: wanted a file, found %s", name, typeOf(info.Mode()))
	}
	data, err := c.read(name)
	if err != nil {
		return err
	}
	c.files = append(c.files, file{name: name, executable: info.Mode()&0o100 != 0, data: data})
	return nil
}

func typeOf(mode fs.FileMode) string {
	if mode.IsDir() {
		return "a link to a directory"
	}
	return "something else"
}

func (c *collector) read(name string) ([]byte, error) {
	in, err := c.fsys.Open(name)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(in, c.room+1))
	if err = errors.Join(err, in.Close()); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if c.room -= int64(len(data)); c.room < 0 {
		return nil, fmt.Errorf("%s: with it the package is too large", name)
	}
	return data, nil
}

// leftOut says why a file is not packed; "" for what is.
func leftOut(name string, directory bool) string {
	base := path.Base(name)
	switch {
	case name == "." || base == ".helmignore":
		return ""
	case bundle.Hidden(name):
		return "hidden"
	case name == "images" && directory:
		return "sources of images"
	case name == bundle.VersionFile:
		return "made by the build"
	case strings.HasPrefix(name, "werf") && path.Dir(name) == "." && strings.HasSuffix(name, ".yaml"):
		return "for another build tool"
	}
	return ""
}
