package standin

import "syscall"

// ownGroup puts a process into a group of its own and lets the kernel end it
// when this process is killed.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
