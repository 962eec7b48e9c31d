package house

import (
	"encoding/json"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const module = "github.com/kubectl-tazuna/kubectl-tazuna/"

// mayImport names, for every package of ours, which of our packages its code may
// import. Each line also covers the packages below it. A new package needs a
// line here: the moment to think about where it stands.
var mayImport = map[string][]string{
	// Values, without any access to a cluster.
	"plugin/object":     {},
	"plugin/memo":       {},
	"plugin/expression": {},
	"plugin/readiness":  {},
	"plugin/trace":      {},
	"plugin/chart":      {"plugin/object"},
	"plugin/config":     {"plugin/object", "plugin/expression"},
	"plugin/genesis":    {"plugin/object", "plugin/config"},
	"plugin/build":      {"plugin/object", "plugin/chart", "plugin/registry", "plugin/config", "plugin/genesis"},
	// Registries of artifacts.
	"plugin/registry": {},
	// The cluster, and what is kept in it.
	"plugin/cluster": {"plugin/object"},
	"plugin/state":   {"plugin/object", "plugin/cluster"},
	// Deciding and doing.
	"plugin/plan":  {"plugin/object", "plugin/cluster", "plugin/state", "plugin/config", "plugin/expression", "plugin/readiness", "plugin/apply/prune"},
	"plugin/apply": {"plugin/object", "plugin/cluster", "plugin/state", "plugin/config", "plugin/plan", "plugin/readiness"},
	"plugin/probe": {"plugin/object", "plugin/cluster", "plugin/config", "plugin/expression"},
	// What records list, and what could be listed.
	"plugin/inventory": {"plugin/object", "plugin/cluster", "plugin/state", "plugin/config", "plugin/plan", "plugin/readiness"},
	// The way back from a failed run.
	"plugin/undo": {"plugin/object", "plugin/state", "plugin/plan"},
	// Hooks of charts, around the objects of a run.
	"plugin/charthook": {"plugin/object", "plugin/cluster", "plugin/chart", "plugin/readiness"},
	// The kinds of packages: types that others share, and nothing else.
	"plugin/packages/api": {},
	"plugin/packages": {
		"plugin/registry", "plugin/object", "plugin/chart", "plugin/config", "plugin/cluster", "plugin/plan", "plugin/apply", "plugin/charthook", "plugin/readiness", "plugin/state", "plugin/expression",
	},
	// What a person sees: made from reports, never from a cluster.
	"printers": {"plugin/object", "plugin/state", "plugin/plan", "plugin/packages/report"},
	// Plain data, which printers and packages share.
	"plugin/packages/report": {},
	// The command line joins everything, and nobody imports it but main.
	"plugin/quiet": {},
	"plugin/command": {
		"plugin/object", "plugin/config", "plugin/genesis", "plugin/probe", "plugin/inventory", "plugin/charthook", "plugin/build", "plugin/cluster", "plugin/state",
		"plugin/plan", "plugin/apply", "plugin/undo", "plugin/packages", "plugin/memo", "plugin/quiet", "plugin/registry", "plugin/chart", "plugin/readiness", "plugin/trace", "printers",
	},
	"cmd":                {"plugin/command"},
	"test/tools/gendocs": {"plugin/command"},
	"test/tools/picture": {},
	"test/tools/image":   {},
	"test/e2e":           {},
	"test/house":         {},
	"test/chaos":         {},
	"test/bench":         {},
}

// goPackage is what `go list -json` says about one package.
type goPackage struct {
	ImportPath                         string
	Imports, TestImports, XTestImports []string
}

func TestImports(t *testing.T) {
	for _, p := range goPackages(t) {
		name := strings.TrimPrefix(p.ImportPath, module)
		line, ok := lineOf(name)
		if !assert.True(t, ok, "%s: no rule says what it may import", name) {
			continue
		}
		for _, imported := range p.Imports {
			other, ours := strings.CutPrefix(imported, module)
			if !ours || within(other, line) {
				continue
			}
			allowed := slices.ContainsFunc(mayImport[line], func(a string) bool { return within(other, a) })
			assert.True(t, allowed, "%s must not import %s", name, other)
		}
	}
}

// lineOf finds the line of mayImport for a package: the longest that covers it.
func lineOf(name string) (line string, ok bool) {
	for candidate := range mayImport {
		if within(name, candidate) && (!ok || len(candidate) > len(line)) {
			line, ok = candidate, true
		}
	}
	return line, ok
}

// within reports whether name is the package of the line or lies below it.
func within(name, line string) bool {
	return name == line || strings.HasPrefix(name, line+"/")
}

func goPackages(t *testing.T) []goPackage {
	t.Helper()
	list := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports,TestImports,XTestImports", "./...")
	list.Dir = root
	out, err := list.Output()
	require.NoError(t, err, "go list")
	var packages []goPackage
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		err := decoder.Decode(&p)
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		packages = append(packages, p)
	}
	require.NotEmpty(t, packages)
	return packages
}
