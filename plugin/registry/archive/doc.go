// Package archive unpacks tar archives of strangers into a directory: the layers
// of images, one over the other, and charts.
//
// Flow: New(dir) → Tar for each layer, File for each single file → Close, which
// looks at every link once more.
//
// # Invariants
//
//   - Nothing outside of the directory is written, read or removed. All access
//     goes through a handle of it (os.Root). No entry is written through a link:
//     a directory that is a link is an error, a link in the place of a file goes.
//   - What is left after Close has no link that leads out or nowhere, whatever
//     links it passes on its way.
//   - There are regular files, directories, links and nothing else. Files have
//     the mode 0644, or 0755 if their owner may execute them; directories 0755.
//     Owners, times, setuid bits and attributes are not taken over.
//   - Names are text without control characters, so that they can be printed.
//   - Size, number and depth have limits, held against what is really unpacked
//     and not only against what headers say.
//   - A file that is there twice in one archive is an error: two readers would
//     see two contents.
//   - Whiteouts (.wh.NAME, .wh..wh..opq) remove what former archives brought, and
//     nothing that came with their own.
//   - The whole input is read, so that a reader that verifies a digest at its end
//     comes to say so.
//
// After an error the directory holds what was unpacked so far: remove it.
package archive
