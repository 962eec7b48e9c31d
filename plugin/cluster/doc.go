// Package cluster is the only way to a Kubernetes API server: it finds out how
// a kind is served, reads objects, writes objects and fetches their schemas.
//
// Flow of a request:
//
//	Mapping ─→ List, Get, Apply, Create, Update, Patch, Delete ─→ do (retries)
//	                                                               └ send (one attempt)
//
// send performs one HTTP exchange and turns a bad answer into an apierrors
// status. do repeats it by the policy in retry.go, and settle.go answers the
// question that a lost connection leaves open: was the write performed?
// Mappings come from kubectl's discovery cache, schemas from the OpenAPI v3
// document of one group version, kept on disk under its hash.
//
// Invariants:
//
//   - Bodies are marshalled from the caller's map; a number is sent with the
//     digits it was given. Nothing is added to or dropped from a body.
//   - An empty list means "there are none". What could not be read is an error.
//   - One group that can't be reached never disturbs requests to another.
//   - Discovery is downloaded at most once for all misses of a run, and once more
//     for each InvalidateDiscovery that is followed by a miss.
//   - A write that is on its way when the context is cancelled may finish;
//     nothing new is started after that, and no back-off outlives the context.
//   - Server texts about an object of a masked kind are scrubbed before they
//     become an error, a warning or a header in the log. Bodies are never logged.
//   - The package prints nothing and decides nothing: what to send, with force or
//     without, is the caller's plan.
package cluster
