package packages

import "github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle"

// warnOfRequirements says what a cluster of this version would refuse the package
// for. Without a cluster nothing is known of the platform and its modules.
func (o *platformOptions) warnOfRequirements(env *Env, r bundle.Requirements) {
	onVersion := bundle.Requirements{Kubernetes: r.Kubernetes}
	for _, u := range onVersion.Unmet(bundle.Facts{Kubernetes: o.kubeVersion}) {
		env.warn("a cluster would refuse this package: requirement " + u.String())
	}
}
