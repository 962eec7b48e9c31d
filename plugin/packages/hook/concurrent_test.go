//go:build linux || darwin

package hook

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/binding"
)

// Runs of one instance overlap: each has its own files, and ends by itself.
func TestRunsSideBySide(t *testing.T) {
	r := runner(t)
	h := one(t, startup, `
n=$(tr -dc 0-9 < "$VALUES_PATH")
echo "[{\"op\":\"add\",\"path\":\"/seen\",\"value\":$n}]" > "$VALUES_JSON_PATCH_PATH"
echo "run $n"
sleep 0.05
[ "$n" != 7 ] || { echo "seven is refused" >&2; exit 1; }`)
	var runs sync.WaitGroup
	for i := range 16 {
		runs.Go(func() {
			result, err := r.Run(t.Context(), Request{
				Hook: h, Triggers: []Trigger{Stage(binding.OnStartup)}, Values: map[string]any{"n": int64(i)},
			})
			assert.Equal(t, fmt.Sprintf("run %d\n", i), result.Stdout)
			if i == 7 {
				assert.ErrorContains(t, err, "seven is refused")
				return
			}
			if assert.NoError(t, err) {
				assert.Equal(t, int64(i), result.Patch.Steps[0].Value)
			}
		})
	}
	runs.Wait()
	assertEmptyDir(t, r.TempDir)
}

// Of several runs that wait for nothing, the one whose context ends ends alone.
func TestCancelOneOfMany(t *testing.T) {
	r := runner(t)
	h := one(t, startup, `while [ ! -e "$OUT/go" ]; do sleep 0.02; done; echo done`)
	out := t.TempDir()
	r.Env = append(r.Env, "OUT="+out)
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("this one only")
	results := make(chan error, 3)
	begin := func(ctx context.Context) {
		_, err := r.Run(ctx, Request{Hook: h, Triggers: []Trigger{Stage(binding.OnStartup)}})
		results <- err
	}
	go begin(t.Context())
	go begin(t.Context())
	go begin(ctx)
	for len(r.Running()) < 3 {
		time.Sleep(time.Millisecond)
	}
	cancel(cause)
	assert.ErrorIs(t, <-results, cause)
	assert.Len(t, r.Running(), 2)
	_, err := start(t, r, one(t, startup, `touch "$OUT/go"`))
	assert.NoError(t, err)
	assert.NoError(t, <-results)
	assert.NoError(t, <-results)
}

// What a hook prints is never taken for an error text without bounds.
func TestErrorTextsAreBounded(t *testing.T) {
	_, err := start(t, runner(t), one(t, startup, `i=0; while [ $i -lt 3000 ]; do echo "line $i of a very long story" >&2; i=$((i+1)); done; exit 1`))
	assert.ErrorContains(t, err, "line 2999 of a very long story")
	assert.Less(t, len(err.Error()), 4000)
	assert.Equal(t, stderrLines, strings.Count(err.Error(), "\n"))
	_, err = start(t, runner(t), one(t, startup, `head -c 100000 /dev/zero | tr '\0' x >&2; exit 1`))
	assert.Less(t, len(err.Error()), 4000)
}
