// Package house holds the rules of the working copy itself, as tests: who may
// import whom (docs/concepts.md, CONTRIBUTING.md), how large a file or a
// function may be, which words must not appear, that the documents' links lead
// somewhere, and that the commands they show are in the reference.
package house
