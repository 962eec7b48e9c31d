// Package hook finds and runs the hooks of an application package: programs of
// the package's author that look at objects of the cluster and answer with
// changes of the package's values, operations on objects, and metrics.
//
// Two kinds of programs are understood. A shell hook is any executable that
// prints its configuration when it is called with --config, and does its work
// when it is called without arguments (the shell-operator v1 contract). A batch
// binary holds many hooks behind "hook list", "hook config", "hook run N",
// "hook check" and "hook ready" (the protocol of module-sdk).
//
// # What may be touched
//
// A run writes one directory of mode 0700 below Runner.TempDir and removes it. It
// starts one process group and leaves none of it behind. Nothing else is
// written: what a hook asks for is returned as a value, and only Result.Take
// hands it on, to the interfaces it is given.
//
// # Flow
//
//	hooks/ ──Loader──► Set of Hooks (Config, order, queue)
//
//	Trigger ──Merge──► triggers of one run ┐
//	Source (snapshots) ────────────────────┼─► Runner.Run ──► Result ──Take──► metrics, Sink, values
//	values, settings ──────────────────────┘   (one process)
//
// A Trigger says which binding calls the hook and why; it is small enough to
// wait in a queue. Snapshots are read when the run starts, so a hook always sees
// the present. Pace says how soon a hook may run again, Timetable when time alone
// calls one. Source and Sink are the whole Kubernetes side: package offline
// implements them over files; what watches a cluster feeds snapshot.Tracker.
//
// The packages below it have one matter each and know nothing of the others:
//
//	document   what programs print: JSON and YAML streams, read strictly
//	filter     jq
//	binding    the configuration of a hook
//	snapshot   which objects a binding sees, and whether a change calls the hook
//	process    one process group: limits, cancellation, bounded output
//	output     values patches, operations on objects, metrics
//	offline    a Source and a Sink made of files
//
// # What a hook is told
//
// The environment of a hook is that of the Loader or Runner (BaseEnv takes from
// one what is fit for hooks), and:
//
//	APPLICATION_NAME, APPLICATION_NAMESPACE   the instance
//	MODULE_NAME                               NAMESPACE.NAME
//	LOG_LEVEL                                 debug, info, ...
//	TMPDIR                                    a directory that is removed after the run
//	BINDING_CONTEXT_PATH                      why it is called: a JSON list, see Trigger
//	VALUES_PATH, CONFIG_VALUES_PATH           values and settings, JSON, not below a name
//	VALUES_JSON_PATCH_PATH                    to be written: changes of values
//	KUBERNETES_PATCH_PATH                     to be written: operations on objects
//	METRICS_PATH                              to be written: metrics
//	CONFIG_VALUES_JSON_PATCH_PATH             has to stay empty: settings are the user's
//	SETTINGS_PATH                             of "hook check": the settings
//
// While it is loaded it has the first three lines only. The working directory is
// that of its file, standard input is empty.
//
// # Invariants
//
//   - Loading skips nothing silently: a file under hooks/ is a hook, an error, or
//     an entry of Set.Skipped with its reason.
//   - Order is a function of the package alone: by order, then by file, name and
//     index. Two loads of one package give the same Set.
//   - All output of a run is read and understood before any of it takes effect.
//     Of a failed run nothing takes effect but the status patches that ask for it
//     (ignoreHookError).
//   - In the rule "instance" (the default) a hook sees and touches nothing
//     outside of its instance's namespace, and only objects named d8a-INSTANCE-….
//   - Every run ends: with its process, at its time limit, or with its context.
//     The error then tells the cause of the context.
//   - Values of Secrets that a hook was shown or wants to write are in no error
//     text and in no captured output.
//   - A filter that fails on an object is an error that names the object. It is
//     never a null.
//
// Hooks are run on Linux and macOS only. Loading and running one elsewhere is
// process.ErrUnsupported.
package hook
