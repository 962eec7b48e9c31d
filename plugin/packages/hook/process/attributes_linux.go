package process

import "syscall"

// attributes make a program the leader of a group, and have the kernel kill it when the
// thread that started it ends, which is not before the program has unless this process is
// killed.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
