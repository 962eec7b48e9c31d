package e2e

import "k8s.io/apimachinery/pkg/runtime/schema"

func deployments() editedKind {
	const container = "spec/template/spec/containers/0/"
	return editedKind{
		prefix:   "deployment",
		resource: schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"},
		template: `{"apiVersion":"apps/v1","kind":"Deployment","spec":{"replicas":1,"selector":{"matchLabels":{"pod":"a"}},
			"template":{"metadata":{"labels":{"pod":"a"}},"spec":{"containers":[{"name":"web","image":"example.com/web:1",
			"args":["a","b"],"env":[{"name":"A","value":"1"},{"name":"B","value":"2"}],
			"ports":[{"containerPort":8080}],"resources":{"requests":{"cpu":"100m","memory":"128Mi"}}}]}}}}`,
		edits: metadata(
			set("spec/replicas", int64(0), int64(1), int64(2), nil),
			set("spec/minReadySeconds", int64(0), int64(1), nil),
			set("spec/paused", true, false, nil),
			set("spec/strategy", nil, m{"type": "RollingUpdate", "rollingUpdate": m{"maxSurge": int64(1), "maxUnavailable": "25%"}}),
			set("spec/template/metadata/annotations/restart", "1", "2", nil),
			set("spec/template/spec/nodeSelector/disk", "ssd", "hdd", nil),
			set("spec/template/spec/securityContext", m{}, m{"runAsUser": int64(1000)}, nil),
			set("spec/template/spec/terminationGracePeriodSeconds", int64(30), int64(5), nil),
			set("spec/template/spec/tolerations", list(), list(m{"key": "a", "operator": "Exists"}), nil),
			set(container+"image", "example.com/web:1", "example.com/web:2"),
			set(container+"imagePullPolicy", "Always", "IfNotPresent", nil),
			set(container+"args", list("a", "b"), list("b", "a"), list(), nil),
			set(container+"command", list("run"), nil),
			set(container+"resources/requests/cpu", "100m", "0.1", "200m", nil),
			set(container+"resources/limits/memory", "1Gi", "1024Mi", nil),
			item(container+"env", "name",
				m{"name": "A", "value": "1"}, m{"name": "A", "value": "2"}, m{"name": "B", "value": "2"}, m{"name": "C"}),
			item(container+"ports", "containerPort",
				m{"containerPort": int64(8080)}, m{"containerPort": int64(9090), "name": "metrics"},
				m{"containerPort": int64(8080), "name": "http", "protocol": "TCP"}),
			item("spec/template/spec/volumes", "name",
				m{"name": "tmp", "emptyDir": m{}}, m{"name": "tmp", "emptyDir": m{"sizeLimit": "1Gi"}}),
		),
	}
}

// podEdits are edits of a Pod template that need no other values than it has.
func podEdits(template string) []edit {
	spec, container := template+"/spec/", template+"/spec/containers/0/"
	return []edit{
		set(template+"/metadata/labels/extra", "1", "2", nil),
		set(template+"/metadata/annotations/restart", "1", "2", nil),
		set(spec+"priorityClassName", "system-node-critical", nil),
		set(spec+"securityContext", m{}, m{"runAsUser": int64(1000)}, m{"fsGroup": int64(1)}, nil),
		set(spec+"affinity", m{}, nil),
		set(spec+"topologySpreadConstraints", list(), nil, list(m{"maxSkew": int64(1), "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway"})),
		set(spec+"imagePullSecrets", list(m{"name": "a"}), list(m{"name": "b"}), nil),
		set(container+"image", "example.com/web:1", "example.com/web:2"),
		set(container+"command", list("run"), list("run", "it"), nil),
		set(container+"livenessProbe", nil, m{"httpGet": m{"path": "/", "port": int64(80)}}, m{"httpGet": m{"path": "/", "port": "http"}}, m{"tcpSocket": m{"port": int64(80)}, "periodSeconds": int64(10)}),
		set(container+"lifecycle", nil, m{"preStop": m{"exec": m{"command": list("stop")}}}),
		set(container+"resources/limits/cpu", "1", "1000m", int64(1), "2", nil),
		item(container+"env", "name", m{"name": "A", "value": "1"}, m{"name": "A", "value": "2"},
			m{"name": "B", "valueFrom": m{"fieldRef": m{"fieldPath": "metadata.name"}}}, m{"name": "B", "valueFrom": m{"secretKeyRef": m{"name": "a", "key": "b"}}}),
		item(container+"volumeMounts", "mountPath", m{"name": "data", "mountPath": "/data"}, m{"name": "data", "mountPath": "/data", "readOnly": true}),
		item(spec+"volumes", "name", m{"name": "data", "emptyDir": m{}}, m{"name": "data", "configMap": m{"name": "a"}},
			m{"name": "data", "configMap": m{"name": "a", "items": list(m{"key": "a", "path": "b"})}}),
	}
}

const webContainer = `"containers":[{"name":"web","image":"example.com/web:1","env":[{"name":"A","value":"1"}]}],
	"volumes":[{"name":"data","emptyDir":{}}]`

func statefulSets() editedKind {
	return editedKind{
		prefix: "statefulset", resource: resourceOf("apps/v1/statefulsets"),
		template: `{"apiVersion":"apps/v1","kind":"StatefulSet","spec":{"replicas":0,"serviceName":"a","selector":{"matchLabels":{"pod":"s"}},
			"template":{"metadata":{"labels":{"pod":"s"}},"spec":{` + webContainer + `}},
			"volumeClaimTemplates":[{"metadata":{"name":"claim"},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}}]}}`,
		edits: metadata(append(podEdits("spec/template"),
			set("spec/minReadySeconds", int64(0), int64(1), nil),
			set("spec/updateStrategy", nil, m{"type": "OnDelete"}, m{"type": "RollingUpdate"}, m{"type": "RollingUpdate", "rollingUpdate": m{"partition": int64(1)}}),
			set("spec/persistentVolumeClaimRetentionPolicy", nil, m{"whenDeleted": "Retain", "whenScaled": "Delete"}),
			set("spec/ordinals", nil, m{"start": int64(1)}),
			set("spec/volumeClaimTemplates/0/spec/volumeMode", "Filesystem", nil),
		)...),
	}
}

// daemonSets select no node.
func daemonSets() editedKind {
	return editedKind{
		prefix: "daemonset", resource: resourceOf("apps/v1/daemonsets"),
		template: `{"apiVersion":"apps/v1","kind":"DaemonSet","spec":{"selector":{"matchLabels":{"pod":"d"}},
			"template":{"metadata":{"labels":{"pod":"d"}},"spec":{"nodeSelector":{"no":"node"},` + webContainer + `}}}}`,
		edits: metadata(append(podEdits("spec/template"),
			set("spec/minReadySeconds", int64(0), int64(1), nil),
			set("spec/revisionHistoryLimit", int64(10), int64(2), nil),
			set("spec/updateStrategy", nil, m{"type": "OnDelete"}, m{"type": "RollingUpdate", "rollingUpdate": m{"maxUnavailable": "10%"}}),
			set("spec/template/spec/nodeSelector/more", "a", "b", nil),
		)...),
	}
}

// jobs never start; their templates can't change.
func jobs() editedKind {
	return editedKind{
		prefix: "job", resource: resourceOf("batch/v1/jobs"),
		template: `{"apiVersion":"batch/v1","kind":"Job","spec":{"suspend":true,"template":{"spec":{"restartPolicy":"Never",` + webContainer + `}}}}`,
		edits: metadata(
			set("spec/parallelism", int64(1), int64(2), nil),
			set("spec/activeDeadlineSeconds", int64(100), int64(200), nil),
			set("spec/ttlSecondsAfterFinished", int64(100), int64(200), nil),
			set("spec/backoffLimit", int64(6), int64(1), nil),
			set("spec/template/spec/nodeSelector/no", "node", nil),
			set("spec/template/metadata/annotations/note", "1", "2", nil),
		),
	}
}

func cronJobs() editedKind {
	return editedKind{
		prefix: "cronjob", resource: resourceOf("batch/v1/cronjobs"),
		template: `{"apiVersion":"batch/v1","kind":"CronJob","spec":{"schedule":"0 0 1 1 *","suspend":true,
			"jobTemplate":{"spec":{"template":{"spec":{"restartPolicy":"Never",` + webContainer + `}}}}}}`,
		edits: metadata(append(podEdits("spec/jobTemplate/spec/template"),
			set("spec/schedule", "0 0 1 1 *", "0 1 1 1 *"),
			set("spec/timeZone", "Etc/UTC", nil),
			set("spec/concurrencyPolicy", "Allow", "Forbid", nil),
			set("spec/successfulJobsHistoryLimit", int64(3), int64(1), nil),
			set("spec/startingDeadlineSeconds", int64(100), nil),
			set("spec/jobTemplate/metadata/labels/a", "1", "2", nil),
			set("spec/jobTemplate/spec/backoffLimit", int64(6), int64(1), nil),
		)...),
	}
}

// autoscaling is of nothing that exists.
func autoscaling() editedKind {
	cpu := func(percent int64) m {
		return m{"type": "Resource", "resource": m{"name": "cpu", "target": m{"type": "Utilization", "averageUtilization": percent}}}
	}
	memory := m{"type": "Resource", "resource": m{"name": "memory", "target": m{"type": "AverageValue", "averageValue": "1Gi"}}}
	return editedKind{
		prefix: "autoscaler", resource: resourceOf("autoscaling/v2/horizontalpodautoscalers"),
		template: `{"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","spec":{"maxReplicas":5,
			"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"none"},
			"metrics":[{"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":80}}}]}}`,
		edits: metadata(
			set("spec/minReplicas", int64(1), int64(2), nil),
			set("spec/maxReplicas", int64(5), int64(6)),
			set("spec/metrics", list(cpu(80)), list(cpu(50)), list(cpu(80), memory), list(memory, cpu(80)), nil),
			set("spec/behavior", nil, m{"scaleDown": m{"stabilizationWindowSeconds": int64(300)}},
				m{"scaleUp": m{"policies": list(m{"type": "Pods", "value": int64(1), "periodSeconds": int64(60)})}}),
		),
	}
}

func disruptionBudgets() editedKind {
	return editedKind{
		prefix: "budget", resource: resourceOf("policy/v1/poddisruptionbudgets"),
		template: `{"apiVersion":"policy/v1","kind":"PodDisruptionBudget","spec":{"minAvailable":1,"selector":{"matchLabels":{"none":"none"}}}}`,
		edits: metadata(
			set("spec/minAvailable", int64(1), "50%", "1", int64(2)),
			set("spec/selector", m{}, m{"matchLabels": m{"none": "none"}}, m{"matchExpressions": list(m{"key": "none", "operator": "Exists"})}),
			set("spec/unhealthyPodEvictionPolicy", "IfHealthyBudget", "AlwaysAllow", nil),
		),
	}
}
