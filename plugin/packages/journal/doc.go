// Package journal keeps the last lines of a controller's log in memory, apart for each
// application, so that people can read what it said of one without its terminal, its
// log files or the logs of its Pod.
//
// Flow:
//
//	slog.Logger ─► Journal.Handler ─► the handler that writes the log
//	                     └► the lines of the application that a record names
//	Journal.Read(NAME, Query) ◄── debug.Server ◄── packages logs
//
// A record names an application by its attribute "application", NAMESPACE.INSTANCE, or
// by "queue", which begins with that. Others are not kept.
//
// # Invariants
//
//   - What is kept is bounded: lines and bytes of an application, and applications. The
//     oldest go first.
//   - A line is kept as it was logged, and so is masked if the log is: whoever logs
//     scrubs. Nothing is unmasked for anybody here.
//   - Also what the log itself leaves out by its level is kept, from information on.
//   - Lines have numbers that only grow, so that a reader goes on where it was and is
//     told what it missed.
//   - Reading waits for nobody who logs, and the other way round, but for as long as it
//     takes to copy.
package journal
