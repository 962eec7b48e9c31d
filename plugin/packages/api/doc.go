// +k8s:deepcopy-gen=package

// Package api has the kinds of application packages, as the platform has them: group
// deckhouse.io, version v1alpha1.
//
//	Application                  namespaced: an instance of a version of a package
//	PackageRepository            a registry with packages, and how it is reached
//	PackageRepositoryOperation   one scan of a repository
//	ApplicationPackage           a package that some repository offers
//	ApplicationPackageVersion    one version of it in one repository: its requirements
//	                             and schemas, and who uses it
//	Module                       what an application can require; on a cluster without
//	                             the platform it only says "this is here, at version V"
//
// Beside the types there are the names that everybody has to write the same way
// (labels, annotations, finalizers, InstanceName, VersionName), and the
// CustomResourceDefinitions below crds/.
//
// # Flow
//
//	AddToScheme(scheme)  makes the types known to a client
//	CRDs()               is what a cluster has to be told first
//
// # Invariants
//
//   - Names, fields and enumerations are the platform's: its manifests work here, and
//     ours there. What only we have is in no field of these kinds.
//   - The types and the schemas of the definitions say the same; a test holds them
//     together. A field that is new here is also new there, with a description.
//   - Nothing here does IO or decides anything; there is no dependency but
//     apimachinery.
//   - Free JSON (settings, schemas) is kept as the bytes that came, so that no number
//     changes.
//   - zz_generated.deepcopy.go is generated, see generate.go.
package api
