// Package render makes the objects of an application: the templates of its package
// with its settings and values.
//
// # Flow
//
//	bundle.Bundle ──chart of its files, a Chart.yaml made up──► chart.Chart
//	                                                              │ .Values, .Application, .Platform
//	                                                              ▼
//	                              Result ◄── labels, endpoints ── objects and hooks
//
//	Offline: schemas, guessed settings, values and templates in one call
//
// # What templates see
//
//	.Values                                  the values, not below a name
//	.Application.Instance.Name, .Namespace
//	.Application.Package.Name, .Version
//	.Application.Package.Images              name → REPOSITORY/PACKAGE@DIGEST
//	.Application.Package.Registry            repository, dockercfg, scheme, ca
//	.Application.Settings                    the effective settings
//	.Platform                                see DefaultPlatform
//	.Release.Name                            NAMESPACE.INSTANCE
//	.Capabilities, .Chart, .Files, .Template as with Helm
//
// Numbers are float64 where nothing is lost by it, as on the platform and with
// Helm.
//
// # Invariants
//
//   - The same Request gives the same bytes, unless a template asks for the time or
//     for chance. A Template may render any number of times, also side by side, and
//     leaves no goroutine or file open.
//   - Every object, hooks included, has the labels of Labels; pod templates have
//     none of them.
//   - crds/ of a package is not installed, and hooks/ is not read.
//   - No two objects of a Result are the same.
//   - What an error says has been scrubbed of the settings and values that the
//     schemas mark as secret, and of the registry's credentials.
//   - Nothing reaches a cluster but through Request.Lookup.
package render
