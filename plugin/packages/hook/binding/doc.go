// Package binding is what a hook asks for: its configuration.
//
// Flow: what the hook printed → document values → Config, every mistake
// collected on the way, then the checks that need the whole Config (names,
// includeSnapshotsFrom). Parse reads the configuration of a shell hook
// (shell-operator v1, YAML or JSON), ParseBatch that of a batch binary
// (module-sdk, JSON).
//
// What holds:
//
//   - Strict. An unknown key, a wrong type, a crontab that never comes, a filter
//     that doesn't compile or a selector that no API server would take is an error
//     with binding and field. All of them come in one *Error.
//   - Defaults are filled in: whoever reads a Config never asks what an absent
//     field means.
//   - In the rule Instance every kubernetes binding is of exactly one namespace,
//     that of the instance. Anything else in a configuration is an error.
//   - Nothing here runs a program or reads a file.
//
// The batch format is written by a program and read more mildly in one point:
// keys that this version doesn't know are warnings, so that a binary built with a
// newer SDK still loads.
package binding
