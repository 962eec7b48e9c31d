package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// packages is where the application packages for tests are.
const packages = "../testdata/packages"

// cmdPackage copies a package for tests into the directory of the script.
func cmdPackage(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: package NAME")
	}
	to := ts.MkAbs(args[0])
	ts.Check(os.CopyFS(to, os.DirFS(filepath.Join(packages, args[0]))))
	if args[0] != "store" {
		return
	}
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", filepath.Join(to, "hooks", "batchhooks"), "./"+packages+"/store-hooks")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	ts.Logf("%s", out)
	ts.Check(err)
}

// cmdDeckhouse copies the programs that answer as Deckhouse does, of both generations.
func cmdDeckhouse(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: deckhouse")
	}
	ts.Check(os.CopyFS(ts.MkAbs("deckhouse"), os.DirFS(filepath.Join("..", "testdata", "deckhouse"))))
}

// cmdRole writes a file of docs/rbac for a user.
func cmdRole(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: role NAME USER")
	}
	data, err := os.ReadFile(filepath.Join("..", "..", "docs", "rbac", args[0]+".yaml"))
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]+".yaml"), []byte(strings.ReplaceAll(string(data), "USER", args[1])), 0o644))
}
