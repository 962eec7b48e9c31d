package runtime

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/process"
)

// lockFile is in each directory of a process, which has it locked while it lives.
const lockFile = "lock"

// Scratch is a directory of this process alone, below ROOT/tmp: what is being unpacked,
// and runs of hooks. Where it is kept open, nobody else clears it away.
type Scratch struct {
	parent, dir string
	lock        *os.File
}

// OpenScratch makes one on the disk of Options.Dir. Close it.
func OpenScratch(root string) (s *Scratch, err error) {
	full, err := filepath.Abs(root)
	if err != nil {
		return nil, fmt.Errorf("directory of packages %s: %w", root, err)
	}
	s = &Scratch{parent: filepath.Join(full, "tmp")}
	if err := os.MkdirAll(s.parent, dirMode); err != nil {
		return nil, fmt.Errorf("directory of packages: %w", err)
	}
	unlock, err := s.exclude()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if s.dir, err = os.MkdirTemp(s.parent, "process-"); err != nil {
		return nil, fmt.Errorf("directory of packages: %w", err)
	}
	lock, held, err := tryLock(filepath.Join(s.dir, lockFile))
	if err == nil && !held {
		err = errors.New("somebody else has it")
	}
	if err != nil {
		return nil, errors.Join(lockError(s.dir, err), os.RemoveAll(s.dir))
	}
	s.lock = lock
	return s, nil
}

// Dir is where it is.
func (s *Scratch) Dir() string { return s.dir }

// Close removes it, and ends what hooks have left running behind the back of their group.
func (s *Scratch) Close() error {
	_, err := process.EndStrays(s.dir)
	return errors.Join(err, os.RemoveAll(s.dir), s.lock.Close())
}

// exclude keeps others from opening and clearing until unlock: a directory is made before
// it is locked.
func (s *Scratch) exclude() (unlock func() error, err error) {
	file, err := waitLock(filepath.Join(s.parent, lockFile))
	if err != nil {
		return nil, lockError(s.parent, err)
	}
	return file.Close, nil
}

// lockError says what a directory has to have: some network disks have it not.
func lockError(dir string, err error) error {
	return fmt.Errorf("lock %s: %w: bundles need a disk with file locks", dir, err)
}

// clear removes what processes that were killed left: values of applications are among
// it. Programs of hooks that still run are ended before.
func (s *Scratch) clear(log *slog.Logger) (err error) {
	unlock, err := s.exclude()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	entries, err := os.ReadDir(s.parent)
	faults := []error{err}
	for _, e := range entries {
		path := filepath.Join(s.parent, e.Name())
		if path == s.dir || e.Name() == lockFile {
			continue
		}
		faults = append(faults, clearLeft(path, e.IsDir(), log))
	}
	return errors.Join(faults...)
}

// clearLeft clears one away unless its process lives.
func clearLeft(path string, isDir bool, log *slog.Logger) error {
	if isDir {
		lock, held, err := tryLock(filepath.Join(path, lockFile))
		if err != nil || !held {
			return err
		}
		defer lock.Close()
		ended, err := process.EndStrays(path)
		if ended > 0 {
			log.Warn("programs were ended that hooks of a killed controller had left", "processes", ended)
		}
		if err != nil {
			return err
		}
	}
	return os.RemoveAll(path)
}
