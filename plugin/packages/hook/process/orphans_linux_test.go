package process

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// In a container this program is process 1: what a hook leaves behind becomes its
// child, and nobody else would collect it.
func TestOrphansAreCollectedWhereTheyBecomeOurs(t *testing.T) {
	require.NoError(t, unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))
	defer func() { require.NoError(t, unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)) }()
	other := shell(t, `sleep 0.2; exit 3`)
	done := make(chan error, 1)
	go func() {
		_, err := Run(t.Context(), other)
		done <- err
	}()
	for range 5 {
		_, err := Run(t.Context(), shell(t, `sleep 60 & sleep 60 & exit 0`))
		require.NoError(t, err)
	}
	var exit *ExitError
	require.ErrorAs(t, <-done, &exit, "a child of somebody else is left to him")
	assert.Equal(t, 3, exit.Code)
	_, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
	assert.ErrorIs(t, err, syscall.ECHILD)
}
