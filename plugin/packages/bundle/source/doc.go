// Package source gets packages from where they are: a directory, an OCI layout,
// a registry.
//
// Flow:
//
//	"./web"                       ─ directory with package.yaml ─┐
//	"./layout", "oci:./layout:v1" ─ OCI layout ─► unpacked ──────┼─► bundle.Read ─► *Package
//	"ghcr.io/org/web:v1.2.3"      ─ registry ─► unpacked ────────┘
//
// A text that leads to an existing directory means that directory; everything
// else is a reference to a registry.
//
// # Invariants
//
//   - A Package has files in a directory (Dir), because hooks are programs.
//     A directory of the user's is used as it is, and never written to. An image is
//     unpacked into a temporary directory that Close removes.
//   - Files are reached through a handle of that directory: a link out of it is
//     an error of whoever follows it.
//   - Open gives a Package without Error findings, or an error with all of them.
//     Warnings are in Package.Warnings.
//   - Origin tells what exactly it is: of an image its digest.
package source
