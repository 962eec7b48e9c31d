// Command bench measures the built plugin against the budgets of the design on a
// real control plane that it starts itself, and prints a table: time and memory of
// each program, its requests counted at the server, and how many times as long
// kubectl and helm took for the same work in the same run.
//
//	make bench                 # up to 1,000 objects
//	make bench BENCH=10000     # up to 10,000; takes the better part of an hour
//	go run ./test/bench -bin bin -groups state -least 10000 -most 10000
//
// It is no test and never part of one: times on a shared machine are noise. A budget
// that is exceeded makes the program fail; with -counts only those of counts do, which
// are no noise.
//
// Flow: main starts the control plane; each group in group_*.go lets programs do its
// work (world.go; background.go for a controller that runs meanwhile), compares what
// they cost with budgets (row.go) and appends rows; table.go prints them.
//
// Invariants: programs that are compared get the same objects, in namespaces of
// their own, one after the other; nothing is measured twice and the better one
// taken, but for start-up and the text diff, where the row says so. Applications
// only get more, under one controller, whose memory counts as it is, not at its most.
package main
