package process

import "syscall"

// attributes make a program the leader of a group. The system can't end it with us.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
