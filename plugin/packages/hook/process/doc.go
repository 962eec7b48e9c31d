// Package process runs one program to its end, together with everything that it
// starts.
//
// # Flow
//
//	Command ──Run──► new process group ──► Result (captured output, exit)
//	          TERM to the group when the context ends or the time is over,
//	          KILL after a grace period
//
// # Invariants
//
//   - The program leads a process group of its own, and the group ends with it:
//     what the program left in the background is killed when it exits, is
//     cancelled or runs out of time. Only a process that left the group (setsid)
//     escapes, on Linux until EndStrays.
//   - Run waits for its own children only, never for those of others, so that it
//     can share a program with other users of processes. Where this program is
//     process 1, orphans of the group are reaped too.
//   - A program that writes for ever doesn't block: what is over the limit is
//     counted and dropped. A pipe that is still held open after the end is closed.
//   - When this program is killed, the leader of the group is killed with it on Linux;
//     what the leader started is ended by the next one, with EndStrays.
//   - Standard input is empty. The environment is exactly Command.Env.
//   - When Run returns, its goroutines are gone.
package process
