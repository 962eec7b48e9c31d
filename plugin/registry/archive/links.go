package archive

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
)

// symlink makes a link. Where it leads is looked at in Close, when everything is
// there: a link through other links ends somewhere else than it reads.
func (x *Extractor) symlink(name, target string) error {
	if path.IsAbs(target) {
		return fmt.Errorf("%w: a link to the absolute path %q", ErrUnsafe, target)
	}
	if _, err := x.claim(name, false); err != nil {
		return err
	}
	return x.root.Symlink(target, name)
}

// hardlink makes another name of a file that is there. The target is a path in
// the archive, and not relative to the entry.
func (x *Extractor) hardlink(name, target string) error {
	clean, err := x.clean(target)
	if err != nil {
		return fmt.Errorf("link to %q: %w", target, err)
	}
	if clean == name {
		return fmt.Errorf("%w: a link to itself", ErrFormat)
	}
	if err := x.isFile(clean); err != nil {
		return fmt.Errorf("link to %q: %w", target, err)
	}
	if _, err := x.claim(name, false); err != nil {
		return err
	}
	return x.root.Link(clean, name)
}

// isFile wants a regular file that is reached without any link.
func (x *Extractor) isFile(name string) error {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if info, err := x.root.Lstat(dir); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return fmt.Errorf("%w: the directory %q is a link", ErrUnsafe, dir)
		}
	}
	info, err := x.root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w: there is no such file before it", ErrFormat)
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("%w: it is no regular file", ErrUnsafe)
	}
	return nil
}

// checkLinks follows every link through the handle of the directory, as whoever
// opens it later will.
func (x *Extractor) checkLinks() error {
	return fs.WalkDir(x.root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.Type()&fs.ModeSymlink == 0 {
			return nil
		}
		target, err := x.root.Readlink(name)
		if err != nil {
			return err
		}
		switch _, err := x.root.Stat(name); {
		case errors.Is(err, fs.ErrNotExist):
			return &Error{Entry: name, Err: fmt.Errorf("%w: the link to %q leads nowhere", ErrUnsafe, target)}
		case err != nil:
			return &Error{Entry: name, Err: fmt.Errorf("%w: the link to %q leads out of the directory, or in a circle", ErrUnsafe, target)}
		}
		return nil
	})
}
