package controller

import (
	"errors"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
)

// MaintenanceMetric is 1 for each application in maintenance: the alert
// ApplicationIsInMaintenanceMode fires on it.
const MaintenanceMetric = "deckhouse_application_maintenance"

// maintenanceGauge tells which applications are in maintenance.
type maintenanceGauge struct {
	gauge *prometheus.GaugeVec
	mu    sync.Mutex
	in    map[[2]string]api.Maintenance
}

// newMaintenanceGauge registers the gauge; one that is there already is used.
func newMaintenanceGauge(registry prometheus.Registerer) (*maintenanceGauge, error) {
	gauge := prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: MaintenanceMetric, Help: "1 for each Application in maintenance mode.",
	}, []string{"namespace", "name", "state"})
	if err := registry.Register(gauge); err != nil {
		var there prometheus.AlreadyRegisteredError
		if !errors.As(err, &there) {
			return nil, err
		}
		existing, ok := there.ExistingCollector.(*prometheus.GaugeVec)
		if !ok {
			return nil, err
		}
		gauge = existing
		gauge.Reset()
	}
	return &maintenanceGauge{gauge: gauge, in: map[[2]string]api.Maintenance{}}, nil
}

func (g *maintenanceGauge) set(app *api.Application) {
	g.put(app.Namespace, app.Name, app.Spec.Maintenance)
}

func (g *maintenanceGauge) forget(namespace, name string) { g.put(namespace, name, "") }

func (g *maintenanceGauge) put(namespace, name string, m api.Maintenance) {
	g.mu.Lock()
	defer g.mu.Unlock()
	key := [2]string{namespace, name}
	before := g.in[key]
	if before == m {
		return
	}
	if before != "" {
		g.gauge.DeleteLabelValues(namespace, name, string(before))
		delete(g.in, key)
	}
	if m != "" {
		g.gauge.WithLabelValues(namespace, name, string(m)).Set(1)
		g.in[key] = m
	}
}
