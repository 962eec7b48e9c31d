// Package orphans deletes what is left of an application when its release is gone:
// objects of the kinds that its package lists, and that carry its label.
//
// Flow:
//
//	value orphanResources ─ Parse ─→ []Kind ─ resolve (discovery) ─→ resources
//	     └ Purger.Purge: list by label in the namespace ─ Judge, pure ─→ delete or keep
//
// Invariants:
//
//   - Deleted is only what is in the namespace of the application, carries the label
//     packages.deckhouse.io/instance with its name, isn't going already and isn't
//     annotated helm.sh/resource-policy: keep. Names don't matter, nor do the
//     annotations of Nelm.
//   - Each deletion carries the uid of the object that was looked at.
//   - Nothing waits for finalizers.
//   - A kind that can't be listed, or an object that can't be deleted, is an error
//     after all others had their turn. A list that can't be understood is an error
//     in the log and no more: nothing is deleted then.
//   - Whatever is deleted, kept or skipped is in the log, with the word "orphan".
package orphans
