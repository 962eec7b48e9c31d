// Package registry gets artifacts from OCI registries and layout directories,
// and puts them there: packages, Helm charts, bundles of manifests.
//
// Flow:
//
//	text ──ParseReference──► Reference ──Client.Pull──► Artifact (manifest, Layers)
//	                                                        │ Layer.Open, Layer.ReadAll
//	                                                        │ Artifact.Extract(dir)
//	Image (config, layers) ──Client.Push──► Descriptor      ▼
//	Reference ──Client.Tags──► tags                    content, its digest verified
//
// A Reference is HOST/REPOSITORY[:TAG][@DIGEST], or oci:DIR[:TAG][@DIGEST] for a
// layout directory; both go through the same functions of Client. The protocol
// is that of oras-go. Package archive below unpacks layers.
//
// # What may be touched
//
// Pull writes blobs below Options.CacheDir, by digest, and beside them which
// digest a tag had. Without a CacheDir it writes to a temporary directory that
// Artifact.Close removes. Extract writes in its directory and nowhere else.
// Files of credentials are read and never written; helpers that such a file
// names (docker-credential-…) are run.
//
// # Invariants
//
//   - What is handed out has the digest that the manifest says, and the manifest
//     has the digest of the reference, or the one the registry gave for the tag.
//     Content from the cache is verified as well; a damaged entry is fetched anew.
//   - A tag is always asked for: the cache saves the transfer, never the question.
//     Only offline is a tag what it was when it was last seen.
//   - Manifests, configs, layers, their number and their sum have limits (Limits),
//     checked before a byte is stored.
//   - Failed requests and broken transfers are repeated a bounded number of times
//     (Retry), and end with the context at once.
//   - Credentials go to the host that they are for, over TLS unless plain HTTP was
//     asked for. They, and queries of signed addresses, are in no error text.
//   - An error is an *Error: what was done, with which reference, and one of the
//     kinds below for errors.Is.
package registry
