package bundle

import (
	"errors"
	"io/fs"
	"strings"
)

// LinkOut is what is wrong with a link that LeadsOut tells of.
const LinkOut = "is a link that leads out of the package"

// LeadsOut tells whether an error is that of an [os.Root] about a link that leads
// out of it. Package os has no name for that error, and says it in these words; a
// test holds that.
func LeadsOut(err error) bool {
	var at *fs.PathError
	return errors.As(err, &at) && at.Err != nil && at.Err.Error() == "path escapes from parent"
}

// linkError names the link that an error is about, in words for people.
type linkError struct{ at *fs.PathError }

func (e *linkError) Error() string { return e.at.Path + ": " + LinkOut }

// Unwrap gives what the system says.
func (e *linkError) Unwrap() error { return e.at }

// NameLink makes "FILE: is a link that leads out of the package" of an error for
// which LeadsOut is true, and leaves any other as it is.
func NameLink(err error) error {
	var at *fs.PathError
	if LeadsOut(err) && errors.As(err, &at) {
		return &linkError{at}
	}
	return err
}

// leadsOut notes the link by which a path leads out: the file itself, or a directory
// above it, once.
func (r *bundleReader) leadsOut(name string) {
	link := name
	for end := range name {
		if name[end] != '/' {
			continue
		}
		if _, err := fs.Stat(r.fsys, name[:end]); LeadsOut(err) {
			link = name[:end]
			break
		}
	}
	if !r.told(link) {
		r.add(Error, link, LinkOut)
	}
}

// told tells whether something is found at a file, or at a directory as a whole.
func (r *bundleReader) told(name string) bool {
	for _, f := range r.findings {
		if f.File == name || strings.HasPrefix(name, f.File+"/") {
			return true
		}
	}
	return false
}
