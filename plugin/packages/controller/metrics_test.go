package controller

import (
	"fmt"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/queue"
)

// TestTaskMetrics: what is to be done for each application, and what of it fails. A second
// controller of the same process takes the place of the first.
func TestTaskMetrics(t *testing.T) {
	registry := prometheus.NewPedanticRegistry()
	require.NoError(t, newTasks(registry, nil))
	require.NoError(t, newTasks(registry, func() queue.Dump { return queue.Dump{} }))
	require.NoError(t, newTasks(registry, func() queue.Dump {
		return queue.Dump{Queues: map[string]queue.QueueDump{
			"demo.shop":      {Tasks: []queue.TaskDump{{Name: "Run", Error: "no"}, {Name: "Purge"}}},
			"demo.shop/main": {Tasks: []queue.TaskDump{{Name: "hooks/a.sh:Run", Error: "no"}, {Name: "hooks/a.sh:Run"}}},
			"demo.idle":      {},
		}}
	}))
	families, err := registry.Gather()
	require.NoError(t, err)
	var all []string
	for _, f := range families {
		for _, m := range f.GetMetric() {
			text := f.GetName()
			for _, l := range m.GetLabel() {
				text += " " + l.GetValue()
			}
			all = append(all, fmt.Sprint(text, " ", m.GetGauge().GetValue()))
		}
	}
	assert.Equal(t, []string{ // labels in the order of their names
		"tazuna_application_task_failing shop demo Run 1",
		"tazuna_application_task_failing shop demo hooks/a.sh:Run 1",
		"tazuna_application_tasks shop demo 4",
	}, all)
}
