// Package document reads what programs print or write for other programs: one
// JSON or YAML document, or a stream of them.
//
// Flow: bytes → documents (Stream, JSONStream, One) → values → Reader, which
// takes a value apart and collects everything that is wrong with it.
//
// What holds:
//
//   - Strict: a key that is there twice, text that is no UTF-8, or something
//     after the end is a *SyntaxError with line and column where they are known.
//   - A value is made of map[string]any, []any, string, bool, nil, int64 where
//     it fits, else json.Number with its exact text (YAML numbers beyond int64 are
//     those of a float64, as kubectl reads them).
//   - Error texts tell keys and places, never a value of the input.
package document
