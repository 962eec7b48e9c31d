package home

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	lockAttempts = 20
	lockPause    = 25 * time.Millisecond
)

// ErrLocked is returned by Lock when another process runs in this home.
var ErrLocked = errors.New("a control plane already runs in this directory")

// Lock is held by the running control plane. The kernel drops it when the
// process ends, however it ends.
type Lock struct {
	file *os.File
}

// Lock takes the lock and writes the caller's pid into it.
func (h Home) Lock() (*Lock, error) {
	file, err := os.OpenFile(h.lockFile(), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open lock: %w", err)
	}
	if err := takeLock(file); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &Lock{file: file}, nil
}

func takeLock(file *os.File) error {
	// Running holds the lock for an instant when it looks: try again for a while.
	var err error
	for range lockAttempts {
		if err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err == nil {
			break
		}
		time.Sleep(lockPause)
	}
	if err != nil {
		return fmt.Errorf("%w (%w)", ErrLocked, err)
	}
	if err := file.Truncate(0); err != nil {
		return fmt.Errorf("empty lock: %w", err)
	}
	if _, err := file.WriteAt([]byte(strconv.Itoa(os.Getpid())), 0); err != nil {
		return fmt.Errorf("write lock: %w", err)
	}
	return nil
}

// Release gives the lock back.
func (l *Lock) Release() error {
	return l.file.Close()
}

// Running returns the pid of the control plane that holds the lock, or 0.
func (h Home) Running() (int, error) {
	file, err := os.Open(h.lockFile())
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("open lock: %w", err)
	}
	defer func() { _ = file.Close() }() // read only

	// A shared lock: two callers that ask at the same time must not take each
	// other for the control plane.
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_SH|syscall.LOCK_NB)
	if err == nil {
		return 0, nil
	}
	if !errors.Is(err, syscall.EWOULDBLOCK) {
		return 0, fmt.Errorf("try lock: %w", err)
	}
	return settledPID(h.lockFile())
}

// settledPID reads the pid twice: a process that has just taken the lock may
// not yet have replaced the pid of its predecessor, which may be anyone's now.
func settledPID(path string) (int, error) {
	last := 0
	for range lockAttempts {
		pid, err := readPID(path)
		if err == nil && pid == last {
			return pid, nil
		}
		last = pid
		time.Sleep(lockPause)
	}
	return 0, errors.New("read lock: the process id does not settle")
}

func readPID(path string) (int, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return 0, fmt.Errorf("read lock: %w", err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(raw)))
	if err != nil || pid <= 1 {
		return 0, fmt.Errorf("read lock: %q is no process id", raw)
	}
	return pid, nil
}
