// Package admission decides whether an Application may be created or changed, before it
// is stored.
//
// Flow:
//
//	AdmissionReview ─Handler─► Request ─Judge──► Verdict ─► AdmissionReview
//	                                     │
//	                                   Facts: packages, versions, requirements, the
//	                                          loaded package
//
//	Policies, Webhook: objects with which an API server asks us, or judges by itself
//
// # What is asked, in this order
//
//  1. A1: the name has at most 24 characters. (The definition's own rule says so too.)
//  2. A2: the ApplicationPackage and the ApplicationPackageVersion are there, and its
//     metadata is loaded.
//  3. A3: the settings fit the published schema, its rules, and fields that can't be
//     changed any more.
//  4. A3, live: where the wanted version runs, the loaded package judges them, with
//     rules that compare with old settings and its own programs. Their remarks are
//     warnings.
//  5. A4: the requirements of the version hold in the cluster.
//
// A refusal says which requirement or field it is about, what is wanted, and what was
// found.
//
// # Invariants
//
//   - A deletion, a change of metadata or status alone, and an Application that is being
//     deleted, are never refused: finalizers have to come off.
//   - A change that leaves alone what a check is about is not refused for it, where the
//     Application would be stuck otherwise: requirements that fell away later don't keep
//     anybody from changing settings back or from going into maintenance.
//   - What can't be found out (the API server doesn't answer) is an error, and so a
//     refusal; a package that isn't loaded is only not judged live.
//   - Values of settings are in no text.
//   - Judge is a function of its arguments, and writes nothing.
package admission
