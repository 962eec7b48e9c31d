// Package skeleton writes the files that a new application package begins with.
//
// Flow: a name → the files embedded from files/, with PACKAGE_NAME replaced by the
// name → a new directory.
//
// What holds:
//
//   - What is written is a whole package: lint finds nothing in it, it renders, and
//     its hook runs over examples/objects.yaml.
//   - Nothing that exists is touched: the directory has to be new or empty.
//   - The same name gives the same bytes.
//
// To change what a new package looks like, change the files; they are an example for
// authors, so each shows one thing and says in a comment why it is there.
package skeleton
