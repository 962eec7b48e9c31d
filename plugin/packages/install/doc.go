// Package install says which objects the packages controller consists of when it runs
// in the cluster itself.
//
// # Flow
//
//	Options ─Objects─► []Object ─┬─ YAML, JSON      printed, with what each right is for
//	                             └─ Manifest of each ─► plan and apply (command)
//
//	options.go     what can be chosen, and what is refused
//	objects.go     all objects, in the order in which they are applied
//	rights.go      the rules of the roles, each with its reason
//	workload.go    Deployment and Service
//	monitoring.go  PrometheusRule and ServiceMonitor
//	print.go       as a file
//	left.go        what is in the cluster because of an installation, but on no record
//
// # Two records
//
// The definitions of our kinds are a manifest of their own, DefinitionsManifest: with
// them go all Applications, so "packages uninstall --crds=keep" leaves that record and
// its objects alone. All else is Manifest.
//
// # Invariants
//
//   - Objects is a function of its Options: no cluster is asked, no clock, nothing is
//     random. What the cluster serves is an option.
//   - The controller that is started here writes no definition and no policy and makes
//     no namespace: these are installed, so it needs no right to. Of the webhook's
//     configuration it fills in one that is there.
//   - Every rule of a role says what it is for; one that can name its objects does.
//   - The controller gets no right to grant rights that it hasn't itself (escalate,
//     bind, impersonate), but by RightsAll.
//   - Nothing that is printed is a secret: there is none.
package install
