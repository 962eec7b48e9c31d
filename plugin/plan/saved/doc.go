// Package saved keeps a plan in a file, so that what one job showed another one
// applies, and nothing else.
//
// # Responsibility
//
// A [File] is the masked report of a plan with what it is bound to: the cluster,
// the flags that said what to build and how, and for every object three digests:
// of the built object, of what was seen of it in the cluster, and of what would be
// sent. [Make] makes one of a plan, [Changes] says in sentences in what a plan that
// was made again differs from the saved one. Nothing of a plan is taken out of the
// file to be sent: apply builds and plans again, and the file only decides whether
// it may go on.
//
//	plan --save:   plan ─→ Make ─→ Write (0600, whole or not at all)
//	apply --plan:  Read ─→ flags ─→ build and plan again ─→ Make ─→ Changes ─→ none: go on
//
// # Invariants
//
//   - No secret value is in the file. The report is masked, and everything of an
//     object that holds anything masked is digested under a key that is not in the
//     file: a plain digest of a password can be guessed from. Without a key such a
//     plan can't be saved ([ErrNoKey]).
//   - Changing the file can make a plan stale and never make apply do something
//     else: what it says of objects is only compared, and flags change the digests.
//   - What passes by itself is not bound: resourceVersion, status, readiness. What
//     others changed in fields that the plan shows is.
//
// Everything but Read and Write is pure.
package saved
