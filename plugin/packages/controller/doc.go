// Package controller watches the kinds of application packages in a cluster and has
// others do what they ask for.
//
// # Flow
//
//	PackageRepository ──► PackageRepositoryOperation ──scan──► ApplicationPackage,
//	                                                           ApplicationPackageVersion
//	Application ──► Desired ──► Runtime ──► status.Store ──Judge──► Application.status
//	Modules, versions, ConfigMap platform ──► Facts ──► Runtime
//
// One reconciler a kind, a file each:
//
//	application.go           submits Applications to the Runtime, holds their finalizer
//	application_status.go    writes what status.Judge says
//	package_version.go       fetches the metadata of a version, knows who uses it
//	package.go               which repositories offer a package, and who uses it
//	repository.go            when a repository is scanned
//	operation.go             one scan
//	facts.go                 what requirements are held against
//
// and beside them
//
//	gate.go                  how many workers may ask one repository
//	keeper.go                our definitions, where they are deleted meanwhile
//	metrics.go               which applications are in maintenance
//	metrics_tasks.go         what is to be done for each
//
// Manager.go joins them in a controller-runtime manager: leader election, shared
// watches, health, metrics. The Runtime comes from outside.
//
// # What may be touched
//
// Objects of the kinds of package api, their CustomResourceDefinitions, the Lease of
// the leader and its namespace. Objects of applications are the Runtime's.
//
// # Invariants
//
//   - A finalizer is there before anything is installed, and goes only when the Runtime
//     says that everything is gone.
//   - The Runtime hears of an Application only while this process leads.
//   - An Application whose package, version or repository isn't there is not
//     submitted; its conditions say which. What already runs goes on.
//   - Nothing is asked in intervals but repositories, and the server for its version and
//     kinds: all else is a watch, one a kind.
//   - A repository that doesn't answer holds up no other: few workers ask the same one at
//     a time, and each is bounded by time.
//   - What the server can't store is told in what it can: a status that is too large is
//     written without its large parts.
//   - A status is written only if it changes, and that of an Application at most some
//     times a second.
//   - Credentials of repositories are in no status and in no log.
//   - Where Deckhouse itself runs, the controller refuses to start.
package controller
