// Package instance is one package that is loaded for one application: its settings and
// values as they are now, and its hooks as things to run.
//
// # Flow
//
//	directory of a bundle ──Shelf.Take──► Shared (files, schemas, templates)
//	                                         │ Load: hooks are asked for their configuration
//	                                         ▼
//	settings ──Configure──► Instance ──Stage, Synchronizations, Run──► values that hooks left
//	                           └──Render──► objects
//
// The cluster is a hook.Source and a hook.Sink that come from outside (Cluster).
//
// # What may be touched
//
// A hook touches what package hook says. Nothing else is written here.
//
// # Invariants
//
//   - Instances of one directory share its files, schemas and templates; the last one to
//     close gives them up. Settings, values and hooks are each instance's own.
//   - Values are always those that settings, defaults and the patches so far make, and
//     hold against the schema: what doesn't changes nothing.
//   - A patch is applied to the values as they are when its hook has ended, so that hooks
//     that run side by side lose nothing of each other. The effects of two runs never
//     mix: they take effect one run after the other.
//   - Values are handed out as copies or never changed afterwards.
//   - Everything that hooks and templates say has been scrubbed of what the schemas mark
//     as secret; Scrub does it for any other text.
package instance
