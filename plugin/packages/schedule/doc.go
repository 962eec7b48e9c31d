// Package schedule decides which applications may run on a cluster, and when.
//
// # Flow
//
//	Facts, modules, applications ──► rules ──► Decision of each node
//	                                              │ edges, effective order
//	                                              ▼
//	                        states: idle ─► scheduled ─► active ──► Events
//
// A node is a module or an application; the root "global" is the platform. Whoever
// calls gets the Events that a change leads to, in their order, and acts on them:
// Decided (tell it), Schedule (run it), Disable (take it away). An application that has
// been run is reported with Complete.
//
// # Rules
//
// The fold over the rules of a node is: the first Forbid counts, else the last other
// verdict; applications begin with Enable, modules with what their statement says.
// In their order: the cluster is up, Kubernetes' version, the platform's version,
// mandatory modules, conditional modules, anyOf, noneOf. The last two are gates: they
// decide and make no edge in the graph.
//
// # Invariants
//
//   - Nothing here does IO or has a clock: the same calls give the same events.
//   - An application is scheduled if it is enabled, its modules are active, and so is
//     each enabled module of a lower effective order. Applications never wait for one
//     another, whatever their order.
//   - The effective order of a node is its own, raised to that of what it depends on;
//     equal ones are sorted by name.
//   - A node that would close a circle is refused with the path (CycleError), and
//     nothing has changed.
//   - Until Resume there are no events. What has changed by then is told then.
//   - An application whose first decision isn't Enable gets a Disable: it may have been
//     installed before this program began.
package schedule
