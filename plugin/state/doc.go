// Package state keeps, inside the cluster, what a manifest has installed, and
// answers what a build would change against it.
//
// # What may be touched
//
// Only namespace "tazuna", and in it only these objects of one manifest:
//
//	ConfigMap tazuna-state-<manifest>[.N]    what is ours: one key an object, its content hash
//	Secret    tazuna-record-<manifest>[.N]   last-applied bodies, UID, resourceVersion; a cache
//	Lease     tazuna-lock-<manifest>         who is writing just now
//	Secret    tazuna-hash-key                key of the hashes of masked values, shared by all manifests
//
// The objects that a manifest installs are never read or written here.
//
// # Flow
//
//	Store.Read ──► Record ──► Diff (pure)          never writes
//	Store.Begin ─► Session ─► WriteAhead ─► Applied/Removed … ─► Save ─► End
//
// Begin takes the Lease and reads the record again. WriteAhead names every
// object the run is about to create, so that a killed run loses none. Save
// writes the bodies first and the ConfigMap last.
//
// # Invariants
//
//   - The ConfigMap alone says what is ours. The bodies may be lost, forbidden
//     or stale: a body counts only if its content hash is the ConfigMap's.
//   - Nothing that could not be understood is dropped. It is kept byte for byte
//     and reported as Damaged until somebody applies that object or asks to
//     forget the entry.
//   - Every write carries the resourceVersion that our previous write returned.
//     Someone else's write in between is an error that names the writer; nothing
//     of theirs is overwritten. Only bodies are written over: those of another
//     content do not count anyway.
//   - An object's identity has no version. An entry under another API version is
//     the same object: modified, never removed and added.
//   - An entry stays in the ConfigMap (shard) it was found in.
//   - Reading never writes; a Session writes nothing but its Lease until
//     WriteAhead or Save has something to write.
//   - The namespace is created only after a write was answered with 404.
//   - No value of a Secret is stored: a body of a masked kind whose values are
//     not hashed is left out.
//   - A record of a newer version is recognised by what this version does not
//     know in it: other fields in a value, other keys that start with "_". Both
//     are reported as Damaged, which holds back every deletion.
//
// The format is that of pepabo/tazuna where it has one, so that the two tools can
// follow each other on one cluster; what it lacks is in annotations, which it
// keeps, because it takes every data key for an object.
package state
