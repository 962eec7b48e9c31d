package journal

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLinesAreKeptApart(t *testing.T) {
	var out bytes.Buffer
	j := New(Limits{})
	log := slog.New(j.Handler(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelWarn})))
	log.Info("release", "application", "demo.shop", "revision", 2, "why", "it is new")
	log.With("application", "demo.shop", "hook", "hooks/a.sh").Info("hook output", "line", "x")
	log.Error("task failed", "queue", "demo.blog/main/sync", "task", "Run", slog.Group("at", "n", 1))
	log.WithGroup("g").Warn("no application here", "application", "demo.shop")
	log.Debug("not kept", "application", "demo.shop")
	log.Warn("of nobody")

	shop := j.Read("demo.shop", Query{})
	require.Len(t, shop.Lines, 2)
	assert.True(t, shop.Known)
	assert.False(t, shop.Missed)
	assert.Equal(t, "release", shop.Lines[0].Message)
	assert.Equal(t, []Field{{"revision", "2"}, {"why", "it is new"}}, shop.Lines[0].Fields)
	assert.Equal(t, []Field{{"hook", "hooks/a.sh"}, {"line", "x"}}, shop.Lines[1].Fields)
	blog := j.Read("demo.blog", Query{})
	require.Len(t, blog.Lines, 1)
	assert.Equal(t, slog.LevelError, blog.Lines[0].Level)
	assert.Equal(t, []Field{{"queue", "demo.blog/main/sync"}, {"task", "Run"}, {"at.n", "1"}}, blog.Lines[0].Fields)
	assert.Equal(t, Page{Next: 3}, j.Read("demo.none", Query{}))

	// The log itself is what it was without a journal.
	assert.NotContains(t, out.String(), "revision")
	assert.Contains(t, out.String(), "queue=demo.blog/main/sync task=Run at.n=1")
	assert.Contains(t, out.String(), "g.application=demo.shop")
	assert.Contains(t, out.String(), "of nobody")
}

func TestQueries(t *testing.T) {
	j := New(Limits{})
	h := j.Handler(slog.DiscardHandler)
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for i := range 5 {
		r := slog.NewRecord(at.Add(time.Duration(i)*time.Minute), slog.LevelInfo, fmt.Sprint(i), 0)
		r.Add("application", "a.b")
		require.NoError(t, h.Handle(t.Context(), r))
	}
	texts := func(p Page) string {
		var all []string
		for _, l := range p.Lines {
			all = append(all, l.Message)
		}
		return strings.Join(all, " ")
	}
	assert.Equal(t, "0 1 2 3 4", texts(j.Read("a.b", Query{})))
	assert.Equal(t, "3 4", texts(j.Read("a.b", Query{Last: 2})))
	assert.Equal(t, "2 3 4", texts(j.Read("a.b", Query{Since: at.Add(2 * time.Minute)})))
	assert.Equal(t, "3 4", texts(j.Read("a.b", Query{After: 3})))
	assert.Empty(t, texts(j.Read("a.b", Query{After: 5})))
}

func TestWhatIsKeptIsBounded(t *testing.T) {
	j := New(Limits{Lines: 3, Bytes: 10000, Applications: 2})
	log := slog.New(j.Handler(slog.DiscardHandler))
	say := func(name, text string) { log.Info(text, "application", name) }
	for i := range 5 {
		say("a.a", fmt.Sprint(i))
	}
	page := j.Read("a.a", Query{})
	assert.Len(t, page.Lines, 3)
	assert.True(t, page.Missed)
	assert.True(t, j.Read("a.a", Query{After: 1}).Missed, "the second went")
	assert.False(t, j.Read("a.a", Query{After: 2}).Missed)

	say("a.a", strings.Repeat("ä", 20000))
	page = j.Read("a.a", Query{})
	assert.Len(t, page.Lines[len(page.Lines)-1].Message, longestValue+len("…"), "cut between two characters")
	say("a.a", strings.Repeat("y", 9000))
	assert.Len(t, j.Read("a.a", Query{}).Lines, 1, "by their bytes")

	say("b.b", "x")
	say("c.c", "x")
	assert.False(t, j.Read("a.a", Query{}).Known, "of it nothing was heard for the longest time")
	assert.True(t, j.Read("b.b", Query{}).Known)
}

func TestFollow(t *testing.T) {
	j := New(Limits{})
	log := slog.New(j.Handler(slog.DiscardHandler))
	log.Info("one", "application", "a.b")
	first := j.Follow(t.Context(), "a.b", Query{})
	require.Len(t, first.Lines, 1)
	got := make(chan Page)
	go func() { got <- j.Follow(t.Context(), "a.b", Query{After: first.Next}) }()
	log.Info("of another", "application", "c.d")
	log.Info("two", "application", "a.b")
	page := <-got
	require.Len(t, page.Lines, 1)
	assert.Equal(t, "two", page.Lines[0].Message)

	ended, cancel := context.WithCancel(t.Context())
	cancel()
	assert.Empty(t, j.Follow(ended, "a.b", Query{After: page.Next}).Lines)
}

func TestManyAtOnce(t *testing.T) {
	j := New(Limits{Lines: 10, Bytes: 1 << 20, Applications: 5})
	log := slog.New(j.Handler(slog.DiscardHandler))
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for range 100 {
				log.Info("x", "application", fmt.Sprintf("a.%d", i))
				j.Read("a.0", Query{})
			}
		})
	}
	all.Wait()
	assert.Equal(t, uint64(800), j.Read("a.0", Query{}).Next)
}
