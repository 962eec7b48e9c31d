// Package status knows how applications are: it keeps what the runtime reports of each
// one, and says what of it people are told.
//
// # Flow
//
//	runtime ──Store.Set, Track, Commit──► Internal ──Judge──► conditions and summary
//	                     │ Changed(name)                        of Application.status
//	                     ▼
//	              the controller asks Get
//
// Two vocabularies meet here. Internal conditions (Type…) say how far the pipeline of
// an instance has come: downloaded, loaded, configured, hooks, manifests, workloads.
// External ones (External…) answer what a person asks: is it installed, is its
// configuration applied, is it ready. Judge is the map between them, a pure function;
// the Store is the only thing here with a state.
//
// # Invariants
//
//   - What is committed (version, settings, endpoints) changes with Commit alone,
//     which also makes ManifestsApplied True: never is a version told that isn't
//     applied. Endpoints may be refreshed without it.
//   - ManifestsApplied False with the reason ApplyingManifests means "in progress" and
//     is no failure.
//   - The summary is Ready only if ManifestsApplied and Scaled are True for the
//     version that is wanted. After a restart, until the runtime has reported, the
//     conditions stay as they were.
//   - A condition's time changes when its status does.
//   - Every summary but Ready has a message and a tip, also for reasons that nobody
//     here knows.
//   - Judge changes nothing and knows no clock but the time it is given.
//   - Values of a Store are copies: neither side sees changes of the other.
package status
