// Package debug lets people look into a running controller: it answers questions
// about applications as JSON over HTTP, on a socket that only its user can open, and
// it asks them.
//
// Flow:
//
//	Provider (the runtime) ─► Server ── Unix socket ── Client ─► package report ─► printers
//	                            └ everything is masked here
//
// # What can be asked
//
//	GET /api/v1/packages/dump[?name=N]     all, or the one
//	GET /api/v1/packages/render/N          objects, a stream of YAML documents
//	GET /api/v1/packages/snapshots/N       hook → binding → objects
//	GET /api/v1/packages/diff/N            what an apply would change: a plan.Report;
//	                                       ?version=V, ?settings=JSON, ?view=server
//	GET /api/v1/packages/logs/N            lines of the controller's log: report.Logs;
//	                                       ?after=N, ?since=TIME, ?last=N, ?wait=DURATION
//	GET /api/v1/queues/dump[?name=N]       N: the queue of the instance and those below
//	GET /api/v1/scheduler/dump[?name=N]    all nodes, or the one
//	GET /api/v1/requirements/dump          unmet requirements by name
//
// with ?output=json (the default) or yaml, and ?secrets=show for what is masked
// otherwise. N is NAMESPACE.INSTANCE, escaped like any part of a path. Paths, shapes
// and ?output are Deckhouse's; errors are a text.
//
// # Invariants
//
//   - Only the user of the controller can ask: the directory of the socket is made with
//     mode 0700, the socket has 0600, and a directory that others can write to is
//     refused.
//   - A socket that nobody answers on is a stale one and is replaced; one that
//     somebody answers on is an error.
//   - Nothing is changed by a question.
//   - What the schemas of a package mark as secret, the credentials of repositories,
//     what is in Secrets, and texts that hold such values, are masked unless asked
//     for. Of a hook's snapshots of Secrets, every value is.
//   - What arrives is masked again (Guard): whoever asked need not trust who answered.
//   - An unknown name is 404 with names that may be meant, never an empty answer.
package debug
