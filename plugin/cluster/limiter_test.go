package cluster

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	clocktesting "k8s.io/utils/clock/testing"
)

func TestLimiterHalvesAndRestores(t *testing.T) {
	clk := clocktesting.NewFakeClock(time.Unix(1000, 0))
	l := NewLimiter(0, clk)
	assert.Equal(t, 16, l.Size())
	assert.Equal(t, 16, l.Window())

	for range 16 {
		l.Throttled()
	}
	assert.Equal(t, 8, l.Window(), "complaints of one moment count once")
	for _, want := range []int{4, 2, 1, 1} {
		clk.Step(time.Second)
		l.Throttled()
		assert.Equal(t, want, l.Window())
	}
	clk.Step(9 * time.Second)
	assert.Equal(t, 1, l.Window())
	clk.Step(time.Second)
	assert.Equal(t, 16, l.Window(), "ten seconds after the last complaint")
	assert.Equal(t, 16, l.Size())
}

func TestLimiterHoldsBack(t *testing.T) {
	l := NewLimiter(3, nil)
	var inFlight atomic.Int32
	var mu sync.Mutex
	var most int32
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			if err := l.Acquire(t.Context()); err != nil {
				t.Error(err)
				return
			}
			defer l.Release()
			now := inFlight.Add(1)
			mu.Lock()
			most = max(most, now)
			mu.Unlock()
			time.Sleep(time.Millisecond)
			inFlight.Add(-1)
		})
	}
	wg.Wait()
	assert.Equal(t, int32(3), most)
}

// When the window shrinks below what is in flight, slots come back one by one;
// when it is restored, all who wait get in.
func TestLimiterWindowChangesUnderWay(t *testing.T) {
	clk := clocktesting.NewFakeClock(time.Unix(1000, 0))
	l := NewLimiter(4, clk)
	for range 4 {
		require.NoError(t, l.Acquire(t.Context()))
	}
	var got atomic.Int32
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if l.Acquire(t.Context()) == nil {
				got.Add(1)
			}
		})
	}
	waiters := func(n int) bool { l.mu.Lock(); defer l.mu.Unlock(); return len(l.waiting) == n }
	require.Eventually(t, func() bool { return waiters(4) }, time.Second, time.Millisecond)
	l.Throttled() // window 2, in flight 4
	l.Release()
	l.Release()
	assert.True(t, waiters(4), "two in flight fill the window")
	l.Release()
	require.Eventually(t, func() bool { return got.Load() == 1 }, time.Second, time.Millisecond)
	clk.Step(10 * time.Second)
	l.Release()
	wg.Wait()
	assert.Equal(t, int32(4), got.Load())
}

func TestLimiterGivesUpWithTheContext(t *testing.T) {
	l := NewLimiter(1, nil)
	require.NoError(t, l.Acquire(t.Context()))
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, l.Acquire(ctx), context.DeadlineExceeded)
	require.ErrorIs(t, l.Acquire(ctx), context.DeadlineExceeded, "not even a free slot after the end")
	l.Release()
	require.NoError(t, l.Acquire(t.Context()), "who gave up holds nothing")
}

// A slot that is granted in the very moment of giving up goes to the next.
func TestLimiterAbandonedTurn(t *testing.T) {
	l := NewLimiter(1, nil)
	require.NoError(t, l.Acquire(t.Context()))
	turn := make(chan struct{})
	l.waiting = append(l.waiting, turn)
	l.Release()
	l.abandon(turn)
	assert.Zero(t, l.inFlight)
}
