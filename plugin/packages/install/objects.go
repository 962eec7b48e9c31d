package install

import (
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/admission"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
)

// account is the ServiceAccount of the controller.
const account = name

// User is who the controller is to the API server.
func (o Options) User() string { return "system:serviceaccount:" + o.Namespace + ":" + account }

// Object is one of those that are installed.
type Object struct {
	Body map[string]any
	// Why is what it is for; may be empty, and may have several lines.
	Why string
	// Rules are what each of the rules of a role is for.
	Rules []string
	// Definition tells that it belongs to DefinitionsManifest.
	Definition bool
}

// Objects are all that is installed, in the order in which they are applied.
func Objects(o Options) ([]Object, error) {
	definitions, err := api.CRDs()
	if err != nil {
		return nil, err
	}
	var out []Object
	names := make([]string, 0, len(definitions))
	for _, d := range definitions {
		out = append(out, Object{Body: d.Object, Definition: true})
		names = append(names, d.GetName())
	}
	if o.CreateNamespace {
		out = append(out, namespace(o))
	}
	out = append(out, Object{Body: map[string]any{
		"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata(o.Namespace, account),
	}})
	out = append(out, roles(o, names)...)
	if o.Protect {
		for _, body := range admission.Policies([]string{o.User()}) {
			out = append(out, Object{Body: body, Why: protectReason(body)})
		}
	}
	if o.Webhook {
		out = append(out, Object{
			Body: admission.Unregistered(),
			Why:  "The controller fills in how it is asked, with the authority of its certificate. Until\nthen nobody is asked.",
		})
	}
	out = append(out, service(o), deployment(o))
	return append(out, monitoring(o)...), nil
}

// namespace is that of the controller, which nothing runs in that needs more than it.
func namespace(o Options) Object {
	meta, of := metadata("", o.Namespace), labels()
	of["pod-security.kubernetes.io/enforce"] = "restricted"
	meta["labels"] = of
	return Object{Body: map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": meta}}
}

func protectReason(body map[string]any) string {
	if body["kind"] != "ValidatingAdmissionPolicy" {
		return ""
	}
	return "Nobody but the controller and the parts of Kubernetes changes objects of applications,\nunless they are in maintenance."
}

func metadata(namespace, name string) map[string]any {
	meta := map[string]any{"name": name, "labels": labels()}
	if namespace != "" {
		meta["namespace"] = namespace
	}
	return meta
}

func labels() map[string]any {
	return map[string]any{
		"app.kubernetes.io/name": name, "app.kubernetes.io/component": "controller", "app.kubernetes.io/part-of": "kubectl-tazuna",
	}
}
