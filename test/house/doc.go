// Package house holds the rules of the working copy itself, as tests: who may
// import whom (docs/concepts.md, CONTRIBUTING.md), how large a file or a
// function may be, which words must not appear, and that the documents' links
// lead somewhere.
package house
