package plan

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

func loaded(t testing.TB, text string) []object.Object {
	t.Helper()
	set, err := object.Load(strings.NewReader(text), "test.yaml")
	require.NoError(t, err)
	return set.Objects
}

func TestAgainst(t *testing.T) {
	base := loaded(t, `
apiVersion: v1
kind: ConfigMap
metadata: {name: same}
data: {b: "2", a: "1"}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: changed}
data: {a: "1", old: x}
---
apiVersion: v1
kind: Secret
metadata: {name: gone}
stringData: {a: b}
---
apiVersion: demo.example/v1
kind: Thing
metadata: {name: status}
status: {a: 1}
`)
	desired := loaded(t, `
apiVersion: v1
kind: ConfigMap
metadata: {name: same}
data: {a: "1", b: "2"}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: changed}
data: {a: "2"}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: new}
---
apiVersion: demo.example/v1
kind: Thing
metadata: {name: status}
status: {a: 2}
`)
	p := Against(desired, base, nil)
	ops := map[string]Op{}
	for _, o := range p.Objects {
		ops[o.Ref.Name] = o.Op
	}
	require.Equal(t, map[string]Op{"same": OpNone, "changed": OpUpdate, "new": OpCreate, "gone": OpDelete, "status": OpUpdate}, ops)
	require.ElementsMatch(t, []string{"change .data.a", "remove .data.old"}, lines(p.Objects[1].Differences))
	require.NotContains(t, p.Report(object.DefaultMasker()).Objects[4].Before["data"], "b", "secrets are masked here too")
}
