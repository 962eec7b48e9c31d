// Package packages is the command line of application packages: "packages" and the
// commands below it, one file each, of flags, an options struct and a run function.
//
// Flow: flags → source.Opener → what plugin/packages does → report → printers; and of
// those that look into a controller: flags → remote.Finder → debug.Client → report →
// printers.
//
// What holds:
//
//   - A cluster is asked only by commands that are about its applications, and never
//     where a package or a socket is given instead; a registry is asked only for a
//     package that is named by a reference, and by push.
//   - Data goes to stdout, everything else to stderr.
//   - Values of Secrets are masked unless --show-secrets is given.
//   - Only "hooks" and "lint" run programs of a package: the second asks them for
//     their configuration.
//
// Logic belongs into the packages below plugin/packages.
package packages
