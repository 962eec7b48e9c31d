// Package prune says which deletions must not happen. Each consideration is a
// filter with a name, in a file with a test; the first filter that keeps an
// object decides, and its sentence is what the user reads.
//
// Filters are pure: they look at one candidate and at what they were made with.
// They hold for every deletion, whoever asked for it, and know nothing of plans
// or records, so that planning can ask them as well.
package prune
