package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// report is what the tests read of a plan that is printed as JSON.
type report struct {
	Objects    []reportedObject `json:"objects"`
	RecordOnly []struct {
		Manifest string `json:"manifest"`
	} `json:"recordOnly"`
	// code is what the program ended with.
	code int
}

type reportedObject struct {
	APIVersion  string `json:"apiVersion"`
	Kind        string `json:"kind"`
	Namespace   string `json:"namespace"`
	Name        string `json:"name"`
	Op          string `json:"op"`
	Reason      string `json:"reason"`
	Differences []struct {
		Path          string   `json:"path"`
		Verdict       string   `json:"verdict"`
		Authors       []author `json:"authors"`
		AuthorUnknown bool     `json:"authorUnknown"`
	} `json:"differences"`
}

type author struct {
	Manager     string `json:"manager"`
	Subresource string `json:"subresource"`
}

func (a author) String() string {
	if a.Subresource == "" {
		return a.Manager
	}
	return fmt.Sprintf("%s (%s)", a.Manager, a.Subresource)
}

func cmdVerdicts(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("unsupported: ! verdicts")
	}
	run := of(ts)
	run.beginRun(ts)
	stdout, stderr, code := run.silently(ts, "kubectl-tazuna", append([]string{"diff", "-o", "json"}, args...)...)
	fmt.Fprint(ts.Stderr(), stderr)
	var r report
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		ts.Fatalf("exit code %d, and the report is no JSON: %v\n%s", code, err, stdout)
	}
	lines := r.lines()
	if wanted := min(len(lines), 1); code != wanted {
		ts.Fatalf("%d differences, but the exit code is %d", len(lines), code)
	}
	for _, line := range lines {
		fmt.Fprintln(ts.Stdout(), line)
	}
}

// silently runs a program in the script's place and environment without putting
// its output into the log of the test.
func (run *script) silently(ts *testscript.TestScript, program string, args ...string) (stdout, stderr string, code int) {
	command := exec.Command(filepath.Join(run.bin, program), args...)
	command.Dir = ts.MkAbs(".")
	command.Env = os.Environ()
	for _, key := range []string{"HOME", "KUBECONFIG", "PATH", "TMPDIR", "TAZUNA_TEST_USER_AGENT"} {
		command.Env = append(command.Env, key+"="+ts.Getenv(key))
	}
	var out, errs strings.Builder
	command.Stdout, command.Stderr = &out, &errs
	code, err := exitCode(command.Run())
	ts.Check(err)
	return out.String(), errs.String(), code
}

// lines says what a plan would do, one line for every path that differs.
func (r report) lines() []string {
	var out []string
	for _, o := range r.Objects {
		if o.Op == "" {
			continue
		}
		head := fmt.Sprintf("%s %s/%s", o.Op, o.Kind, o.Name)
		if len(o.Differences) == 0 {
			out = append(out, head)
		}
		for _, d := range o.Differences {
			line := fmt.Sprintf("%s %s %s", head, d.Path, d.Verdict)
			if by := by(d.Authors, d.AuthorUnknown); by != "" {
				line += " by " + by
			}
			out = append(out, line)
		}
	}
	slices.Sort(out)
	return out
}

func by(authors []author, unknown bool) string {
	var names []string
	for _, a := range authors {
		names = append(names, a.String())
	}
	if unknown {
		names = append(names, "nobody known")
	}
	return strings.Join(names, ", ")
}
