// Package pack makes the images of a package and puts them into a repository or
// an OCI layout.
//
// Flow:
//
//	fs.FS ──Build──► Images (bundle, metadata) ──Push──► repository or layout
//
// The bundle image holds the files of the package, with the version put into
// package.yaml. The metadata image holds what a catalogue needs: package.yaml,
// version.json, changelog.yaml, openapi/, docs/.
//
// # Invariants
//
//   - The same files and version give the same digests, on every machine and at
//     every time: entries are sorted, times, owners and links are left out, modes
//     are 0644 and 0755.
//   - What is left out is told (Images.Left). Nothing is followed out of the
//     package: fsys has to be one that doesn't, such as os.Root's.
//   - A package that has Error findings is not built.
//   - A version that is there is not overwritten unless that is asked for, and
//     before anything is written both images are looked at. The same content is
//     fine always.
//   - The tag that makes a package listed comes last.
package pack
