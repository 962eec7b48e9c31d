// Package object holds what is true of one Kubernetes object without asking a
// cluster: how it is read, named, compared, hashed, masked and written.
//
// # Responsibility
//
// Every other package passes objects around as [Object]: a JSON value
// (map[string]any) plus the place it was built from. This package is the only
// one that decides
//
//   - what a YAML or JSON file means ([Load], strict, all findings at once);
//   - when two references are the same object ([Ref]: group, kind, namespace
//     and name; the version is an attribute);
//   - when two values are equal ([Equal], [EqualQuantity], [Normalise]);
//   - which bytes identify a content ([Hasher]);
//   - which values nobody may see ([Masker], [Masker.Scrub]);
//   - how an object is written for people ([EncodeYAML]).
//
// # Flow
//
//	file → Load → Object ──→ Hasher.Content ──→ state record
//	                    ├──→ StripServerFields, FoldStringData, DropNulls ──→ sent
//	server → DecodeJSON ┼──→ Normalise, Equal ──→ verdicts
//	                    └──→ Masker.Pair → EncodeYAML ──→ terminal
//
// # Invariants
//
//   - Numbers are int64 where they fit, else json.Number with the text that was
//     read. A float64 never enters a Body through this package, so 2^53+1 stays
//     2^53+1.
//   - No function changes its argument. What is returned may share parts with it
//     only where the comment says so.
//   - Masking fails closed: what can't be understood is hidden as a whole. There
//     is one walk over masked values ([Masker] rules); marks, keyed hashes and
//     scrubbing of error texts all use it.
//   - An error of this package names file, document, line and key, never a value.
//   - Nothing here does network or disk access; Load reads the reader it is given.
package object
