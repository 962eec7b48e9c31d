// Package config reads tazuna.yaml: the file that names the manifests of a
// cluster, in order, and the contexts they may be applied to.
//
// Flow: bytes → YAML nodes (for positions) → types, with every mistake
// collected on the way → checks that need the whole file (unique names, the
// version gate) → *File. There is one entrance, Load; Parse is the same without
// the disk.
//
// What holds:
//
//   - Strict. An unknown field, a key written twice or a value of the wrong
//     type is an error with file and line. A file that loads has no part that
//     was silently ignored.
//   - All mistakes of a file come in one *Error, in the order of the file.
//   - Error texts name keys, names and patterns, never other values.
//   - Nothing here touches a cluster, reads the environment or looks at what a
//     path points to. Paths in a File are already joined with its directory.
//   - A manifest type is one file (manifest_*.go) and one line in
//     manifestTypes. What a type builds is package build's matter.
package config
