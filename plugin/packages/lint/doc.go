// Package lint says what is wrong with an application package before a cluster does.
//
// Flow:
//
//	bundle ──Inspect──► schemas, settings, values, objects, hooks ──► Package ──Check──► report.Findings
//	                              what can't be read, rendered or loaded ──────────────────┘
//
// Each rule is a function of Package in a file of its own kind: of files, of objects,
// of annotations. A new rule is a function and a line in rules().
//
// What holds:
//
//   - Check is pure. Inspect is what renders and runs programs: each hook of the
//     package, for its configuration.
//   - All findings come at once. What couldn't be done is one of them and left out of
//     Package, so that no rule judges what isn't there.
//   - A finding is an Error if a cluster or the platform would refuse the package, or
//     if it could never become ready; what works is a Warning.
//   - Objects are named by the template that they come from. The template engine
//     doesn't say which line of it, so there is none.
//   - No text holds a value of a Secret: findings tell names, kinds and annotations,
//     without what the schemas mark as secret in the settings of a user.
package lint
