package install

import (
	"maps"
	"slices"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/controller"
)

// Ports of the container.
const (
	metricsPort = 8080
	healthPort  = 8081
	webhookPort = 9443
)

// Directories of the container: all that can be written to.
const (
	workDir      = "/var/lib/tazuna"
	runDir       = "/run/tazuna"
	temporaryDir = "/tmp"
)

// unprivileged is the user of the image, who has no rights in it.
const unprivileged = 65532

// terminationSeconds is more than the controller takes to end what it is at.
const terminationSeconds = 60

// args are the command line of the controller.
func args(o Options) []any {
	out := []any{
		"packages", "controller",
		"--install-crds=false",
		"--system-namespace=" + o.Namespace,
		"--packages-dir=" + workDir + "/packages",
		"--metrics-bind-address=:8080",
		"--health-probe-bind-address=:8081",
		"--log-format=json",
	}
	if o.Webhook {
		out = append(out, "--webhook-bind-address=:9443", "--webhook-service="+o.Namespace+"/"+name)
	}
	for _, namespace := range o.Namespaces {
		out = append(out, "--namespaces="+namespace)
	}
	if o.PlatformVersion != "" {
		out = append(out, "--platform-version="+o.PlatformVersion)
	}
	return append(out, list(o.Args)...)
}

// ownFlags are those that args sets, and those that would take other rights.
func ownFlags() []string {
	return []string{
		"--install-crds", "--system-namespace", "--packages-dir", "--socket", "--metrics-bind-address", "--health-probe-bind-address",
		"--webhook-bind-address", "--webhook-service", "--webhook-url", "--protect", "--namespaces", "--platform-version", "--leader-elect",
	}
}

func selector() map[string]any { return map[string]any{"app.kubernetes.io/name": name} }

func deployment(o Options) Object {
	meta := map[string]any{
		"labels":      labels(),
		"annotations": map[string]any{"kubectl.kubernetes.io/default-container": containerName},
	}
	for key, value := range o.Annotations {
		meta["annotations"].(map[string]any)[key] = value //nolint:forcetypeassert // made above
	}
	return Object{
		Body: map[string]any{
			"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata(o.Namespace, name),
			"spec": map[string]any{
				"replicas": int64(o.Replicas),
				"selector": map[string]any{"matchLabels": selector()},
				// A new one that doesn't come up leaves the old one at work.
				"strategy": map[string]any{"type": "RollingUpdate", "rollingUpdate": map[string]any{"maxSurge": int64(1), "maxUnavailable": int64(0)}},
				"template": map[string]any{"metadata": meta, "spec": pod(o)},
			},
		},
		Why: "Of several replicas one works and the others stand by.",
	}
}

const containerName = "controller"

func pod(o Options) map[string]any {
	volumes := []any{}
	for _, v := range mounts() {
		volumes = append(volumes, map[string]any{"name": v.name, "emptyDir": map[string]any{}})
	}
	spec := map[string]any{
		"serviceAccountName":            account,
		"terminationGracePeriodSeconds": int64(terminationSeconds),
		"nodeSelector":                  map[string]any{"kubernetes.io/os": "linux"},
		"securityContext": map[string]any{
			"runAsNonRoot": true, "runAsUser": int64(unprivileged), "runAsGroup": int64(unprivileged), "fsGroup": int64(unprivileged),
			"seccompProfile": map[string]any{"type": "RuntimeDefault"},
		},
		"containers": []any{container(o)},
		"volumes":    volumes,
	}
	if len(o.PullSecrets) > 0 {
		var secrets []any
		for _, s := range o.PullSecrets {
			secrets = append(secrets, map[string]any{"name": s})
		}
		spec["imagePullSecrets"] = secrets
	}
	return spec
}

type mount struct{ name, path string }

func mounts() []mount {
	return []mount{{"work", workDir}, {"run", runDir}, {"tmp", temporaryDir}}
}

func container(o Options) map[string]any {
	var volumeMounts []any
	for _, v := range mounts() {
		volumeMounts = append(volumeMounts, map[string]any{"name": v.name, "mountPath": v.path})
	}
	ports := []any{port("metrics", metricsPort), port("health", healthPort)}
	if o.Webhook {
		ports = append(ports, port("webhook", webhookPort))
	}
	return map[string]any{
		"name": containerName, "image": o.Image, "args": args(o),
		"env": []any{
			field(controller.PodVariable, "metadata.name"),
			variable("HOME", workDir),
			variable("XDG_CACHE_HOME", workDir+"/cache"),
			// Where questions are answered; commands that ask are run in this container.
			variable("XDG_RUNTIME_DIR", runDir),
			variable("TMPDIR", temporaryDir),
		},
		"ports":          ports,
		"livenessProbe":  probe("/healthz", 20),
		"readinessProbe": probe("/readyz", 5),
		"resources":      resources(o),
		"securityContext": map[string]any{
			"allowPrivilegeEscalation": false, "readOnlyRootFilesystem": true,
			"capabilities": map[string]any{"drop": []any{"ALL"}},
		},
		"volumeMounts": volumeMounts,
	}
}

func variable(name, value string) map[string]any { return map[string]any{"name": name, "value": value} }

func field(name, path string) map[string]any {
	return map[string]any{"name": name, "valueFrom": map[string]any{"fieldRef": map[string]any{"fieldPath": path}}}
}

func port(name string, number int64) map[string]any {
	return map[string]any{"name": name, "containerPort": number, "protocol": "TCP"}
}

func probe(path string, seconds int64) map[string]any {
	return map[string]any{
		"httpGet":       map[string]any{"path": path, "port": "health"},
		"periodSeconds": seconds, "timeoutSeconds": int64(3), "failureThreshold": int64(3),
	}
}

func resources(o Options) map[string]any {
	out := map[string]any{}
	for kind, of := range map[string]map[string]string{"requests": o.Requests, "limits": o.Limits} {
		if len(of) == 0 {
			continue
		}
		values := map[string]any{}
		for _, name := range slices.Sorted(maps.Keys(of)) {
			values[name] = of[name]
		}
		out[kind] = values
	}
	return out
}

// service leads to the Pod that works: only it answers reviews, and only it has
// metrics of applications.
func service(o Options) Object {
	ports := []any{servicePort("metrics", metricsPort)}
	if o.Webhook {
		ports = append(ports, servicePort("webhook", 443))
	}
	to := selector()
	to[controller.LeaderLabel] = "true"
	return Object{
		Body: map[string]any{
			"apiVersion": "v1", "kind": "Service", "metadata": metadata(o.Namespace, name),
			"spec": map[string]any{"type": "ClusterIP", "selector": to, "ports": ports},
		},
		Why: "Leads to the Pod that works, which the controller labels.",
	}
}

func servicePort(name string, number int64) map[string]any {
	return map[string]any{"name": name, "port": number, "targetPort": name, "protocol": "TCP"}
}
