package cluster

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// One HTTP/2 connection carries all sixteen requests in flight, so a cut hits
// them all, some before and some after the server did its work.
func TestLiveCutConnections(t *testing.T) {
	t.Parallel()
	agent := fmt.Sprintf("cut-%x", time.Now().UnixNano())
	c := live(t, func(o *Options) { o.UserAgent = agent })
	ns := namespace(t, c)
	for nth, action := range map[int][]string{
		9:  {"--cut"},
		30: {"--cut-after"},
		51: {"--cut-after"},
		77: {"--status", "429", "--retry-after", "1"},
	} {
		match := fmt.Sprintf("user-agent=%s,writes=true,nth=%d", agent, nth)
		controlplane(t, append([]string{"fault", "--match", match}, action...)...)
	}
	var wg sync.WaitGroup
	for i := range 100 {
		require.NoError(t, c.Limiter().Acquire(t.Context()))
		wg.Go(func() {
			defer c.Limiter().Release()
			body := in(ns, configMap(fmt.Sprintf("many-%d", i), map[string]any{"i": fmt.Sprint(i)}))
			var err error
			if i%2 == 0 {
				_, err = c.Apply(t.Context(), configMaps, body, ApplyOptions{})
			} else {
				_, err = c.Create(t.Context(), configMaps, body, WriteOptions{})
			}
			assert.NoError(t, err)
		})
	}
	wg.Wait()
	all, err := c.List(t.Context(), configMaps, ListOptions{Namespace: ns, FieldSelector: "metadata.name!=kube-root-ca.crt", MetadataOnly: true})
	require.NoError(t, err)
	assert.Len(t, all, 100)
	assert.Less(t, c.Limiter().Window(), c.Limiter().Size(), "the 429 narrows the window")
}

// controlplane runs a command of the control plane under test. Rules with nth
// fire once and are left to it: other tests have rules of their own.
func controlplane(t *testing.T, args ...string) {
	t.Helper()
	dir, bin := os.Getenv("TAZUNA_TEST_CONTROLPLANE"), os.Getenv("TAZUNA_TEST_BIN")
	if dir == "" || bin == "" {
		t.Skip("TAZUNA_TEST_CONTROLPLANE and TAZUNA_TEST_BIN name no control plane of ours")
	}
	args = append([]string{args[0], "--dir", dir}, args[1:]...)
	out, err := exec.CommandContext(t.Context(), filepath.Join(bin, "controlplane"), args...).CombinedOutput()
	require.NoError(t, err, string(out))
}
