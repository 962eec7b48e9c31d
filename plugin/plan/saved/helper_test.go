package saved

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

const (
	settings = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: x}, data: {mode: fast}}"
	slow     = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: x}, data: {mode: slow}}"
	other    = "{apiVersion: v1, kind: ConfigMap, metadata: {name: b, namespace: x}}"
	login    = "{apiVersion: v1, kind: Secret, metadata: {name: s, namespace: x}, stringData: {password: correct horse battery}}"
)

func load(t *testing.T, texts ...string) []object.Object {
	t.Helper()
	set, err := object.Load(strings.NewReader(strings.Join(texts, "\n---\n")), "test.yaml")
	require.NoError(t, err)
	return set.Objects
}

// planned is the plan of files over what is live, with the fields that only a
// cluster gives.
func planned(t *testing.T, files, live []string) *plan.Plan {
	t.Helper()
	var base []object.Object
	if len(live) > 0 {
		base = load(t, live...)
	}
	p := plan.Against(load(t, files...), base, nil)
	p.Context = cluster.ContextInfo{Context: "dev", Server: "https://one.example"}
	p.Manifests = []plan.Manifest{{Name: "m"}}
	for _, o := range p.Objects {
		o.Manifest = "m"
		if o.Live != nil {
			o.UID = "uid-1"
		}
		if o.Desired.Body != nil {
			o.Send = o.Desired.Body
		}
	}
	return p
}

func made(t *testing.T, p *plan.Plan, key []byte) *File {
	t.Helper()
	f, err := Make(p, Digester{Key: key, Masker: object.DefaultMasker()}, about())
	require.NoError(t, err)
	return f
}

func about() About {
	return About{Created: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), ToolVersion: "v1", ClusterUID: "cluster-1"}
}

func keyOf(name string) state.Key {
	return state.Key{Manifest: "m", Version: "v1", Kind: "ConfigMap", Namespace: "x", Name: name}
}
