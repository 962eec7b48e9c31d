package apply

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

func TestRefusal(t *testing.T) {
	conflict := &plan.Object{Op: plan.OpRefuse, Differences: []plan.Difference{
		{Path: ".data.a", Verdict: plan.VerdictConflict, Authors: []plan.Author{{Manager: "kubectl-patch"}}},
		{Path: ".data.b", Verdict: plan.VerdictChange},
	}}
	assert.Equal(t, `conflict (data.a is owned by "kubectl-patch")`, Refusal(conflict))
	conflict.Reason = "another record lists it"
	assert.Equal(t, "another record lists it", Refusal(conflict))
	assert.Empty(t, Refusal(&plan.Object{Op: plan.OpRefuse}))
}
