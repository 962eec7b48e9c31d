package command

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

func TestPickEntries(t *testing.T) {
	web := state.Key{Manifest: "m", Group: "apps", Version: "v1", Kind: "Deployment", Namespace: "a", Name: "web"}
	other := web
	other.Namespace = "b"
	role := state.Key{Manifest: "m", Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "ClusterRole", Name: "x:y"}
	rec := &state.Record{Manifest: "m", Entries: []state.Entry{{Key: web}, {Key: other}, {Key: role}}}
	for _, test := range []struct {
		words     []string
		namespace string
		want      []state.Key
	}{
		{nil, "", []state.Key{web, other, role}},
		{[]string{"deployment/web"}, "", []state.Key{web, other}},
		{[]string{"Deployment.apps/web"}, "b", []state.Key{other}},
		{[]string{"apps/v1/Deployment/a/web", "deployment/web"}, "a", []state.Key{web}},
		{[]string{"clusterrole/x:y"}, "a", []state.Key{role}},
		{[]string{"deployment.extensions/web"}, "", nil},
		{[]string{"deployment/web", "web"}, "", nil},
	} {
		got, err := pickEntries(rec, test.words, test.namespace)
		if test.want == nil {
			require.ErrorContains(t, err, "lists no", test.words)
			continue
		}
		require.NoError(t, err)
		var keys []state.Key
		for _, e := range got {
			keys = append(keys, e.Key)
		}
		require.Equal(t, test.want, keys, test.words)
	}
}
