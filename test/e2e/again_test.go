package e2e

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/assert"
)

// again is what the harness asserts of every script by itself: after its last
// successful apply, and its last destroy, the same again has nothing to do and writes
// nothing. Only the last one, since each run costs a quarter of a second.
type again struct {
	// applies is how many successful applies the script's lines name, done how many
	// there were so far.
	applies, done int
	// destroys and destroyed are the same of destroy.
	destroys, destroyed int
	// variables are the names that the script may have given a value.
	variables []string
	// exempt says why the second run of the last apply may write; empty otherwise.
	exempt string
}

var (
	destroyLine = regexp.MustCompile(`^(\[[^]]*\]\s*)*(kubectl )?tazuna destroy\b`)

	applyLine = regexp.MustCompile(`^(\[[^]]*\]\s*)*(apply-twice|(kubectl )?tazuna (apply|state sync))\b`)
	envLine   = regexp.MustCompile(`^(\[[^]]*\]\s*)*env\s+(.*)`)
)

// readAgain looks through the lines of a script, before it runs.
func readAgain(script string, known []string) again {
	var a again
	for _, v := range known {
		name, _, _ := strings.Cut(v, "=")
		a.variables = append(a.variables, name)
	}
	commands, _, _ := strings.Cut(script, "\n-- ")
	for line := range strings.Lines(commands) {
		line = strings.TrimSpace(line)
		if applyLine.MatchString(line) && !strings.Contains(line, "--dry-run") {
			a.applies++
		}
		if destroyLine.MatchString(line) && !strings.Contains(line, "--dry-run") {
			a.destroys++
		}
		if m := envLine.FindStringSubmatch(line); m != nil {
			for _, word := range strings.Fields(m[2]) {
				if name, _, ok := strings.Cut(word, "="); ok {
					a.variables = append(a.variables, name)
				}
			}
		}
	}
	return a
}

// prepareAgain reads the script that is about to run.
func (run *script) prepareAgain(env *testscript.Env) error {
	name := strings.TrimPrefix(filepath.Base(env.WorkDir), "script-")
	text, err := os.ReadFile(filepath.Join("testdata", "script", name+".txtar"))
	if err != nil {
		return err
	}
	run.again = readAgain(string(text), env.Vars)
	env.Defer(func() {
		// A script that was skipped, or failed at its first apply, has done none.
		if a := run.again; a.done > 0 && a.done < a.applies || a.destroyed > 0 && a.destroyed < a.destroys {
			run.unasked.add(name)
		}
	})
	return nil
}

// unasked are the scripts of which the last apply was not made again, because it was
// not reached: they failed, or the harness counts their lines wrongly.
type unasked struct {
	mu    sync.Mutex
	names []string
}

func (u *unasked) add(name string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.names = append(u.names, name)
}

// applied is called after each success of our program.
func (run *script) applied(ts *testscript.TestScript, args []string) {
	switch {
	case isDestroy(args):
		if run.again.destroyed++; run.again.destroyed != run.again.destroys {
			return
		}
	case isApply(args):
		if run.again.done++; run.again.done != run.again.applies || run.again.exempt != "" {
			return
		}
	default:
		return
	}
	if slices.Contains(args, "-") || slices.Contains(args, "--always-write") { // "-" is the script's stdin
		return
	}
	run.askAgain(ts, args)
}

// askAgain makes a run once more and looks that it writes nothing.
func (run *script) askAgain(ts *testscript.TestScript, args []string) {
	agent := fmt.Sprintf("kubectl-tazuna/e2e-%s-again.", run.id)
	out, err := run.beside(ts, agent, args)
	if err != nil {
		ts.Fatalf("the same %s again, as the harness does after the last one: %v\n%s", args[0], err, out)
	}
	if len(run.requests(ts, agent)) == 0 {
		ts.Fatalf("no request of the second run was seen at all")
	}
	if written := run.requests(ts, agent, "--writes"); len(written) > 0 {
		ts.Fatalf("the same %s again made %d write requests (an apply that has to: writes-again REASON):\n%s\n%s",
			args[0], len(written), strings.Join(written, "\n"), out)
	}
}

// isDestroy tells the runs that delete all.
func isDestroy(args []string) bool { return len(args) > 0 && args[0] == "destroy" && !isDryRun(args) }

func isDryRun(args []string) bool {
	return slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "--dry-run") })
}

// isApply tells the runs that may write.
func isApply(args []string) bool {
	if isDryRun(args) {
		return false
	}
	return len(args) > 0 && args[0] == "apply" || len(args) > 1 && args[0] == "state" && args[1] == "sync"
}

// beside runs our program without leaving a trace in what the script sees.
func (run *script) beside(ts *testscript.TestScript, agent string, args []string) (string, error) {
	cmd := exec.Command(filepath.Join(run.bin, "kubectl-tazuna"), append(slices.Clone(args), "--yes")...)
	cmd.Dir = ts.MkAbs(".")
	for _, name := range run.again.variables {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	cmd.Env = append(cmd.Env, "TAZUNA_TEST_USER_AGENT="+agent)
	out, err := cmd.CombinedOutput()
	var exited *exec.ExitError
	if errors.As(err, &exited) {
		err = fmt.Errorf("exit code %d", exited.ExitCode())
	}
	return string(out), err
}

// cmdWritesAgain takes the last apply of a script out, with a reason for the reader.
func cmdWritesAgain(ts *testscript.TestScript, neg bool, args []string) {
	reason := strings.TrimSpace(strings.Join(args, " "))
	if neg || reason == "" {
		ts.Fatalf("usage: writes-again REASON")
	}
	of(ts).again.exempt = reason
}

func TestReadAgain(t *testing.T) {
	script := strings.Join([]string{
		"# tazuna apply in a comment",
		"tazuna apply --yes -f a.yaml",
		"env NO_COLOR=1 B=2",
		"! tazuna apply -f b.yaml",
		"tazuna apply --dry-run=server -f b.yaml",
		"[unix] env C=3",
		"[unix] tazuna state sync --yes",
		"kubectl tazuna apply -y -f a.yaml",
		"tazuna diff -f a.yaml",
		"apply-twice -f a.yaml",
		"! tazuna destroy --yes",
		"tazuna destroy --yes --dry-run=client",
		"tazuna destroy --yes",
		"-- a.yaml --",
		"tazuna apply",
	}, "\n")
	got := readAgain(script, []string{"HOME=/x", "PATH=/y"})
	assert.Equal(t, 4, got.applies)
	assert.Equal(t, 1, got.destroys)
	assert.Equal(t, []string{"HOME", "PATH", "NO_COLOR", "B", "C"}, got.variables)
}
