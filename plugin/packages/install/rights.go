package install

import (
	"slices"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/admission"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/controller"
)

// AggregationLabel on a ClusterRole, with the value "true", adds its rules to what the
// controller may do in the namespaces of applications.
const AggregationLabel = "packages.tazuna.pepabo.com/aggregate-to-controller"

// The cluster writes the aggregate anew whenever one of the roles with the label
// changes or goes, also one that was deleted a moment ago. So it has to be gone before
// them.
const (
	groupAnnotation = "kapp.k14s.io/change-group"
	ruleAnnotation  = "kapp.k14s.io/change-rule"
	rightsGroup     = "packages.tazuna.pepabo.com/rights"
)

// rule is one of a role, with what it is for.
type rule struct {
	why       string
	groups    []string
	resources []string
	// names are the only objects it is about; none: all.
	names []string
	verbs []string
}

func (r rule) body() map[string]any {
	body := map[string]any{"apiGroups": list(r.groups), "resources": list(r.resources), "verbs": list(r.verbs)}
	if len(r.names) > 0 {
		body["resourceNames"] = list(r.names)
	}
	return body
}

func list(texts []string) []any {
	out := make([]any, 0, len(texts))
	for _, t := range texts {
		out = append(out, t)
	}
	return out
}

const (
	reads  = "get,list,watch"
	writes = reads + ",create,update,patch,delete"
)

// right is a rule of comma-separated words; the group of the core kinds is empty.
func right(why, groups, resources, verbs string, names ...string) rule {
	of := func(words string) []string { return strings.Split(words, ",") }
	return rule{why: why, groups: of(groups), resources: of(resources), verbs: of(verbs), names: names}
}

// clusterRules are for what belongs to no namespace, and for the controller's start.
func clusterRules(o Options, definitions []string) []rule {
	rules := []rule{
		right("The definitions of the kinds have to be served before they are watched. The names are theirs.",
			"apiextensions.k8s.io", "customresourcedefinitions", "get", definitions...),
		right("Repositories are scanned, and hold a finalizer while there are versions of them.",
			api.Group, "packagerepositories", "get,list,watch,update,patch"),
		right("A scan is an object, and what it finds are objects: made, kept up and removed by the controller.",
			api.Group, "packagerepositoryoperations,applicationpackages,applicationpackageversions", writes),
		right("Their states are published.",
			api.Group, "packagerepositories/status,packagerepositoryoperations/status,applicationpackages/status,applicationpackageversions/status", "get,update,patch"),
		right("Owned objects keep their owner from going first, where the cluster checks who may ask for that.",
			api.Group, "packagerepositories/finalizers,packagerepositoryoperations/finalizers,applicationpackages/finalizers,applicationpackageversions/finalizers", "update"),
		right("Requirements on modules are held against these.",
			api.Group, "modules", reads),
		right("Where Deckhouse itself runs, the controller refuses to start.",
			"apps", "deployments", "get", "deckhouse"),
		right("The uid of kube-system names the cluster, and by it the socket that questions are answered on.",
			"", "namespaces", "get", "kube-system", o.Namespace),
	}
	if o.Webhook {
		rules = append(rules, right("The webhook's certificate is made anew with each start, and its authority written where the API server finds it. Only of this configuration, and not to make others.",
			"admissionregistration.k8s.io", "validatingwebhookconfigurations", "get,patch", admission.WebhookName))
	}
	return rules
}

// ownRules are for the namespace of the controller.
func ownRules() []rule {
	return []rule{
		right("Of several controllers one leads, by this Lease.",
			"coordination.k8s.io", "leases", "get,update,patch", controller.LeaseName),
		right("A Lease that isn't there is made; that can't be limited to a name.",
			"coordination.k8s.io", "leases", "create"),
		right("The Pod that leads is labelled, so that the Service leads to it.",
			"", "pods", "get,patch"),
		right("Who leads is told as an Event.",
			",events.k8s.io", "events", "create,patch"),
		right("What templates see of the platform.",
			"", "configmaps", reads, controller.PlatformConfigMap),
	}
}

// bootstrapRules are for the namespace default.
func bootstrapRules() []rule {
	return []rule{
		right("That a cluster is up is seen by this Service.",
			"", "services", reads, "kubernetes"),
	}
}

// minimalRules are what the controller does itself in a namespace with applications.
func minimalRules() []rule {
	return []rule{
		right("Applications are watched and hold a finalizer until all of them is removed.",
			api.Group, "applications", "get,list,watch,update,patch"),
		right("Their states are published.",
			api.Group, "applications/status", "get,update,patch"),
		right("Owned objects keep their owner from going first, where the cluster checks who may ask for that.",
			api.Group, "applications/finalizers", "update"),
		right("Releases are kept as Helm keeps them: in Secrets of the namespace. They can't be told apart from other Secrets by a rule.",
			"", "secrets", writes),
		right("The health of an application is that of these workloads.",
			"apps", "deployments,statefulsets", reads),
		right("What keeps a workload from becoming ready is looked for here.",
			",events.k8s.io,apps", "pods,events,replicasets,controllerrevisions", reads),
	}
}

// commonRules are the kinds that packages usually consist of.
func commonRules() []rule {
	return []rule{
		right("Settings, storage and addresses.",
			"", "configmaps,services,persistentvolumeclaims", writes),
		right("Pods that templates have themselves, and those that hooks remove.",
			"", "pods", writes),
		right("Workloads.",
			"apps", "deployments,statefulsets,daemonsets", writes),
		right("Jobs, also those of hooks in the templates.",
			"batch", "jobs,cronjobs", writes),
		right("Traffic from outside, and what may flow inside.",
			"networking.k8s.io", "ingresses,networkpolicies", writes),
		right("Numbers of replicas.",
			"autoscaling", "horizontalpodautoscalers", writes),
		right("Disruptions.",
			"policy", "poddisruptionbudgets", writes),
		right("Identities of workloads.",
			"", "serviceaccounts", writes),
		right("What these may do, in their namespace. The API server refuses to let the controller grant what it hasn't itself.",
			"rbac.authorization.k8s.io", "roles,rolebindings", writes),
	}
}

// roles are all roles and bindings.
func roles(o Options, definitions []string) []Object {
	switch o.Rights {
	case RightsNone:
		return nil
	case RightsAll:
		return []Object{binding(o, "ClusterRoleBinding", "", name, "cluster-admin",
			"Everything, in the whole cluster: chosen with --rbac=cluster-admin.")}
	case RightsCommon, RightsMinimal:
	}
	out := []Object{
		role("ClusterRole", "", name, "What the controller needs of the whole cluster.", clusterRules(o, definitions)),
		binding(o, "ClusterRoleBinding", "", name, name, ""),
		role("Role", o.Namespace, name, "What it needs in its own namespace.", ownRules()),
		binding(o, "RoleBinding", o.Namespace, name, name, ""),
		role("Role", "default", name, "What it looks at elsewhere.", bootstrapRules()),
		binding(o, "RoleBinding", "default", name, name, ""),
		aggregate(),
		added(nameMinimal, "What the controller itself does in the namespaces of applications.", minimalRules()),
	}
	if o.Rights == RightsCommon {
		out = append(out, added(nameCommon, "The kinds that packages usually consist of.", commonRules()))
	}
	if len(o.Namespaces) == 0 {
		return append(out, binding(o, "ClusterRoleBinding", "", nameApplications, nameApplications, "Applications of all namespaces are looked after."))
	}
	for _, namespace := range slices.Compact(slices.Sorted(slices.Values(o.Namespaces))) {
		out = append(out, binding(o, "RoleBinding", namespace, nameApplications, nameApplications, "Applications of this namespace are looked after."))
	}
	return out
}

// Names of the objects.
const (
	name             = "tazuna-packages"
	nameApplications = name + "-applications"
	nameMinimal      = nameApplications + "-minimal"
	nameCommon       = nameApplications + "-common"
)

func role(kind, namespace, name, why string, rules []rule) Object {
	o := Object{Why: why, Body: map[string]any{
		"apiVersion": "rbac.authorization.k8s.io/v1", "kind": kind, "metadata": metadata(namespace, name),
	}}
	bodies := make([]any, 0, len(rules))
	for _, r := range rules {
		bodies, o.Rules = append(bodies, r.body()), append(o.Rules, r.why)
	}
	o.Body["rules"] = bodies
	return o
}

// aggregate is filled by the cluster, with the rules of all roles with the label.
func aggregate() Object {
	meta := metadata("", nameApplications)
	meta["annotations"] = map[string]any{ruleAnnotation: "delete before deleting " + rightsGroup}
	return Object{
		Why: "What the controller may do in the namespaces of applications: the cluster puts\ntogether what ClusterRoles with this label allow. Where packages have objects of other\nkinds, add a ClusterRole with it.",
		Body: map[string]any{
			"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": meta,
			"aggregationRule": map[string]any{"clusterRoleSelectors": []any{
				map[string]any{"matchLabels": map[string]any{AggregationLabel: "true"}},
			}},
		},
	}
}

// added is a role whose rules the aggregate takes up.
func added(name, why string, rules []rule) Object {
	o := role("ClusterRole", "", name, why, rules)
	meta := metadata("", name)
	labels := labels()
	labels[AggregationLabel] = "true"
	meta["labels"], meta["annotations"] = labels, map[string]any{groupAnnotation: rightsGroup}
	o.Body["metadata"] = meta
	return o
}

func binding(o Options, kind, namespace, name, to, why string) Object {
	of := "ClusterRole"
	if kind == "RoleBinding" && to != nameApplications {
		of = "Role"
	}
	return Object{Why: why, Body: map[string]any{
		"apiVersion": "rbac.authorization.k8s.io/v1", "kind": kind, "metadata": metadata(namespace, name),
		"roleRef":  map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": of, "name": to},
		"subjects": []any{map[string]any{"kind": "ServiceAccount", "namespace": o.Namespace, "name": account}},
	}}
}
