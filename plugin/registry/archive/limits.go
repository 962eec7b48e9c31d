package archive

import (
	"errors"
	"fmt"
)

// Kinds of errors, for errors.Is.
var (
	// ErrTooLarge: a limit is exceeded.
	ErrTooLarge = errors.New("too large")
	// ErrUnsafe: an entry would lead out of the directory, or is of a kind that
	// has no business in a package.
	ErrUnsafe = errors.New("unsafe")
	// ErrFormat: this is no archive, or a broken one.
	ErrFormat = errors.New("not a proper archive")
)

// Error is what is wrong with an entry.
type Error struct {
	// Entry is its name in the archive; empty for the archive as a whole.
	Entry string
	// Err is what is wrong, usually of one of the kinds above.
	Err error
}

// Error gives `entry "a/b": …`.
func (e *Error) Error() string {
	if e.Entry == "" {
		return "archive: " + e.Err.Error()
	}
	return fmt.Sprintf("archive entry %q: %s", e.Entry, e.Err)
}

// Unwrap gives what is wrong.
func (e *Error) Unwrap() error { return e.Err }

// Limits bound what is unpacked, over all archives of one Extractor.
type Limits struct {
	// Bytes is the size of all files together, File of each.
	Bytes, File int64
	// Entries counts everything that archives list, whiteouts included.
	Entries int
	// Depth is how many names a path may have.
	Depth int
}

// DefaultLimits fit packages and charts: 1 GiB, 256 MiB a file, 10,000 entries,
// 32 names a path.
func DefaultLimits() Limits {
	return Limits{Bytes: 1 << 30, File: 256 << 20, Entries: 10_000, Depth: 32}
}

// headerRoom is how much of an archive may be headers and padding.
const headerRoom = 64 << 20

// count takes one entry of a size into account, before it is unpacked.
func (x *Extractor) count(size int64) error {
	if x.entries++; x.entries > x.limits.Entries {
		return fmt.Errorf("%w: more than %d entries", ErrTooLarge, x.limits.Entries)
	}
	if size < 0 || size > x.limits.File {
		return fmt.Errorf("%w: %d bytes, the limit of a file is %d", ErrTooLarge, size, x.limits.File)
	}
	if x.bytes += size; x.bytes > x.limits.Bytes {
		return fmt.Errorf("%w: more than %d bytes in all", ErrTooLarge, x.limits.Bytes)
	}
	return nil
}
