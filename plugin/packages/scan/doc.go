// Package scan decides what a look at a repository means: which versions are new, which
// are gone, what is wrong.
//
// # Flow
//
//	Look(catalogue) ──► Found ─┐
//	                           ├─ Decide(known, found, full) ──► Result
//	what the cluster has: Known┘
//
//	Metadata(bundle.Metadata) ──► what an ApplicationPackageVersion tells
//
// Look asks the registry; Decide and Metadata are pure. Who makes and changes objects
// by a Result is package controller.
//
// # Full and incremental
//
// Both list all packages and their versions. A full scan holds what is known against
// what was found: a version that is gone is told to be (Gone), a package without any
// version is an error. An incremental one only adds: what it doesn't find stays known,
// so that a listing with holes takes nothing away.
//
// # Invariants
//
//   - A package that can't be read is among Failed with its reason, and disturbs no
//     other.
//   - Nothing that could not be listed is ever Gone.
//   - A tag that was ignored is told with its reason, of packages as well as of
//     versions; it fails nothing.
//   - Lists are sorted: names as text, versions as versions.
package scan
