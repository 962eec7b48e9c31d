package e2e

import (
	"io"
	"log"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/google/go-containerregistry/pkg/registry"
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

// cmdRegistry starts a registry without TLS for this script.
func cmdRegistry(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: registry")
	}
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	ts.Defer(server.Close)
	ts.Setenv("REGISTRY", strings.TrimPrefix(server.URL, "http://"))
}
