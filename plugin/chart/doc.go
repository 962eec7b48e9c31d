// Package chart renders Helm charts: a chart's files and values in, objects and
// hooks out. It is the only place where a chart is rendered; application packages
// and manifests of type helm both come here.
//
// # Responsibility
//
// Helm's own loader and template engine do the work, so that a chart gives here
// what it gives with Helm. This package adds what the engine leaves to its caller:
// dependencies and their conditions, the values and their schema, capabilities,
// further roots beside .Values, lookup, hooks, and objects instead of text.
//
// # Flow
//
//	fs.FS, archive, files ──► Chart (files, never changed)
//	                            │  Request: release, values, capabilities, roots, lookup
//	                            ▼
//	    dependencies ─► values ─► schema ─► engine ─► documents ─► Result
//	                                                               CRDs, Objects, Hooks, Warnings, Lookups
//
// # What may be touched
//
// Nothing is written. [Load] reads the file system it is given, Request.Lookup is
// the only way to a cluster, and nothing goes to the network: a schema that refers
// to another place, and DNS lookups of templates, get no answer.
//
// # Invariants
//
//   - A Chart is immutable: any number of renders may run side by side, and none
//     leaves a goroutine or an open file.
//   - The order of a Result depends on the input alone: CRDs by file; objects in
//     the order in which Helm installs kinds, then by file and document; hooks by
//     file and document, and [Result.HooksAt] gives Helm's order of execution.
//     The content does too, unless a template asks for the time or for chance.
//   - An [object.Origin] names the template by its path as Helm does
//     (CHART/templates/x.yaml); document and line are those of its output, since
//     the engine doesn't say which line of a template made which line of output.
//   - Values in and values out are Helm's: numbers of a values file are float64,
//     so 1000000 prints as 1e+06 unless the template says int. Callers that want a
//     number kept pass an int64.
//   - An error names chart, template and line. The values of the release are in
//     none of ours, but a template may put them in its own messages (fail,
//     required): callers that hold secrets scrub with object.Scrub.
//   - What Helm passes over in silence is a [object.Warning]: an unknown hook, a
//     weight that is no number, a value that can't replace a map, a key that is
//     given twice.
//
// Not bounded: the time and memory of a template that loops. The engine can't be
// interrupted; a chart is as trusted as the programs it installs.
package chart
