package chaos

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sampleKills is how many kills `make test` takes.
const sampleKills = 10

// TestKillAtEveryRequest ends a run that creates, updates and prunes with SIGKILL at
// its k-th request. The next run converges: objects and record are those of a run
// that nothing happened to.
func TestKillAtEveryRequest(t *testing.T) {
	w := newWorld(t, startPlane(t, "--without-controllers"), "kill")
	one, two := w.write(t, "one.yaml", before()), w.write(t, "two.yaml", after())
	w.must(t, w.apply(one)...)
	start := w.snapshot(t)
	undisturbed := w.prepare(t, w.apply(two)...)
	require.Zero(t, undisturbed.run(t).code, undisturbed.out.String())
	want := w.snapshot(t)
	require.Equal(t, [2]int{20, 26}, [2]int{len(start.Entries), len(want.Entries)}, "objects of the two versions")

	killed := map[string]int{}
	for _, k := range w.kills(t, undisturbed.agent) {
		w.must(t, w.apply(one)...)
		w.snapshot(t).requireEqual(t, start, "back at the start, before the kill at "+k.String())
		run := w.prepare(t, w.apply(two)...)
		w.fault(t, run.agent, fmt.Sprintf("nth=%d", k.nth), "--kill-pid-file", run.pidFile, "--when", k.when)
		o := run.run(t)
		require.True(t, o.killed || o.code == 0, "at %s: %s", k, o.text)
		killed[fmt.Sprintf("%s, killed %v", k.when, o.killed)]++
		w.recover(t, two)
		w.snapshot(t).requireEqual(t, want, "after the kill at "+k.String())
	}
	t.Logf("kills: %v", killed)
	assert.NotZero(t, killed["before, killed true"]+killed["after, killed true"])
}

// kill is one point at which a run ends.
type kill struct {
	nth  int
	when string
}

func (k kill) String() string { return fmt.Sprintf("request %d, %s it is performed", k.nth, k.when) }

// kills are the points of this test run: all with TAZUNA_TEST_CHAOS, else a sample
// spread over the requests of the undisturbed run. Some lie behind its last request,
// since another run may need more.
func (w *world) kills(t *testing.T, agent string) []kill {
	t.Helper()
	count, err := strconv.Atoi(strings.TrimSpace(w.control(t, "requests", "--user-agent", agent, "--count")))
	require.NoError(t, err)
	var all []kill
	for nth := 1; nth <= count+2; nth++ {
		all = append(all, kill{nth, "before"}, kill{nth, "after"})
	}
	if os.Getenv("TAZUNA_TEST_CHAOS") != "" {
		return all
	}
	var some []kill
	for i := range sampleKills {
		some = append(some, all[(i*2+1)*len(all)/(2*sampleKills)])
	}
	return some
}
