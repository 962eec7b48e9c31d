// Package genesis makes the first Secrets of a cluster from values that lie
// elsewhere: with a password manager, or in a file of the person who runs it.
//
// Flow:
//
//	file ─ Parse ─→ Secret (what goes where, no value)
//	                  │ Providers.Resolve: each source asked once
//	                  ▼
//	                Values ─→ Secret.Objects  (one Secret an output)
//	                      └─→ Secret.Text     (KEY=VALUE lines, for outputs to stdout)
//
//	live Secret ─ Exporter.Prepare ─→ Export (the file, without a value) ─ Store ─→ item
//
// Invariants:
//
//   - A value is in Values, in what Objects and Text return, and nowhere else: in
//     no error, no warning, no log. A line of an envfile or an answer of op that
//     can't be read is named by its number or item, never quoted.
//   - Only an Exporter writes, and only items that are not there yet; it gives values
//     to op on its standard input. Nothing is kept on disk. Answers of op are kept in
//     memory for the run; failures are asked again.
//   - A field that is missing, or that two fields of an item could be, is an error:
//     a Secret is whole or not made.
//   - Programs are started through Command only, with the arguments as a list.
//   - A provider is one file and one line in newProvider.
package genesis
