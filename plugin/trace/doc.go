// Package trace says how long the parts of a run took, to a collector that speaks
// OTLP: the original tool's --otlp-endpoint. It is off unless a Recorder is put into
// the context, and then costs a lookup in it.
//
//	Recorder → context → Start(ctx, name) → Span.End → Recorder.Export
//
// Spans are kept until the end of the run and sent in one request, over gRPC as
// OpenTelemetry defines it (a unary call is one HTTP/2 request). Both are written out
// here, in encode.go and export.go: OpenTelemetry's SDK and exporter would do the same,
// for 4.5 MB and thirty modules more, and batches, samplers and retries that a command
// of a few seconds has no use for.
//
// Invariants:
//
//   - nothing is opened, read or started before Export;
//   - an export that fails is told, and changes nothing about the run;
//   - a span's texts are names, paths and messages that were printed: what is hidden
//     from a terminal doesn't get here;
//   - the number of spans is bounded, and what is left out is counted.
package trace
