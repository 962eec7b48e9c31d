// Package printers turns results into what a person or a script reads: text
// diffs, tables, state listings, progress lines, JSON, YAML, names, jsonpath and
// templates. It has no access to a cluster and decides nothing: verdict and text
// come from the same plan.Report, so they can't disagree.
//
// Flow of a text diff:
//
//	Before, After ─ object.EncodeYAML ─→ lines ─ diffLines ─→ edits ─ rows
//	Differences ─ locate (YAML positions) ────────────────────────────┘ comments
//
// Invariants:
//
//   - Everything that comes from a file or a cluster passes clean before it is
//     written: in plain output no byte below 0x20 except newline and tab, in
//     coloured output none but our own colour sequences. A manifest can't forge
//     a line of output: its text always stands behind a gutter.
//   - Values are printed as they are in the Report, which is masked. Nothing
//     here unmasks, and nothing here reads an unmasked type.
//   - Equal bodies print no line; every difference is visible on a changed line
//     or in a note under its block.
//   - A very long line costs a short piece around its change, and 20,000 changed
//     lines cost linear space.
//   - Colour is a property of one Options value, never of the process.
//   - Data goes to Options.Out. Warnings and progress belong on stderr and are
//     the caller's to route.
package printers
