// Package build turns manifests into objects: it reads YAML and JSON files,
// directories and standard input, and runs kustomize in the process.
//
// Flow: Manifest → Builder.Build (one manifest, knows no cluster) → Result; then
// all Results of an invocation together → Finish, which decides namespaces and
// refuses objects that are there twice. A Result that did not go through Finish
// has no identities that can be trusted.
//
// What holds:
//
//   - Every object comes through object.Load, so one strictness applies whatever
//     the source.
//   - Every object knows where it was written: file, document and line, also
//     behind kustomize as far as that can be told.
//   - Nothing is fetched from a network and no program is started. What would
//     need it (remote bases, exec plugins, Helm inflation) is refused by name
//     before kustomize sees it.
//   - A manifest builds as a whole or not at all. One without objects is an
//     error unless that was asked for: an empty build followed by a prune would
//     delete everything.
//   - Objects keep the order of their source. Bodies in a Result belong to the
//     caller; Finish changes them in place.
//   - A manifest type is one file and one line in Types: the file has how its
//     options are read and how it is built.
package build
