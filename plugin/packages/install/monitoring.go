package install

import "github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/controller"

// Kinds of Prometheus's operator.
const (
	MonitoringGroup   = "monitoring.coreos.com"
	MonitoringVersion = "v1"
	KindRule          = "PrometheusRule"
	KindMonitor       = "ServiceMonitor"
)

func monitoring(o Options) []Object {
	var out []Object
	if o.Monitor {
		out = append(out, Object{
			Why: "What Prometheus scrapes: the controller that works.",
			Body: map[string]any{
				"apiVersion": MonitoringGroup + "/" + MonitoringVersion, "kind": KindMonitor, "metadata": metadata(o.Namespace, name),
				"spec": map[string]any{
					"selector":  map[string]any{"matchLabels": selector()},
					"endpoints": []any{map[string]any{"port": "metrics", "interval": "60s"}},
				},
			},
		})
	}
	if o.Rules {
		out = append(out, Object{
			Body: map[string]any{
				"apiVersion": MonitoringGroup + "/" + MonitoringVersion, "kind": KindRule, "metadata": metadata(o.Namespace, name),
				"spec": map[string]any{"groups": []any{map[string]any{"name": name, "rules": []any{alert()}}}},
			},
		})
	}
	return out
}

// alert has the name and the labels of Deckhouse's.
func alert() map[string]any {
	return map[string]any{
		"alert":  "ApplicationIsInMaintenanceMode",
		"expr":   "max by (namespace, name) (" + controller.MaintenanceMetric + ") == 1",
		"labels": map[string]any{"severity_level": "6"},
		"annotations": map[string]any{
			"summary": "Application {{ $labels.namespace }}/{{ $labels.name }} is in maintenance.",
			"description": "Its objects are neither applied nor restored. " +
				"To end this, remove spec.maintenance of the Application.",
		},
	}
}
