package apply

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Whoever interrupts a run whose server is gone is not kept for a minute, and is
// told what became of everything.
func TestARecordThatCannotBeSaved(t *testing.T) {
	for name, c := range map[string]struct {
		interruptAfter time.Duration // 0: before the first object
		want           time.Duration
		counts         Counts
		verdict        Verdict
		message        string
	}{
		"after an interrupt": {
			want: interruptedSaveTimeout, counts: Counts{Left: 2}, verdict: VerdictInterrupted,
			message: "save the record of manifest m: the server did not take it within 10s",
		},
		"interrupted while it is saved": {
			interruptAfter: 20 * time.Second, want: 20*time.Second + interruptedSaveTimeout, counts: Counts{Created: 2}, verdict: VerdictFailed,
			message: "save the record of manifest m: the server did not take it within 10s",
		},
		"interrupted shortly before the end of patience": {
			interruptAfter: saveTimeout - time.Second, want: saveTimeout, counts: Counts{Created: 2}, verdict: VerdictFailed,
			message: "save the record of manifest m: the server did not take it within 1m0s",
		},
		"without an interrupt": {
			interruptAfter: time.Hour, want: saveTimeout, counts: Counts{Created: 2}, verdict: VerdictFailed,
			message: "save the record of manifest m: the server did not take it within 1m0s",
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHarness(t)
				h.session.hangs = true
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if c.interruptAfter == 0 {
					cancel()
				}
				defer time.AfterFunc(c.interruptAfter, cancel).Stop()
				begun := time.Now()
				r, err := h.try(ctx, creates(t, twoConfigMaps)...)
				require.EqualError(t, err, c.message)
				var unsaved *UnsavedError
				require.ErrorAs(t, err, &unsaved)
				assert.Equal(t, []string{"m"}, r.Unsaved)
				assert.Equal(t, c.want, time.Since(begun))
				assert.Equal(t, c.counts, r.Counts)
				last := h.events[len(h.events)-1]
				assert.Equal(t, c.verdict, last.Verdict)
				assert.Equal(t, c.message, last.Reason)
			})
		})
	}
}

// A run that could not announce what it would write has written nothing, and has
// nothing to save.
func TestNothingIsUnsavedOfARunThatDidNotBegin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		h.session.failing = errors.New("no space left")
		r, err := h.try(t.Context(), creates(t, twoConfigMaps)...)
		require.Error(t, err)
		assert.Empty(t, r.Unsaved)
		assert.Equal(t, Counts{Left: 2}, r.Counts)
		assert.Empty(t, h.cluster.calls)
	})
}
