package hook

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// hooksDir is where a bundle keeps its hooks.
const hooksDir = "hooks"

// maxFiles bounds the files under hooks/: a bundle with more is no bundle.
const maxFiles = 10000

// candidate is an executable file under hooks/.
type candidate struct {
	file   string // slash-separated, within the bundle
	path   string // absolute
	script bool   // begins with #!
}

// mayBatch tells whether the program could be a batch binary: a compiled program
// without an extension. A script is never asked with "hook list": one that looks
// at its first argument only would do its work.
func (c candidate) mayBatch() bool { return !c.script && path.Ext(c.file) == "" }

// finder walks hooks/.
type finder struct {
	root    string // absolute path of the bundle
	found   []candidate
	skipped []Skipped
	odd     []string // warnings
	failed  []LoadFailure
	visited int
}

// find lists the executables of a bundle in the order of their paths. A bundle
// without hooks/ has none.
func find(dir string) (*finder, error) {
	root, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("find hooks: %w", err)
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return nil, fmt.Errorf("find hooks: %w", err)
	}
	f := &finder{root: root}
	err = filepath.WalkDir(filepath.Join(root, hooksDir), f.visit)
	if errors.Is(err, fs.ErrNotExist) && f.visited == 0 {
		return f, nil
	}
	if err != nil {
		return nil, fmt.Errorf("find hooks: %w", err)
	}
	return f, nil
}

// Programs lists the files of a bundle that are, or may be, hooks, without running any.
func Programs(bundle string) ([]string, error) {
	f, err := find(bundle)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, c := range f.found {
		files = append(files, c.file)
	}
	return files, nil
}

func (f *finder) visit(full string, entry fs.DirEntry, err error) error {
	if err != nil {
		return err
	}
	relative, err := filepath.Rel(f.root, full)
	if err != nil {
		return err
	}
	file := filepath.ToSlash(relative)
	if f.visited++; f.visited > maxFiles {
		return fmt.Errorf("more than %d files", maxFiles)
	}
	if file == hooksDir {
		if !entry.IsDir() {
			return errors.New("hooks is no directory")
		}
		return nil
	}
	if entry.IsDir() {
		return f.directory(file, entry.Name())
	}
	return f.file(file, full, entry)
}

// directory skips those that hold no hooks but what hooks use.
func (f *finder) directory(file, name string) error {
	reason := ""
	switch {
	case strings.HasPrefix(name, "."):
		reason = "hidden directory"
	case name == "lib" || name == "venv":
		reason = "directory of what hooks use, not of hooks"
	}
	if reason == "" {
		return nil
	}
	f.skip(file, reason)
	return fs.SkipDir
}

func (f *finder) skip(file, reason string) {
	f.skipped = append(f.skipped, Skipped{File: file, Reason: reason})
}

func (f *finder) fail(file, text string) {
	f.failed = append(f.failed, LoadFailure{File: file, Err: errors.New(text)})
}

// kindOf names what is no regular file and no directory. Nobody opens it: to open
// a pipe waits for its other end.
func kindOf(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeNamedPipe != 0:
		return "pipe"
	case mode&fs.ModeSocket != 0:
		return "socket"
	}
	return "device"
}

func (f *finder) file(file, full string, entry fs.DirEntry) error {
	if strings.HasPrefix(entry.Name(), ".") {
		f.skip(file, "hidden file")
		return nil
	}
	target := full
	if entry.Type()&fs.ModeSymlink != 0 {
		resolved, err := filepath.EvalSymlinks(full)
		if err != nil {
			return fmt.Errorf("%s: follow the link: %w", file, err)
		}
		inside, err := filepath.Rel(f.root, resolved)
		if err != nil || !filepath.IsLocal(inside) {
			f.fail(file, "is a link that leads out of the package")
			return nil
		}
		target = resolved
	}
	info, err := os.Stat(target)
	if err != nil {
		return err
	}
	switch {
	case info.IsDir():
		f.skip(file, "link to a directory")
		f.odd = append(f.odd, file+": a link to a directory is not followed; hooks in it are not found")
		return nil
	case !info.Mode().IsRegular():
		f.fail(file, "wanted a file, found a "+kindOf(info.Mode()))
		return nil
	}
	return f.regular(file, full, info)
}

func (f *finder) regular(file, full string, info fs.FileInfo) error {
	start, err := beginning(full)
	script := strings.HasPrefix(start, "#!")
	if info.Mode().Perm()&0o111 == 0 {
		f.skip(file, "not executable")
		if err == nil && (script || isProgram(start)) {
			f.odd = append(f.odd, file+": looks like a hook and is not executable, so it is none (chmod +x makes it one)")
		}
		return nil
	}
	if err != nil {
		return err
	}
	f.found = append(f.found, candidate{file: file, path: full, script: script})
	return nil
}

// beginning reads the first bytes of a file.
func beginning(full string) (string, error) {
	in, err := os.Open(full)
	if err != nil {
		return "", err
	}
	defer in.Close()
	start := make([]byte, 4)
	n, err := io.ReadFull(in, start)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return "", err
	}
	return string(start[:n]), nil
}

// isProgram knows the first bytes of compiled programs of Linux and macOS.
func isProgram(start string) bool {
	switch start {
	case "\x7fELF", "\xcf\xfa\xed\xfe", "\xce\xfa\xed\xfe", "\xca\xfe\xba\xbe":
		return true
	}
	return false
}
