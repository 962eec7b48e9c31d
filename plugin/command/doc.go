// Package command is the command line: one file a command, each made of flags,
// an options struct and a run function. No logic lives here; commands join what
// the other packages do:
//
//	source (files → manifests) → build → plan → printers → confirm → apply
//
// Invariants:
//
//   - data goes to stdout, everything else to stderr;
//   - nothing is written to a cluster without a confirmation or --yes;
//   - a command ends with an *ExitError if it wants another exit code than 0
//     (all is well) or 1 (it failed): see docs/exit-codes.md;
//   - nobody imports this package but cmd.
package command
