package apply

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

// BenchmarkRun3150 is what a run costs beside its requests: mixed kinds in ten
// namespaces, half of them unchanged.
func BenchmarkRun3150(b *testing.B) {
	objects := mixed(3150)
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		cluster := newFakeCluster()
		cluster.touch = rollOut
		e := &Executor{Client: cluster, Sessions: map[string]Session{"m": newFakeSession()}, Policy: DefaultPolicy(false)}
		g, err := plan.Order(objects, nil)
		require.NoError(b, err)
		b.StartTimer()
		r, err := e.Run(context.Background(), &plan.Plan{Objects: objects, Manifests: []plan.Manifest{{Name: "m"}}}, g)
		require.NoError(b, err)
		require.Equal(b, 3150, r.Counts.Created+r.Counts.Unchanged)
	}
}

func mixed(n int) []*plan.Object {
	kinds := []struct{ apiVersion, kind string }{
		{"v1", "ConfigMap"}, {"apps/v1", "Deployment"}, {"v1", "Service"}, {"rbac.authorization.k8s.io/v1", "Role"}, {"demo.example/v1", "Pool"},
	}
	out := make([]*plan.Object, 0, n)
	for i := range n {
		k := kinds[i%len(kinds)]
		body := map[string]any{
			"apiVersion": k.apiVersion, "kind": k.kind,
			"metadata": map[string]any{"name": fmt.Sprint("o", i), "namespace": fmt.Sprint("n", i%10)},
		}
		o := object.Object{Body: body}
		p := &plan.Object{
			Manifest: "m", Ref: o.Ref(), Desired: o, Send: body, Op: plan.OpCreate, ContentHash: "h",
			Mapping: mappingOf(o.GVK()), MappingKnown: true,
		}
		if i%2 == 0 {
			p.Op, p.UID, p.Live = plan.OpNone, "u", body
		}
		out = append(out, p)
	}
	return out
}
