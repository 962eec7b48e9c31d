package e2e

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sync/errgroup"
)

// prompt begins a line of a transcript that says what was run.
const prompt = "$ kubectl tazuna "

// transcriptPatience is how long the commands of a transcript are asked again until they
// answer as it is written down: what a controller is at takes its time.
const transcriptPatience = 90 * time.Second

// cmdTranscript runs what a terminal log says was run, and holds what is printed
// against it: standard output, then standard error, then the exit code where it isn't
// 0. What differs from run to run is made the same (see steady).
//
// With TAZUNA_TEST_UPDATE=1 what is printed is written into the script.
func cmdTranscript(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: transcript FILE")
	}
	run := of(ts)
	update := os.Getenv("TAZUNA_TEST_UPDATE") == "1"
	all := sections(ts.ReadFile(args[0]))
	got := make([]string, len(all))
	deadline := time.Now().Add(transcriptPatience)
	var waits errgroup.Group
	waits.SetLimit(transcriptsAtOnce)
	for i, s := range all {
		waits.Go(func() (err error) {
			if update {
				got[i], err = run.settled(ts, s.command)
			} else {
				got[i], err = run.answers(ts, s, deadline)
			}
			return err
		})
	}
	ts.Check(waits.Wait())
	var now strings.Builder
	for i, s := range all {
		if !update && got[i] != s.body {
			ts.Fatalf("%s%s\nprinted\n%s\nwanted\n%s", prompt, s.command, got[i], s.body)
		}
		fmt.Fprintf(&now, "%s%s\n%s", prompt, s.command, got[i])
	}
	if update {
		ts.Check(run.rewrite(ts.Name(), args[0], now.String()))
	}
}

// transcriptsAtOnce is how many commands of a transcript are waited for at a time.
const transcriptsAtOnce = 3

// section is one command of a transcript with what it printed.
type section struct{ command, body string }

func sections(text string) []section {
	var all []section
	for line := range strings.Lines(text) {
		if command, ok := strings.CutPrefix(line, prompt); ok {
			all = append(all, section{command: strings.TrimSpace(command)})
		} else if len(all) > 0 {
			all[len(all)-1].body += line
		}
	}
	return all
}

// answers asks until the answer is as wanted, and gives the last one.
func (run *script) answers(ts *testscript.TestScript, s section, deadline time.Time) (last string, err error) {
	for ; ; time.Sleep(waitPause) {
		last, err = run.asked(ts, s.command)
		if err != nil || last == s.body || time.Now().After(deadline) {
			return last, err
		}
	}
}

// settled asks until the answer is the same twice.
func (run *script) settled(ts *testscript.TestScript, command string) (last string, err error) {
	for range 20 {
		next, err := run.asked(ts, command)
		if err != nil || next == last {
			return next, err
		}
		last = next
		time.Sleep(waitPause)
	}
	return last, nil
}

// asked runs a command of a transcript.
func (run *script) asked(ts *testscript.TestScript, command string) (string, error) {
	var stdout, stderr bytes.Buffer
	// The words of a transcript have no blanks.
	c := exec.Command(filepath.Join(run.bin, "kubectl-tazuna"), strings.Fields(os.Expand(command, ts.Getenv))...)
	c.Dir = ts.MkAbs(".")
	c.Env = append(os.Environ(), "HOME="+ts.Getenv("HOME"), "KUBECONFIG="+ts.Getenv("KUBECONFIG"))
	c.Stdout, c.Stderr = &stdout, &stderr
	code, err := exitCode(c.Run())
	if err != nil {
		return "", err
	}
	text := steady(stdout.String()+stderr.String(), ts.MkAbs("."), ts.Getenv("REGISTRY"))
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	if code != 0 {
		text += fmt.Sprintf("[exit code %d]\n", code)
	}
	return text, nil
}

// unsteady are the parts of an answer that differ from run to run, with what stands
// for them. Blanks that line up columns depend on them, so many are as two.
var unsteady = []struct {
	pattern *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(`\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)`), "TIME"},
	{regexp.MustCompile(`\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b`), "UID"},
	{regexp.MustCompile(`(resourceVersion"?: )"?\d+"?`), "${1}VERSION"},
	{regexp.MustCompile(`(^|[^\w.:-])-?(\d+(\.\d+)?(h|ms|m|s|µs))+\b`), "${1}DURATION"},
	{regexp.MustCompile(`(sh\.helm\.release\.v1\.[\w.-]+\.v)\d+`), "${1}N"},
	{regexp.MustCompile(`(\S)  +`), "$1  "},
	{regexp.MustCompile(`\b((?:attempts|runs|failures)"?: )\d+`), "${1}N"},
	{regexp.MustCompile(`\bfailed \d+×`), "failed N×"},
	{regexp.MustCompile(`(DURATION  )\d+  \d+(  |\n)`), "${1}N  N$2"},
}

// steady makes the same of what differs from run to run.
func steady(text, dir, registry string) string {
	text = strings.ReplaceAll(text, dir, "WORK")
	if registry != "" {
		text = strings.ReplaceAll(text, registry, "REGISTRY")
	}
	for _, u := range unsteady {
		text = u.pattern.ReplaceAllString(text, u.instead)
	}
	return text
}

// rewrite puts a transcript into its script, with $NS for the name of this run.
func (run *script) rewrite(name, file, text string) error {
	path := filepath.Join("testdata", "script", name+".txtar")
	script, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, rest, found := strings.Cut(string(script), "\n-- "+file+" --\n")
	if !found {
		return fmt.Errorf("%s has no file %s", path, file)
	}
	after := ""
	if at := strings.Index("\n"+rest, "\n-- "); at >= 0 {
		after = rest[at:]
	}
	text = strings.ReplaceAll(text, run.id, "$NS")
	return os.WriteFile(path, []byte(before+"\n-- "+file+" --\n"+text+after), 0o600)
}
