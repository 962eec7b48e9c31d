package printers

import (
	"bytes"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestProgressGolden(t *testing.T) {
	web := "Deployment.apps shop/web"
	events := []Event{
		{Kind: "create", Ref: "Namespace shop"},
		{Kind: "update", Ref: web},
		{Kind: "wait", Ref: web, Message: "0 of 2 replicas are ready"},
		{Kind: "wait", Ref: web, Message: "0 of 2 replicas are ready"},
		{Kind: "wait", Ref: "Job.batch shop/migrate", Message: "not finished"},
		{Kind: "wait", Ref: web, Message: "1 of 2 replicas are ready"},
		{Kind: "wait", Ref: web, Message: "0 of 2 replicas are ready"},
		{Kind: "ready", Ref: web},
		{Kind: "failed", Ref: "Job.batch shop/migrate", Message: "container m exited with 1:\nline one\nline two"},
		{Kind: "refused", Ref: "Service shop/web", Message: `"operator" owns .spec.type`},
		{Kind: "deleted", Ref: "ConfigMap shop/old"},
		{Kind: "warning", Message: "the server throttles requests"},
		{Kind: "done", Message: "2 created"},
	}
	for name, colors := range map[string]bool{"progress": false, "progress-color": true} {
		var out bytes.Buffer
		p := NewProgress(&out, colors)
		for i, e := range events {
			e.Time = testNow.Add(time.Duration(i) * 1300 * time.Millisecond)
			require.NoError(t, p.Print(e))
		}
		golden(t, name, out.Bytes())
	}
}

func TestProgressTellsChangesOnly(t *testing.T) {
	var out bytes.Buffer
	p := NewProgress(&out, false)
	for range 100 {
		require.NoError(t, p.Print(Event{Kind: "wait", Ref: "a", Message: "same"}))
		require.NoError(t, p.Print(Event{Kind: "wait", Ref: "b", Message: "same"}))
	}
	require.Equal(t, 2, strings.Count(out.String(), "\n"))
}

func TestProgressIsSafeForConcurrentUse(t *testing.T) {
	var out bytes.Buffer
	p := NewProgress(&out, false)
	var group sync.WaitGroup
	for i := range 20 {
		group.Go(func() { _ = p.Print(Event{Kind: "create", Ref: strings.Repeat("x", i+1)}) })
	}
	group.Wait()
	require.Equal(t, 20, strings.Count(out.String(), "\n"))
}

func TestProgressReturnsTheWritersError(t *testing.T) {
	require.ErrorIs(t, NewProgress(brokenWriter{os.ErrClosed}, false).Print(Event{Kind: "done"}), os.ErrClosed)
}
