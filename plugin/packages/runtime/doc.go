// Package runtime runs applications: it downloads and loads their packages, runs their
// hooks, brings their objects into the cluster and takes them out again.
//
// # Flow
//
//	Update(Desired) ──lifecycle.Decide──► [Disable] ─ Download ─ Load ──► schedule.Put
//	                                                                         │ Run
//	hooks that changed values, drift, settings ──schedule.Again──────────────┤
//	                                                                         ▼
//	                                          Configure ─ Enable ─ Run ──► schedule.Complete
//	schedule.TakeAway ──► Disable                      (suspension)
//	Remove ──► Disable ─ Purge ─ Undeploy              (loaded)
//	           Uninstall ─ Undeploy                    (not loaded)
//
// What has to be done for an application is a task in its queue (package queue), a file
// each. A task knows the other rooms only by the small interfaces of parts.go. What
// was found is reported to status.Store.
//
//	app.go       what is known of one application
//	events.go    from decisions to tasks
//	task.go      what tasks have in common
//	hooks.go     runs of hooks that events and schedules call for
//	disk.go      where bundles lie, and what killed runs left
//	scratch.go   the directory of this process, and what killed ones left in theirs
//	bounded.go   renderings that may not end
//	preflight.go what an earlier process left behind
//	dump.go      everything, for people who look for a fault
//
// # What may be touched
//
// Directories below Options.Dir. The cluster only through the parts.
//
// # Invariants
//
//   - All that is done for an application is done in its own queue: what is stuck there
//     holds up no other. Hooks that events call for have queues of their own below it.
//   - Settings, maintenance and the platform are read when a task begins, so that
//     several changes are one run.
//   - A removal is begun once; it is done when nothing is left, and only then does
//     Remove say so. An application of which this process knows nothing is loaded
//     for its removal, so that its hooks and orphans count; if it can't be, only the
//     release is uninstalled.
//   - Nothing is scheduled before what an earlier process left behind has been looked
//     at, and only releases with our mark in the namespaces that we look after are.
//   - What is committed to status.Store is in the cluster.
//   - Errors of tasks have been scrubbed of the package's secrets and the repository's
//     credentials before they are kept, logged or told.
//   - After Run returned nothing runs: no task, no hook, no watch; only templates that
//     loop, which nothing can end, go on for as long as the process does.
package runtime
