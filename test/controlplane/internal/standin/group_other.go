//go:build !linux

package standin

import "syscall"

// ownGroup puts a process into a group of its own. Only Linux can also end it
// when this process is killed.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}
