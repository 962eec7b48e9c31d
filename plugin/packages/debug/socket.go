package debug

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// longestPath is how long the path of a socket can be everywhere: 104 bytes with a
// zero on macOS, 108 on Linux.
const longestPath = 103

// SocketPath is where the controller of a cluster listens: in the runtime directory
// of the user ($XDG_RUNTIME_DIR), else in one of their own below the temporary one,
// which is /tmp where the path would be too long for a socket.
func SocketPath(getenv func(string) string, clusterUID string) string {
	own := "kubectl-tazuna-" + strconv.Itoa(os.Getuid())
	for _, dir := range []string{runtimeDir(getenv), filepath.Join(os.TempDir(), own)} {
		if path := filepath.Join(dir, clusterUID+".sock"); dir != "" && len(path) <= longestPath {
			return path
		}
	}
	return filepath.Join("/tmp", own, clusterUID+".sock")
}

func runtimeDir(getenv func(string) string) string {
	if dir := getenv("XDG_RUNTIME_DIR"); dir != "" {
		return filepath.Join(dir, "kubectl-tazuna")
	}
	return ""
}

// answerTime bounds how long whoever asks may take to say what.
const answerTime = 10 * time.Second

// Serve answers questions on a socket until the context ends, and takes it away
// then. ready, if it is set, is called once it answers.
func Serve(ctx context.Context, path string, p Provider, ready func()) error {
	listener, err := listen(ctx, path)
	if err != nil {
		return err
	}
	s := &http.Server{Handler: Handler(p), ReadHeaderTimeout: answerTime, IdleTimeout: time.Minute}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(listener) }()
	if ready != nil {
		ready()
	}
	select {
	case err := <-ended:
		return fmt.Errorf("debug socket %s: %w", path, err)
	case <-ctx.Done():
	}
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerTime)
	defer cancel()
	return s.Shutdown(closing) // closes the listener, which removes the socket
}

// listen makes the socket, in the place of one that nobody answers on.
func listen(ctx context.Context, path string) (net.Listener, error) {
	if err := privateDir(filepath.Dir(path)); err != nil {
		return nil, err
	}
	if err := clear(ctx, path); err != nil {
		return nil, err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "unix", path)
	if err != nil {
		return nil, fmt.Errorf("debug socket: %w", err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("debug socket: %w", err), listener.Close())
	}
	return listener, nil
}

// privateDir makes the directory of the socket, mode 0700, or makes sure that nobody
// else can put a socket there.
func privateDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("directory of the debug socket: %w", err)
	}
	return isPrivate(dir)
}

// isPrivate refuses a directory that others can write to: they could put a socket of
// their own in the place of ours. Ours nobody else can open, by its mode.
func isPrivate(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("directory of the debug socket: %w", err)
	}
	if !info.IsDir() || info.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("directory of the debug socket %s: wanted a directory that nobody else can write to, found %s: others could put their socket there", dir, info.Mode())
	}
	return nil
}

// clear removes a stale socket.
func clear(ctx context.Context, path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("debug socket: %w", err)
	case info.Mode().Type() != fs.ModeSocket:
		return fmt.Errorf("debug socket %s: wanted nothing or a socket there, found %s", path, info.Mode())
	}
	conn, err := (&net.Dialer{Timeout: answerTime}).DialContext(ctx, "unix", path)
	if err == nil {
		return errors.Join(fmt.Errorf("debug socket %s: another controller of this cluster answers there", path), conn.Close())
	}
	if !errors.Is(err, syscall.ECONNREFUSED) {
		return fmt.Errorf("debug socket: %w", err)
	}
	if err := os.Remove(path); err != nil {
		return fmt.Errorf("stale debug socket: %w", err)
	}
	return nil
}
