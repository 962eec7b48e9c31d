// Package output is what a hook answers with: changes of values, operations on
// objects, metrics, a verdict on settings.
//
// Flow: the bytes of a file → documents → typed values, every mistake named with
// its place → pure functions that say what they do: ValuesPatch.Apply on values,
// Operation.Effect on one object, Series.Apply on the metrics so far.
//
// What holds:
//
//   - Parsing is all or nothing: an *Error names every mistake of a file, and
//     nothing of that file may be used.
//   - Nothing here reaches a cluster. No function changes its arguments.
//   - An error names operation, object and path, never a value: what a hook
//     writes may be a Secret.
package output
