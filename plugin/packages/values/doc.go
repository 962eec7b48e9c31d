// Package values makes the settings and values of an application out of their
// layers.
//
// # Layers, the lowest first
//
//	values.yaml of the package (rarely there)
//	┌ 1 defaults of the settings schema
//	│ 2 defaults of the project, for fields that name one of its resources
//	│ 3 spec.settings
//	└ → the effective settings: .Application.Settings
//	4 defaults of the values schema, for what still has no value
//	5 patches of hooks
//	→ the values: .Values
//
// # Flow
//
//	given ──Sources.Settings──► effective settings ──Sources.Values──► values
//	                                                     ▲  patches so far, replayed
//	a hook's new patch ──Sources.Patch──► values, have they changed?
//
// # Invariants
//
//   - Nothing is kept here and nothing read: what has been applied, and the patches
//     so far, are the caller's. No argument is changed.
//   - A new patch is strict: a path that isn't there is an error, and so are values
//     that the schema refuses. Patches that were accepted once are replayed over
//     other settings leniently: steps whose path is gone are passed over and counted.
//   - Settings given to a package without a schema for them are refused.
//   - Equal values have one digest, whatever the order of their keys and whether a
//     number was written 1 or 1.0.
//   - Errors name paths, never values: see package schema.
package values
