package e2e

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// report is what the tests read of a plan that is printed as JSON.
type report struct {
	Objects []reportedObject `json:"objects"`
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
	code, err := exitCode(ts.Exec("kubectl-tazuna", append([]string{"diff", "-o", "json"}, args...)...))
	ts.Check(err)
	var r report
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &r))
	lines := r.lines()
	if wanted := min(len(lines), 1); code != wanted {
		ts.Fatalf("%d differences, but the exit code is %d", len(lines), code)
	}
	for _, line := range lines {
		fmt.Fprintln(ts.Stdout(), line)
	}
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
