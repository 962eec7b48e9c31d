package main

import (
	"context"
	"os"
	"os/exec"
	"syscall"
)

// inside starts the entry point with the image as its file system and as its user, for
// which one has to be root.
func inside(ctx context.Context, root string, args ...string) (*exec.Cmd, string) {
	if os.Geteuid() != 0 {
		return onThisMachine(ctx, root, args...)
	}
	cmd := exec.CommandContext(ctx, entry, args...)
	cmd.Dir, cmd.Env = "/", []string{"HOME=/home/nonroot"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: root, Credential: &syscall.Credential{Uid: 65532, Gid: 65532}}
	return cmd, "in the image's own file system, as its user"
}
