package install

import (
	"slices"

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

var (
	reads  = []string{"get", "list", "watch"}
	writes = []string{"get", "list", "watch", "create", "update", "patch", "delete"}
)

// clusterRules are for what belongs to no namespace, and for the controller's start.
func clusterRules(o Options, definitions []string) []rule {
	rules := []rule{
		{"The definitions of the kinds have to be served before they are watched. The names are theirs.",
			[]string{"apiextensions.k8s.io"}, []string{"customresourcedefinitions"}, definitions, []string{"get"}},
		{"Repositories are scanned, and hold a finalizer while there are versions of them.",
			[]string{api.Group}, []string{"packagerepositories"}, nil, []string{"get", "list", "watch", "update", "patch"}},
		{"A scan is an object, and what it finds are objects: made, kept up and removed by the controller.",
			[]string{api.Group}, []string{"packagerepositoryoperations", "applicationpackages", "applicationpackageversions"}, nil, writes},
		{"Their states are published.",
			[]string{api.Group}, []string{"packagerepositories/status", "packagerepositoryoperations/status", "applicationpackages/status", "applicationpackageversions/status"}, nil, []string{"get", "update", "patch"}},
		{"Owned objects keep their owner from going first, where the cluster checks who may ask for that.",
			[]string{api.Group}, []string{"packagerepositories/finalizers", "packagerepositoryoperations/finalizers", "applicationpackages/finalizers", "applicationpackageversions/finalizers"}, nil, []string{"update"}},
		{"Requirements on modules are held against these.",
			[]string{api.Group}, []string{"modules"}, nil, reads},
		{"Where Deckhouse itself runs, the controller refuses to start.",
			[]string{"apps"}, []string{"deployments"}, []string{"deckhouse"}, []string{"get"}},
		{"The uid of kube-system names the cluster, and by it the socket that questions are answered on.",
			[]string{""}, []string{"namespaces"}, []string{"kube-system", o.Namespace}, []string{"get"}},
	}
	if o.Webhook {
		rules = append(rules, rule{
			"The webhook's certificate is made anew with each start, and its authority written where the API server finds it. Only of this configuration, and not to make others.",
			[]string{"admissionregistration.k8s.io"}, []string{"validatingwebhookconfigurations"}, []string{admission.WebhookName}, []string{"get", "patch"},
		})
	}
	return rules
}

// ownRules are for the namespace of the controller.
func ownRules() []rule {
	return []rule{
		{"Of several controllers one leads, by this Lease.",
			[]string{"coordination.k8s.io"}, []string{"leases"}, []string{controller.LeaseName}, []string{"get", "update", "patch"}},
		{"A Lease that isn't there is made; that can't be limited to a name.",
			[]string{"coordination.k8s.io"}, []string{"leases"}, nil, []string{"create"}},
		{"The Pod that leads is labelled, so that the Service leads to it.",
			[]string{""}, []string{"pods"}, nil, []string{"get", "patch"}},
		{"Who leads is told as an Event.",
			[]string{"", "events.k8s.io"}, []string{"events"}, nil, []string{"create", "patch"}},
		{"What templates see of the platform.",
			[]string{""}, []string{"configmaps"}, []string{controller.PlatformConfigMap}, reads},
	}
}

// bootstrapRules are for the namespace default.
func bootstrapRules() []rule {
	return []rule{{
		"That a cluster is up is seen by this Service.",
		[]string{""}, []string{"services"}, []string{"kubernetes"}, reads,
	}}
}

// minimalRules are what the controller does itself in a namespace with applications.
func minimalRules() []rule {
	return []rule{
		{"Applications are watched and hold a finalizer until all of them is removed.",
			[]string{api.Group}, []string{"applications"}, nil, []string{"get", "list", "watch", "update", "patch"}},
		{"Their states are published.",
			[]string{api.Group}, []string{"applications/status"}, nil, []string{"get", "update", "patch"}},
		{"Owned objects keep their owner from going first, where the cluster checks who may ask for that.",
			[]string{api.Group}, []string{"applications/finalizers"}, nil, []string{"update"}},
		{"Releases are kept as Helm keeps them: in Secrets of the namespace. They can't be told apart from other Secrets by a rule.",
			[]string{""}, []string{"secrets"}, nil, writes},
		{"The health of an application is that of these workloads.",
			[]string{"apps"}, []string{"deployments", "statefulsets"}, nil, reads},
		{"What keeps a workload from becoming ready is looked for here.",
			[]string{"", "events.k8s.io", "apps"}, []string{"pods", "events", "replicasets", "controllerrevisions"}, nil, reads},
	}
}

// commonRules are the kinds that packages usually consist of.
func commonRules() []rule {
	return []rule{
		{"Settings, storage and addresses.",
			[]string{""}, []string{"configmaps", "services", "persistentvolumeclaims"}, nil, writes},
		{"Pods that templates have themselves, and those that hooks remove.",
			[]string{""}, []string{"pods"}, nil, writes},
		{"Workloads.",
			[]string{"apps"}, []string{"deployments", "statefulsets", "daemonsets"}, nil, writes},
		{"Jobs, also those of hooks in the templates.",
			[]string{"batch"}, []string{"jobs", "cronjobs"}, nil, writes},
		{"Traffic from outside, and what may flow inside.",
			[]string{"networking.k8s.io"}, []string{"ingresses", "networkpolicies"}, nil, writes},
		{"Numbers of replicas.",
			[]string{"autoscaling"}, []string{"horizontalpodautoscalers"}, nil, writes},
		{"Disruptions.",
			[]string{"policy"}, []string{"poddisruptionbudgets"}, nil, writes},
		{"Identities of workloads.",
			[]string{""}, []string{"serviceaccounts"}, nil, writes},
		{"What these may do, in their namespace. The API server refuses to let the controller grant what it hasn't itself.",
			[]string{"rbac.authorization.k8s.io"}, []string{"roles", "rolebindings"}, nil, writes},
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
