package chaos

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRandomFaults goes back and forth between the two versions while the server
// does what it likes, for as long as TAZUNA_TEST_CHAOS says. After every round an
// undisturbed run has to converge. What happened is counted and printed.
func TestRandomFaults(t *testing.T) {
	text := os.Getenv("TAZUNA_TEST_CHAOS")
	if text == "" {
		t.Skip("TAZUNA_TEST_CHAOS is not set: `make chaos` sets it")
	}
	duration, err := time.ParseDuration(text)
	require.NoError(t, err)
	seed := seedOf(t)
	r := rand.New(rand.NewPCG(seed, 0))
	w := newWorld(t, startPlane(t, "--without-controllers"), "random")
	files := []string{w.write(t, "one.yaml", before()), w.write(t, "two.yaml", after())}
	w.must(t, w.apply(files[1])...)
	two := w.snapshot(t)
	w.must(t, w.apply(files[0])...)
	want := []snapshot{w.snapshot(t), two}

	counters := map[string]int{}
	for until := time.Now().Add(duration); time.Now().Before(until); counters["rounds"]++ {
		to := 1 - counters["rounds"]%2
		run := w.prepare(t, w.apply(files[to], "--timeout", "20s")...)
		for range 1 + r.IntN(3) {
			name, match, action := anyFault(r, run.pidFile)
			counters["fault: "+name]++
			w.fault(t, run.agent, match, action...)
		}
		o := run.run(t)
		counters[endOf(o)]++
		w.calm(t)
		w.recover(t, files[to])
		w.snapshot(t).requireEqual(t, want[to], fmt.Sprintf("round %d from seed %d, after %s:\n%s", counters["rounds"], seed, endOf(o), o.text))
	}
	for _, name := range slices.Sorted(maps.Keys(counters)) {
		t.Logf("%6d  %s", counters[name], name)
	}
	assert.NotZero(t, counters["rounds"])
}

// seedOf is TAZUNA_TEST_SEED, or the time; it is printed.
func seedOf(t *testing.T) uint64 {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	if text := os.Getenv("TAZUNA_TEST_SEED"); text != "" {
		var err error
		seed, err = strconv.ParseUint(text, 10, 64)
		require.NoError(t, err)
	}
	t.Logf("TAZUNA_TEST_SEED=%d", seed)
	return seed
}

func endOf(o outcome) string {
	if o.killed {
		return "end: killed"
	}
	return fmt.Sprintf("end: exit code %d", o.code)
}

// anyFault picks a rule for the requests of one run.
func anyFault(r *rand.Rand, pidFile string) (name, match string, action []string) {
	match = fmt.Sprintf("nth=%d", 1+r.IntN(90))
	times := strconv.Itoa(1 + r.IntN(6))
	if r.IntN(3) == 0 {
		match = fmt.Sprintf("writes=true,nth=%d", 1+r.IntN(40))
	}
	faults := [][]string{
		{"conflict", "--status", "409", "--times", times},
		{"too many requests", "--status", "429", "--retry-after", "1", "--times", times},
		{"internal error", "--status", "500", "--times", times},
		{"leader change", "--status", "500", "--message", "etcdserver: leader changed", "--times", times},
		{"bad gateway", "--status", "502", "--times", times},
		{"unavailable", "--status", "503", "--times", times},
		{"unauthorized", "--status", "401", "--times", "100000"},
		{"forbidden", "--status", "403", "--times", times},
		{"not found", "--status", "404", "--times", "1"},
		{"cut before", "--cut", "--times", times},
		{"cut after", "--cut-after", "--times", times},
		{"cut later", "--cut-in", "50ms", "--times", times},
		{"delay", "--delay", "300ms", "--times", times},
		{"kill before", "--kill-pid-file", pidFile, "--when", "before"},
		{"kill after", "--kill-pid-file", pidFile, "--when", "after"},
	}
	chosen := faults[r.IntN(len(faults))]
	return chosen[0], strings.TrimPrefix(match, ","), chosen[1:]
}
