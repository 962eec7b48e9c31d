package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"k8s.io/client-go/util/jsonpath"
)

// commands are those of doc.go.
func commands() map[string]func(*testscript.TestScript, bool, []string) {
	return map[string]func(*testscript.TestScript, bool, []string){
		"tazuna":           cmdTazuna,
		"kubectl":          cmdKubectl,
		"cpctl":            cmdCpctl,
		"code":             cmdCode,
		"writes":           cmdWrites,
		"apply-twice":      cmdApplyTwice,
		"writes-again":     cmdWritesAgain,
		"verdicts":         cmdVerdicts,
		"json":             cmdJSON,
		"waitfor":          cmdWaitfor,
		"own-controlplane": cmdOwnControlplane,
		"package":          cmdPackage,
		"deckhouse":        cmdDeckhouse,
		"role":             cmdRole,
		"registry":         cmdRegistry,
		"chart-repository": cmdChartRepository,
		"push":             cmdPush,
		"expand":           cmdExpand,
		"extension-server": cmdExtensionServer,
		"skewed-clock":     cmdSkewedClock,
		"transcript":       cmdTranscript,
	}
}

func cmdTazuna(ts *testscript.TestScript, neg bool, args []string) {
	run := of(ts)
	run.tazuna(ts, neg, args)
	if !neg {
		run.applied(ts, args)
	}
}

func (run *script) tazuna(ts *testscript.TestScript, neg bool, args []string) {
	run.beginRun(ts)
	run.exec(ts, neg, "kubectl-tazuna", args...)
}

// beginRun gives the next run of our program a user agent of its own, by which
// the control plane counts its requests.
func (run *script) beginRun(ts *testscript.TestScript) {
	run.runs++
	run.agent = fmt.Sprintf("kubectl-tazuna/e2e-%s-%d.", run.id, run.runs)
	ts.Setenv("TAZUNA_TEST_USER_AGENT", run.agent)
}

func cmdKubectl(ts *testscript.TestScript, neg bool, args []string) {
	run := of(ts)
	// kubectl may run our program as its plugin.
	run.beginRun(ts)
	run.exec(ts, neg, "kubectl", args...)
	if !neg && len(args) > 0 && args[0] == "tazuna" {
		run.applied(ts, args[1:])
	}
}

func cmdCpctl(ts *testscript.TestScript, neg bool, args []string) {
	run := of(ts)
	run.exec(ts, neg, "controlplane", append(args, "--dir", run.controlplane)...)
}

// exec runs a program that must succeed, or fail if neg.
func (run *script) exec(ts *testscript.TestScript, neg bool, program string, args ...string) {
	code, err := exitCode(ts.Exec(program, args...))
	ts.Check(err)
	run.code = code
	switch {
	case neg && code == 0:
		ts.Fatalf("%s succeeded, but a failure was wanted", program)
	case !neg && code != 0:
		ts.Fatalf("%s ended with exit code %d", program, code)
	}
}

func cmdCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: code N")
	}
	if got := strconv.Itoa(of(ts).code); got != args[0] {
		ts.Fatalf("the exit code was %s, wanted %s", got, args[0])
	}
}

func cmdWrites(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: [!] writes N")
	}
	run := of(ts)
	// A program that ignored the user agent would count as one that wrote nothing.
	if len(run.requests(ts, run.agent)) == 0 {
		ts.Fatalf("no request with the user agent %s was seen at all", run.agent)
	}
	written := run.requests(ts, run.agent, "--writes")
	if (strconv.Itoa(len(written)) == args[0]) == neg {
		ts.Fatalf("%d write requests:\n%s", len(written), strings.Join(written, "\n"))
	}
}

// requests returns the requests of one run of our program, each as JSON.
func (run *script) requests(ts *testscript.TestScript, agent string, flags ...string) []string {
	args := append([]string{"requests", "--dir", run.controlplane, "--user-agent", agent, "--list"}, flags...)
	out, err := exec.Command(filepath.Join(run.bin, "controlplane"), args...).Output()
	ts.Check(err)
	return strings.FieldsFunc(string(out), func(r rune) bool { return r == '\n' })
}

func cmdApplyTwice(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("unsupported: ! apply-twice")
	}
	run, apply := of(ts), append([]string{"apply", "--yes"}, args...)
	run.tazuna(ts, false, apply)
	run.tazuna(ts, false, append([]string{"diff"}, args...))
	run.tazuna(ts, false, apply)
	cmdWrites(ts, false, []string{"0"})
	run.again.done++
}

func cmdJSON(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: [!] json TEMPLATE [WANT]")
	}
	want := ""
	if len(args) == 2 {
		want = args[1]
	}
	got, err := query(ts.ReadFile("stdout"), args[0])
	ts.Check(err)
	if (got == want) == neg {
		ts.Fatalf("%s is\n%s\nwanted\n%s", args[0], got, want)
	}
}

// query applies a kubectl jsonpath to a JSON document. What isn't there is empty.
func query(document, template string) (string, error) {
	var data any
	if err := json.Unmarshal([]byte(document), &data); err != nil {
		return "", fmt.Errorf("standard output is no JSON: %w", err)
	}
	path := jsonpath.New("json").AllowMissingKeys(true)
	if err := path.Parse(template); err != nil {
		return "", err
	}
	var out bytes.Buffer
	err := path.Execute(&out, data)
	return out.String(), err
}

// waitPause is how long waitfor waits between two tries.
const waitPause = 200 * time.Millisecond

func cmdWaitfor(ts *testscript.TestScript, neg bool, args []string) {
	patience, match := 30*time.Second, regexp.MustCompile("")
	for len(args) > 2 && (args[0] == "-t" || args[0] == "-m") {
		var err error
		if args[0] == "-t" {
			patience, err = time.ParseDuration(args[1])
		} else {
			match, err = regexp.Compile("(?m)" + args[1])
		}
		ts.Check(err)
		args = args[2:]
	}
	if neg || len(args) == 0 {
		ts.Fatalf("usage: waitfor [-t DURATION] [-m REGEXP] PROGRAM ARG...")
	}
	deadline := time.Now().Add(patience)
	for {
		err := ts.Exec(args[0], args[1:]...)
		if err == nil && match.MatchString(ts.ReadFile("stdout")) {
			return
		}
		if time.Now().After(deadline) {
			ts.Fatalf("still not so after %s: %v", patience, err)
		}
		time.Sleep(waitPause)
	}
}

func cmdOwnControlplane(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: own-controlplane")
	}
	run := of(ts)
	run.controlplane = ts.MkAbs("cp")
	program := filepath.Join(run.bin, "controlplane")
	ts.Defer(func() {
		if out, err := exec.Command(program, "stop", "--dir", run.controlplane).CombinedOutput(); err != nil {
			ts.Logf("stop the control plane: %v\n%s", err, out)
		}
	})
	out, err := exec.Command(program, "start", "--dir", run.controlplane, "--max-age", "30m", "--timeout", "5m").Output()
	ts.Check(err)
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	ts.Check(run.use(ts, lines[len(lines)-1]))
}
