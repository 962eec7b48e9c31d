// Package prune says which deletions must not happen. Each consideration is a
// filter with a name, in a file with a test; the first filter that keeps an
// object decides, and its sentence is what the user reads.
//
// Filters are pure: they look at one candidate and at what they were made with.
// They know nothing of plans and records: whoever asks puts what a record says
// into the candidate. They are asked twice:
//
//	planning   EntryFilters, then DefaultFilters: what the plan shows as a deletion,
//	           as left over, or as an entry that only leaves the record
//	deleting   DefaultFilters again, with what only the run knows (Wanted, Incomplete,
//	           OverLimit), and once more on an object that changed in between
//
// The order of asking is part of the meaning. What may still belong to us comes
// before what shows that it doesn't; NotAsked comes before the guards that a user
// can lift, so that nobody is told of a flag for something that was not asked for.
//
// Beside them stand guards that are no decision about one object: a manifest
// without objects is refused when it is built, a manifest that doesn't build stops
// the run, and every deletion carries the uid that was looked at.
package prune
