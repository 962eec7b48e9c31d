// Package report is what the packages commands have to tell: plain data, the same
// for text and for -o json.
//
// Flow: packages lint and trial → a result of this package → printers.
//
// What holds:
//
//   - A result is masked when it is made: nothing in it has to be hidden by who
//     prints it.
//   - Lists have the order in which they are to be read, and are never null.
//   - Names of fields are those of the JSON and stay as they are (APIVersion).
package report
