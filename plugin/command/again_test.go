package command

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

func TestSameChanges(t *testing.T) {
	shown := func(change func(*plan.Report)) *plan.Report {
		r := &plan.Report{Objects: []plan.ObjectReport{
			{Kind: "ConfigMap", Name: "same", Op: plan.OpNone},
			{
				Kind: "ConfigMap", Name: "a", Op: plan.OpUpdate,
				Differences: []plan.Difference{{Path: "data.x", Live: "1", Desired: "2"}},
			},
		}}
		if change != nil {
			change(r)
		}
		return r
	}
	tests := map[string]struct {
		change func(*plan.Report)
		want   bool
	}{
		"equal":                     {nil, true},
		"readiness moved on":        {func(r *plan.Report) { r.Objects[1].State = "ongoing" }, true},
		"another unchanged object":  {func(r *plan.Report) { r.Objects = r.Objects[1:] }, true},
		"another operation":         {func(r *plan.Report) { r.Objects[1].Op = plan.OpCreate }, false},
		"another live value":        {func(r *plan.Report) { r.Objects[1].Differences[0].Live = "3" }, false},
		"one object more":           {func(r *plan.Report) { r.Objects[0].Op = plan.OpDelete }, false},
		"a record to repair":        {func(r *plan.Report) { r.RecordOnly = []plan.RecordOnly{{Manifest: "m"}} }, false},
		"nothing left of an object": {func(r *plan.Report) { r.Objects = r.Objects[:1] }, false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, tc.want, sameChanges(shown(nil), shown(tc.change)))
		})
	}
}
