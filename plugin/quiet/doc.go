// Package quiet keeps libraries from doing at start, or printing, what nobody asked
// for. It is imported for its effect, by the program alone.
//
//   - kubectl's translation catalogue is not loaded (i18n.go).
//   - What libraries write to the log of the standard library is dropped (log.go):
//     Helm reports there which values it passes over, with the values. What matters
//     of it reaches the user as a warning of ours.
package quiet
