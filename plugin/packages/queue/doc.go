// Package queue runs what has to be done for each application one after the other,
// and again until it succeeds.
//
// # Flow
//
//	Set.Add(queue, Task) ──► FIFO of that name ──► one worker ──► Task.Do
//	                              ▲                                 │ error
//	                              └── stays the head, after 15 s, 30 s, … 2 h
//
// A queue belongs to one instance: NAMESPACE.INSTANCE, and those of its hooks are
// below it: NAMESPACE.INSTANCE/QUEUE and NAMESPACE.INSTANCE/QUEUE/sync. Queues know
// nothing of each other, so what is stuck in one holds up no other.
//
// # Invariants
//
//   - One task of a queue runs at a time, in the order in which they were added. The
//     head is repeated until it succeeds; success begins the delays anew.
//   - A task whose operation has ended (Task.Context) is dropped, also while it waits
//     for its next attempt. A task that runs is told through its context and
//     is dropped once it returns.
//   - Each task that was added ends exactly once: with nil, or with the cause for which
//     it was dropped (Task.Done). Done is called outside of all locks, so it may add and
//     drop tasks.
//   - A queue without tasks has no goroutine and is no memory but its name. The clock is
//     given; nothing here reads another.
//   - A panic of a task is a failure of that task; what it panicked with is told nowhere.
//   - The text of errors is shown by Dump as it is: whoever makes a task scrubs it.
package queue
