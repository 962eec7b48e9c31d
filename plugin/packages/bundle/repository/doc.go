// Package repository knows where in a registry the parts of packages are, and
// tells what is on offer.
//
//	REPO:PACKAGE                           makes the package listed; no content
//	REPO/PACKAGE:vX.Y.Z                    the bundle
//	REPO/PACKAGE@sha256:…                  images of its workloads
//	REPO/PACKAGE/version:vX.Y.Z            metadata of the version
//	REPO/PACKAGE/release-channel:CHANNEL   metadata of the version of a channel
//
// A layout directory has no repositories, so there the tags tell: vX.Y.Z is the
// bundle, version/vX.Y.Z the metadata. A layout holds one package.
//
// # Invariants
//
//   - A listing that finds nothing where something must be is an error: a
//     repository without any version is never "no versions".
//   - A tag that is ignored is told, with the reason. Only the six release channels
//     are channels, only vMAJOR.MINOR.PATCH are versions.
//   - What an incremental listing didn't look at stays known (Merge).
//   - Versions are sorted as versions, names as text.
package repository
