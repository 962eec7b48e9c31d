package admission

import (
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
)

// Names of the objects with which an API server asks us, or judges by itself.
const (
	WebhookName        = "tazuna-applications"
	PolicyHeritage     = "tazuna-heritage"
	PolicyInstanceName = "tazuna-instance-objects"
)

// Target is where the API server finds the webhook: at a URL, or behind a Service.
type Target struct {
	// URL is https://HOST:PORT, without a path; "" is the Service.
	URL string
	// Namespace and Service name the Service, whose port is 443.
	Namespace, Service string
}

func (t Target) clientConfig(bundle []byte) map[string]any {
	config := map[string]any{"caBundle": base64.StdEncoding.EncodeToString(bundle)}
	if t.URL != "" {
		config["url"] = strings.TrimSuffix(t.URL, "/") + Path
		return config
	}
	config["service"] = map[string]any{"namespace": t.Namespace, "name": t.Service, "path": Path, "port": int64(443)}
	return config
}

// Webhook is the configuration by which the API server asks us about Applications. It
// asks about creations, and about changes of the spec of what isn't being deleted: so
// finalizers come off also where nobody answers.
func Webhook(t Target, bundle []byte) map[string]any {
	return map[string]any{
		"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration",
		"metadata": map[string]any{"name": WebhookName, "labels": labels()},
		"webhooks": []any{map[string]any{
			"name": "applications.packages." + api.Group, "admissionReviewVersions": []any{"v1"},
			"clientConfig": t.clientConfig(bundle), "sideEffects": "None", "failurePolicy": "Fail",
			"timeoutSeconds": int64(Timeout.Seconds()) + 1, "matchPolicy": "Equivalent",
			"rules": []any{map[string]any{
				"apiGroups": []any{api.Group}, "apiVersions": []any{api.GroupVersion().Version}, "resources": []any{"applications"},
				"operations": []any{"CREATE", "UPDATE"}, "scope": "Namespaced",
			}},
			"matchConditions": []any{
				map[string]any{"name": "spec-changes", "expression": "request.operation == 'CREATE' || object.spec != oldObject.spec"},
				map[string]any{"name": "lives-on", "expression": "!has(object.metadata.deletionTimestamp)"},
			},
		}},
	}
}

// Unregistered is the configuration before anybody is asked. Where one that was
// installed is filled in, nobody has to be allowed to make others.
func Unregistered() map[string]any {
	return map[string]any{
		"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration",
		"metadata": map[string]any{"name": WebhookName, "labels": labels()},
	}
}

func labels() map[string]any {
	return map[string]any{"app.kubernetes.io/managed-by": "kubectl-tazuna", "app.kubernetes.io/part-of": "tazuna-packages"}
}

// Policies protect the objects of applications from being changed past the controller
// (as on Deckhouse): those with the label heritage: deckhouse, and those whose names begin
// with d8a-. Objects in maintenance are left alone. trusted are users who may change
// them: the controller itself. The control plane's own controllers and the kubelets may,
// too. Subresources are left alone: a Scale has no labels that would tell of
// maintenance.
func Policies(trusted []string) []map[string]any {
	heritage := policy(PolicyHeritage, map[string]any{"matchLabels": map[string]any{api.LabelHeritage: "deckhouse"}}, trusted, nil,
		"it belongs to an application: change the Application's settings, or set spec.maintenance to NoResourceReconciliation")
	named := policy(PolicyInstanceName, map[string]any{}, trusted, []any{
		condition("named-for-an-instance", "("+subject+").metadata.name.startsWith('d8a-')"),
		// Users of the cluster delete Pods to have them made again.
		condition("no-deleted-pod", "!(request.operation == 'DELETE' && request.resource.group == '' && request.resource.resource == 'pods')"),
		// What an application makes at runtime, it makes as its own service account.
		condition("not-by-an-application", "!request.userInfo.username.matches('^system:serviceaccount:[^:]+:d8a-')"),
	}, "names that begin with d8a- belong to applications: change the Application's settings, or set its spec.maintenance to NoResourceReconciliation")
	return append(heritage, named...)
}

// subject is the object as it was, or as it is to be where it wasn't.
const subject = "request.operation == 'CREATE' ? object : oldObject"

func condition(name, expression string) any {
	return map[string]any{"name": name, "expression": expression}
}

// policy is a ValidatingAdmissionPolicy that refuses whatever its conditions let
// through, with its binding.
func policy(name string, selector map[string]any, trusted []string, conditions []any, message string) []map[string]any {
	operations := []any{"UPDATE", "DELETE"}
	if len(conditions) > 0 {
		operations = append(operations, "CREATE")
	}
	conditions = append([]any{
		condition("not-trusted", notTrusted(trusted)),
		condition("not-in-maintenance", fmt.Sprintf("!has((%[1]s).metadata.labels) || !('%[2]s' in (%[1]s).metadata.labels)", subject, api.LabelMaintenance)),
	}, conditions...)
	return []map[string]any{{
		"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy",
		"metadata": map[string]any{"name": name, "labels": labels()},
		"spec": map[string]any{
			"failurePolicy": "Fail",
			"matchConstraints": map[string]any{
				"objectSelector": selector,
				"resourceRules": []any{map[string]any{
					"apiGroups": []any{"*"}, "apiVersions": []any{"*"}, "resources": []any{"*"}, "operations": operations, "scope": "Namespaced",
				}},
				// Events and leases are written by everybody about everything.
				"excludeResourceRules": []any{map[string]any{
					"apiGroups": []any{"", "events.k8s.io", "coordination.k8s.io", "discovery.k8s.io"}, "apiVersions": []any{"*"},
					"resources": []any{"events", "leases", "endpoints", "endpointslices"}, "operations": []any{"*"},
				}},
			},
			"matchConditions": conditions,
			"validations": []any{map[string]any{
				"expression":        "false",
				"messageExpression": fmt.Sprintf("request.resource.resource + ' ' + request.namespace + '/' + (%s).metadata.name + ': ' + %s", subject, quote(message)),
				"message":           message, "reason": "Forbidden",
			}},
		},
	}, {
		"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicyBinding",
		"metadata": map[string]any{"name": name, "labels": labels()},
		"spec":     map[string]any{"policyName": name, "validationActions": []any{"Deny"}},
	}}
}

// notTrusted excepts those who look after objects: the controller, and the parts of the
// cluster itself.
func notTrusted(trusted []string) string {
	users := []string{"system:kube-controller-manager", "system:kube-scheduler", "system:apiserver"}
	quoted := make([]string, 0, len(users)+len(trusted))
	for _, u := range append(users, trusted...) {
		quoted = append(quoted, quote(u))
	}
	return "!(request.userInfo.username in [" + strings.Join(quoted, ", ") + "])" +
		" && !request.userInfo.username.startsWith('system:serviceaccount:kube-system:') && !('system:nodes' in request.userInfo.groups)"
}

// quote writes a text as CEL does.
func quote(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\n", `\n`).Replace(text) + "'"
}
