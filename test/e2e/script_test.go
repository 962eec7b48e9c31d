package e2e

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/assert"
)

// TestScripts runs every script in testdata/script.
func TestScripts(t *testing.T) {
	s := newSite(t)
	s.unasked = &unasked{}
	t.Cleanup(func() {
		assert.Empty(t, s.unasked.names, "scripts whose last apply or destroy was not reached, and so not made again")
	})
	testscript.Run(t, testscript.Params{
		Dir:                filepath.Join("testdata", "script"),
		Setup:              s.setUp,
		Cmds:               commands(),
		RequireUniqueNames: true,
	})
}

// script is the state of one running script.
type script struct {
	site
	id   string
	runs int // of tazuna, so far
	// code is the exit code of the last program, agent the user agent that the
	// last tazuna went by.
	code  int
	agent string
	again again
}

type scriptKey struct{}

// setUp gives a script its names, its kubeconfig and the programs.
func (s site) setUp(env *testscript.Env) error {
	// testscript names the directory script-NAME.
	id := newID(strings.TrimPrefix(filepath.Base(env.WorkDir), "script-"))
	run := &script{site: s, id: id}
	env.Values[scriptKey{}] = run

	home := filepath.Join(env.WorkDir, "home")
	if err := os.Mkdir(home, 0o755); err != nil {
		return err
	}
	env.Setenv("HOME", home)
	env.Setenv("KUBECONFIG", filepath.Join(home, "kubeconfig"))
	if err := run.use(env, s.kubeconfig); err != nil {
		return err
	}
	env.Setenv("PATH", s.bin+string(os.PathListSeparator)+env.Getenv("PATH"))
	env.Setenv("BIN", s.bin)
	env.Setenv("ID", id)
	env.Setenv("NS", id)
	if err := run.prepareAgain(env); err != nil {
		return err
	}
	return replaceNames(env.WorkDir, id)
}

// environment is that of a script: while it is set up and while it runs.
type environment interface {
	Getenv(key string) string
	Setenv(key, value string)
}

// use makes a kubeconfig the script's own, with $NS as the default namespace,
// and tells the script what is in it.
func (run *script) use(env environment, kubeconfig string) error {
	name, context, err := useNamespace(kubeconfig, env.Getenv("KUBECONFIG"), run.id)
	if err != nil {
		return err
	}
	env.Setenv("CONTEXT", name)
	env.Setenv("CLUSTER", context.Cluster)
	env.Setenv("USER", context.AuthInfo)
	env.Setenv("CONTROLPLANE", run.controlplane)
	return nil
}

// names are the words that are replaced in the files of a script.
var names = regexp.MustCompile(`\$(ID|NS)\b`)

// replaceNames puts the names of a script into its files, as the script itself
// has them from its environment.
func replaceNames(dir, id string) error {
	return filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		before, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		after := names.ReplaceAll(before, []byte(id))
		if bytes.Equal(before, after) {
			return nil
		}
		return os.WriteFile(path, after, 0o600)
	})
}

// of returns the state of a script.
func of(ts *testscript.TestScript) *script {
	run, ok := ts.Value(scriptKey{}).(*script)
	if !ok {
		panic(fmt.Sprintf("%T is no script", run))
	}
	return run
}
