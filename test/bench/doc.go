// Command bench measures the built plugin against the budgets of the design on
// a real control plane that it starts itself, and prints a table: time and
// memory of the process, requests counted at the server, and the ratio to the
// same work done by kubectl in the same run.
//
//	make bench                 # up to 1,000 objects
//	make bench BENCH=10000     # up to 10,000; takes many minutes
//
// It is no test and never part of one: times on a shared machine are noise. A
// row over its budget is marked, and only counts, which are not noise, make the
// program fail.
//
// Flow: main starts the control plane; each group in group_*.go runs its work
// and appends rows; table.go prints them.
package main
