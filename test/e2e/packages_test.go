package e2e

import (
	"os"
	"os/exec"
	"path/filepath"

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
