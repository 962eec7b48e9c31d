// Package catalog reaches what a PackageRepository leads to, whatever that is.
//
// # Flow
//
//	api.RegistrySpec ──Open──► Catalog ── Packages, Versions, Channels: what is on offer
//	                                   ── Metadata: requirements and schemas of a version
//	                                   ── Bundle: the files of a version
//
// spec.registry.repo is one of
//
//	HOST/PATH        a registry, laid out as package repository says
//	oci:DIRECTORY    an OCI layout, which holds one package
//	DIRECTORY        the sources of one package, or a directory whose sub-directories
//	                 are sources or OCI layouts; an absolute path
//
// The latter two are for trials: the directory is one where the controller runs.
// Sources without a version have the version "dev".
//
// # Invariants
//
//   - Only the credentials and certificates of the RegistrySpec are used, never those
//     of the person whose machine this runs on; no program that a configuration names
//     is run.
//   - Nothing in a directory that is only looked at is changed or run.
//   - What is on offer is told by the rules of package repository for all three:
//     a package without a version is ErrNoVersions.
//   - Credentials are in no error.
package catalog
