// Package packages is the command line of application packages: "packages" and the
// commands below it, one file each, of flags, an options struct and a run function.
//
// Flow: flags → source.Opener → what plugin/packages does → report → printers.
//
// What holds:
//
//   - No command here talks to a cluster; a registry is asked only for a package that
//     is named by a reference, and by push.
//   - Data goes to stdout, everything else to stderr.
//   - Values of Secrets are masked unless --show-secrets is given.
//   - Only "hooks" and "lint" run programs of a package: the second asks them for
//     their configuration.
//
// Logic belongs into the packages below plugin/packages.
package packages
