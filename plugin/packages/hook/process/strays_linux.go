package process

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

const (
	// strayLooks bounds how often is looked for processes that were started meanwhile.
	strayLooks = 20
	strayGap   = 5 * time.Millisecond
)

// EndStrays kills what programs of a process that is gone have left running: each process
// of this user in whose environment a variable has a path below a directory, which is a
// directory of that process alone. It returns how many there were. What has changed its
// environment isn't found.
func EndStrays(dir string) (ended int, err error) {
	seen := map[int]bool{}
	for range strayLooks { // one may start another before it is killed
		strays, err := straysOf(dir)
		if err != nil || len(strays) == 0 {
			return len(seen), err
		}
		var faults []error
		for _, pid := range strays {
			seen[pid] = true
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
				faults = append(faults, fmt.Errorf("kill process %d, which a hook has left: %w", pid, err))
			}
		}
		if err := errors.Join(faults...); err != nil {
			return len(seen), err
		}
		time.Sleep(strayGap)
	}
	return len(seen), fmt.Errorf("processes that hooks have left below %s start others as fast as they are killed", dir)
}

// straysOf lists them. A process that has ended and waits to be collected has no
// environment any more.
func straysOf(dir string) ([]int, error) {
	all, err := os.ReadDir("/proc")
	if err != nil {
		return nil, fmt.Errorf("look for processes that hooks have left: %w", err)
	}
	marker := []byte("=" + filepath.Clean(dir) + "/")
	var strays []int
	for _, entry := range all {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		environ, err := os.ReadFile(filepath.Join("/proc", entry.Name(), "environ"))
		if err == nil && bytes.Contains(environ, marker) { // else it is gone, or somebody else's
			strays = append(strays, pid)
		}
	}
	return strays, nil
}
