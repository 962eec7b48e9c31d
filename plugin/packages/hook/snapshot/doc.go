// Package snapshot says which objects a kubernetes binding sees, what of them it
// keeps, and which change of an object calls the hook.
//
// Flow: objects and their ends, from a watch or from files → Tracker (one for
// each binding) → Change where the hook has to be called, and Snapshot whenever a
// hook runs.
//
// What holds:
//
//   - A Snapshot is sorted by namespace and name, and has an entry for every
//     object that the binding selects: also for one whose filter gives {} or null.
//   - A Modified object is a Change only if what the filter makes of it differs
//     from last time (without a filter: the object). So a hook that modifies what
//     it watches comes to rest.
//   - A filter that fails on an object is an *Error with the object's name. While
//     one does, the binding has no snapshot. The Tracker goes on, and once the
//     object is in order again the hook is called.
//   - A Tracker holds one entry for each object, however often that changes.
package snapshot
