// Package probe runs the tests of a tazuna.yaml: it waits until an object of the
// cluster exists, doesn't, or meets a condition.
//
// Flow:
//
//	config.Test ─ Compile ─→ Probe ─ Run ─→ nil, or why it is not passed
//	                           │ watch of the one object
//	                           └ each change, and each interval without one, is an answer
//
// Invariants:
//
//   - An expression that is none is an error of Compile, before anything is
//     applied.
//   - The object is watched: a change is seen when it happens, and nothing is
//     asked again and again. A watch that ends is begun anew.
//   - An answer is good, bad or an error of the question; only as many in a row as
//     the test says decide. What can't be answered is bad.
//   - Nothing is written. No value of the object is in an error: a condition may
//     be about a Secret.
package probe
