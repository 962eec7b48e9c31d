// Package bundle reads application packages: what package.yaml says, which files
// there are, and whether they are what the platform takes them for.
//
// Flow:
//
//	fs.FS (a directory, an unpacked image) ──Read──► Bundle + Findings
//	package.yaml ──ParseDefinition──► Definition + Findings
//	Requirements + Facts of a cluster ──Unmet──► what doesn't hold
//
// Everything here is pure: files come from an fs.FS, and nothing is fetched,
// unpacked or run. Package source below gets bundles from where they are, package
// repository lists what a registry offers; schemas are package schema's matter,
// hooks package hook's.
//
// # Files of a bundle
//
//	package.yaml              the definition; its version is put in by a build
//	images_digests.json       image name → sha256:…; none is no error
//	openapi/settings.yaml     schema of what users may set (before: config-values.yaml)
//	openapi/values.yaml       schema of all values
//	templates/, charts/       a chart without Chart.yaml; either templates/ or
//	                          Chart.yaml makes the package one that renders
//	hooks/                    programs
//	changelog.yaml, docs/, oss.yaml, icon   for catalogues
//
// # Invariants
//
//   - Nothing is ignored in silence: what the platform skips is a Finding, with
//     file, line and key. It is an Error where the package would not be what its
//     author means (a misspelt key, a requirement that can't be read), else a
//     Warning.
//   - All findings of a bundle come at once, in the order of its files.
//   - A Definition without Error findings is complete: every constraint parses,
//     every module stands in one bucket.
//   - Sizes are bounded (maxFile): a bundle comes from strangers.
//   - Texts of findings name keys, names and constraints, nothing else of the files.
package bundle
