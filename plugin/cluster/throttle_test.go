package cluster

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestServersFlowControlTurnsOursOff(t *testing.T) {
	server := play(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Kubernetes-PF-FlowSchema-UID", "some-uid")
		answer(200, okConfigMap)(w, r)
	}, answer(200, okConfigMap))
	c := connectTo(t, server)
	for range 3 {
		_, err := c.Get(t.Context(), configMaps, "default", "a")
		require.NoError(t, err)
	}
	assert.True(t, c.throttle.off.Load(), "decided by the first answer")
	assert.Equal(t, 3, server.count(), "without a request of its own")
}

func TestThrottleWithoutFlowControl(t *testing.T) {
	th := newThrottle()
	start := time.Now()
	for range 300 {
		require.NoError(t, th.wait(t.Context()))
	}
	assert.Less(t, time.Since(start), 5*time.Second, "the burst")
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	var err error
	for range 100 {
		if err = th.wait(ctx); err != nil {
			break
		}
	}
	require.Error(t, err, "fifty a second after it")

	th.observe(http.Header{})
	assert.False(t, th.off.Load())
	th.observe(http.Header{flowSchemaHeader: {"uid"}})
	for range 1000 {
		require.NoError(t, th.wait(t.Context()))
	}
	cancel()
	require.Error(t, th.wait(ctx))
}
