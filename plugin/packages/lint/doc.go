// Package lint says what is wrong with an application package before a cluster does.
//
// Flow:
//
//	bundle, its findings ┐
//	findings of schemas  ├─► Package ──Check──► findings of each Rule, in their files
//	rendered objects     │
//	hooks, load errors   ┘
//
// Each rule is a function of Package in a file of its own kind: of files, of objects,
// of annotations. A new rule is a function and a line in rules().
//
// What holds:
//
//   - Nothing is read, rendered or run here: whoever calls has done that, and what he
//     couldn't do is left out of Package.
//   - A finding is an Error if a cluster or the platform would refuse the package, or
//     if it could never become ready; what works is a Warning.
//   - Objects are named by the template that they come from. The template engine
//     doesn't say which line of it, so there is none.
//   - No text holds a value of a Secret: findings tell names, kinds and annotations.
package lint
