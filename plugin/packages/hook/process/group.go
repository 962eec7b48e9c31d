//go:build linux || darwin

package process

import (
	"errors"
	"os"
	"syscall"
	"time"
)

// groupEnd bounds the wait for killed orphans to be collected. A process can stay
// longer only in an uninterruptible system call.
const groupEnd = time.Second

// reap waits until the leader has ended, kills what is left of its group, and
// collects everything of it that is a child of ours. nil means that the state of
// the leader could not be had.
//
// The number of the group can't be given to anybody else meanwhile: the leader
// is collected only after the kill where the system can tell that it has ended
// (Linux); elsewhere the kill follows at once.
func reap(leader *os.Process) *os.ProcessState {
	if awaitExit(leader.Pid) {
		signalGroup(leader.Pid, syscall.SIGKILL)
	}
	state, err := leader.Wait()
	signalGroup(leader.Pid, syscall.SIGKILL)
	collectOrphans(leader.Pid)
	if err != nil {
		return nil
	}
	return state
}

// signalGroup sends a signal to every member. That none is left is no error.
func signalGroup(group int, signal syscall.Signal) {
	_ = syscall.Kill(-group, signal)
}

// collectOrphans collects the members of a killed group that became children of
// ours, which happens where we are process 1. Anywhere else there are none, and
// another process collects them.
func collectOrphans(group int) {
	for deadline := time.Now().Add(groupEnd); time.Now().Before(deadline); {
		pid, err := syscall.Wait4(-group, nil, syscall.WNOHANG, nil)
		switch {
		case errors.Is(err, syscall.EINTR), pid > 0:
		case err != nil:
			return // ECHILD: none is ours
		default:
			time.Sleep(time.Millisecond)
		}
	}
}
