package command

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

func TestSelected(t *testing.T) {
	report := &plan.Report{Objects: []plan.ObjectReport{
		{APIVersion: "apps/v1", Kind: "Deployment", Name: "web", Labels: map[string]string{"app": "web"}, Op: plan.OpUpdate},
		{APIVersion: "networking.k8s.io/v1", Kind: "NetworkPolicy", Name: "closed"},
		{APIVersion: "v1", Kind: "ConfigMap", Name: "a"},
	}}
	label := func(text string) labels.Selector {
		s, err := labels.Parse(text)
		require.NoError(t, err)
		return s
	}
	const there = "; there are: ConfigMap, Deployment, NetworkPolicy"
	tests := map[string]struct {
		selection plan.Selection
		want      []string
		failure   string
	}{
		"nothing asked":       {plan.Selection{}, []string{"web", "closed", "a"}, ""},
		"kind":                {plan.Selection{Kinds: []string{"deployment"}}, []string{"web"}, ""},
		"plural":              {plan.Selection{Kinds: []string{"Deployments", "networkpolicies"}}, []string{"web", "closed"}, ""},
		"plural with group":   {plan.Selection{Kinds: []string{"deployments.apps"}}, []string{"web"}, ""},
		"no such kind":        {plan.Selection{Kinds: []string{"deployment", "nosuch"}}, nil, `no object of the plan has the kind "nosuch"` + there},
		"no such group":       {plan.Selection{Kinds: []string{"deployments.batch"}}, nil, `no object of the plan has the kind "Deployment.batch"` + there},
		"no such name":        {plan.Selection{Names: []string{"we"}}, nil, `no object of the plan has the name "we"` + there},
		"no such label":       {plan.Selection{Labels: label("app=db")}, nil, `no object of the plan has the labels "app=db"` + there},
		"not together":        {plan.Selection{Kinds: []string{"configmap"}, Names: []string{"web"}}, nil, "no object of the plan has all of the wanted kind, name and labels" + there},
		"no such operation":   {plan.Selection{Ops: []plan.Op{plan.OpDelete}}, nil, ""},
		"kind, not operation": {plan.Selection{Kinds: []string{"configmap"}, Ops: []plan.Op{plan.OpDelete}}, nil, ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := selected(report, tc.selection)
			if tc.failure != "" {
				require.EqualError(t, err, tc.failure)
				return
			}
			require.NoError(t, err)
			var names []string
			for _, o := range got.Objects {
				names = append(names, o.Name)
			}
			require.Equal(t, tc.want, names)
		})
	}
}
