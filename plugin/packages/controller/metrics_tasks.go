package controller

import (
	"errors"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/queue"
)

// Metrics of the queues of applications. An application with nothing to do is in none.
const (
	// TasksMetric counts the tasks of an application that wait or are at work, runs of its
	// hooks included.
	TasksMetric = "tazuna_application_tasks"
	// FailingMetric is 1 for each task that has failed and is tried again.
	FailingMetric = "tazuna_application_task_failing"
)

// tasks reads the queues when it is asked, so that nothing has to be kept up.
type tasks struct {
	queues         func() queue.Dump
	count, failing *prometheus.Desc
}

// newTasks registers the metrics in the place of those of a controller before.
func newTasks(registry prometheus.Registerer, queues func() queue.Dump) error {
	if queues == nil {
		return nil
	}
	t := &tasks{
		queues:  queues,
		count:   prometheus.NewDesc(TasksMetric, "Tasks of an application that wait or are at work.", []string{"namespace", "name"}, nil),
		failing: prometheus.NewDesc(FailingMetric, "1 for each task of an application that has failed and is tried again.", []string{"namespace", "name", "task"}, nil),
	}
	err := registry.Register(t)
	var there prometheus.AlreadyRegisteredError
	if errors.As(err, &there) {
		registry.Unregister(there.ExistingCollector)
		err = registry.Register(t)
	}
	return err
}

// Describe implements prometheus.Collector.
func (t *tasks) Describe(descriptions chan<- *prometheus.Desc) {
	descriptions <- t.count
	descriptions <- t.failing
}

// Collect implements prometheus.Collector.
func (t *tasks) Collect(to chan<- prometheus.Metric) {
	counts := map[string]int{}
	failing := map[[2]string]bool{}
	for name, q := range t.queues().Queues {
		application, _, _ := strings.Cut(name, "/")
		for _, task := range q.Tasks {
			counts[application]++
			if task.Error != "" {
				failing[[2]string{application, task.Name}] = true
			}
		}
	}
	for application, count := range counts {
		if namespace, name, ok := api.SplitInstanceName(application); ok {
			to <- prometheus.MustNewConstMetric(t.count, prometheus.GaugeValue, float64(count), namespace, name)
		}
	}
	for of := range failing {
		if namespace, name, ok := api.SplitInstanceName(of[0]); ok {
			to <- prometheus.MustNewConstMetric(t.failing, prometheus.GaugeValue, 1, namespace, name, of[1])
		}
	}
}
