package skeleton

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
)

//go:embed all:files
var files embed.FS

// placeholder stands for the name of the package in the files.
const placeholder = "PACKAGE_NAME"

// maxName leaves room for what registries put before and after the name.
const maxName = 63

var validName = regexp.MustCompile(`^[a-z]([-a-z0-9]*[a-z0-9])?$`)

// CheckName refuses a name that no package can have: wanted are at most 63 of a-z,
// 0-9 and "-", with a letter at the beginning and no "-" at the end.
func CheckName(name string) error {
	if len(name) > maxName || !validName.MatchString(name) {
		return fmt.Errorf("name of a package: wanted at most %d lower-case letters, digits and '-' that begin with a letter and don't end with '-', found %q", maxName, name)
	}
	return nil
}

// Write makes the directory with a package of that name in it, and gives the
// slash-separated paths of the files in it, sorted. A directory with anything in it
// is refused.
func Write(dir, name string) ([]string, error) {
	if err := CheckName(name); err != nil {
		return nil, err
	}
	if err := isFree(dir); err != nil {
		return nil, err
	}
	var written []string
	err := fs.WalkDir(files, "files", func(from string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		inside := from[len("files/"):]
		written = append(written, inside)
		return writeFile(from, filepath.Join(dir, filepath.FromSlash(inside)), name)
	})
	if err != nil {
		return nil, fmt.Errorf("write the package %s: %w", name, err)
	}
	return written, nil
}

// isFree refuses a directory that holds something.
func isFree(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("directory of the package: %w", err)
	case len(entries) > 0:
		return fmt.Errorf("directory of the package: wanted a new or empty one, found %s in %s", entries[0].Name(), dir)
	}
	return nil
}

func writeFile(from, to, name string) error {
	content, err := files.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	mode := fs.FileMode(0o644)
	if path.Base(path.Dir(from)) == "hooks" {
		mode = 0o755 // a hook is what can be executed
	}
	return os.WriteFile(to, bytes.ReplaceAll(content, []byte(placeholder), []byte(name)), mode)
}
