//go:build unix

package runtime

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

const lockMode = 0o600

// tryLock locks a file, which is made if need be, unless another process has. Closing it
// gives the lock back, as does the end of the process; programs that it starts don't get
// it.
func tryLock(path string) (file *os.File, held bool, err error) {
	file, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, lockMode)
	if err != nil {
		return nil, false, err
	}
	err = unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if err == nil {
		return file, true, nil
	}
	if errors.Is(err, unix.EWOULDBLOCK) {
		return nil, false, file.Close()
	}
	return nil, false, errors.Join(err, file.Close())
}

// waitLock locks a file once nobody else does.
func waitLock(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, lockMode)
	if err != nil {
		return nil, err
	}
	for {
		err = unix.Flock(int(file.Fd()), unix.LOCK_EX)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}
