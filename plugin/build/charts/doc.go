// Package charts finds Helm charts: in a directory, an archive, a chart repository
// on the web or an OCI registry. It gives a chart.Chart and renders nothing.
//
// Flow:
//
//	Source ─ Fetcher.Fetch ─┬─ Path:       a directory or a .tgz file
//	                        ├─ Repository: index.yaml → best version → archive
//	                        └─ oci://…:    tags → best version → layer
//	                                            ▼
//	                                       chart.Chart
//
// Invariants:
//
//   - What the index says of an archive (its digest) holds, or there is no chart.
//   - Credentials go to the host of the repository and to no other, wherever its
//     index or a redirection points. They are in no error text.
//   - A version that is a constraint is looked up on every run. Only offline is an
//     index what it was when it was last seen.
//   - Sizes are bounded before anything is unpacked.
//   - Nothing is written but below CacheDir: indexes by their address, archives
//     by their digest.
package charts
