// Package config reads tazuna.yaml: the file that names the manifests of a
// cluster, what they wait for, and the contexts they may be applied to. It also
// reads kapp's configuration (kapp*.go).
//
// Flow: bytes → template → YAML nodes (for positions) → types, with every mistake
// collected on the way → included files in the place of their entries → checks
// that need everything (unique names, dependencies) → *File. There is one
// entrance, Load; Parse is the same for a root that was read elsewhere.
//
// What holds:
//
//   - Strict. An unknown field, a key written twice or a value of the wrong
//     type is an error with file and line, also behind a template. A file that
//     loads has no part that was silently ignored; LoadOptions.Lenient makes
//     warnings of what old files may have.
//   - All mistakes of a file and of what it includes come in one *Error.
//   - Error texts name keys, names and patterns, never other values.
//   - Nothing here touches a cluster or reads the environment. Of paths only
//     those of included files are looked at. Paths in a File are already joined
//     with the directory of the file that has them.
//   - What an included file says counts in whole: its manifests in their place,
//     its guard, minimum version, providers and tests on top.
//   - Manifest types are passed in. What options a type has and what it builds is
//     package build's matter; Reader is what it reads them with.
package config
