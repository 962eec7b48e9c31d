package process

import (
	"errors"

	"golang.org/x/sys/unix"
)

// awaitExit waits until the process has ended, and leaves it uncollected. It
// tells whether it could.
func awaitExit(pid int) bool {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return err == nil
		}
	}
}
