//go:build !unix

package runtime

import (
	"errors"
	"os"
)

// errNoLocks is that this system has no locks that end with a process, as it has no hooks
// that could be run.
var errNoLocks = errors.New("packages are run on Linux and macOS only")

func tryLock(string) (file *os.File, held bool, err error) { return nil, false, errNoLocks }

func waitLock(string) (*os.File, error) { return nil, errNoLocks }
