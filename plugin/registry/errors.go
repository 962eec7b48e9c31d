package registry

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"oras.land/oras-go/v2/errdef"
	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/errcode"
)

// Kinds of errors, for errors.Is.
var (
	// ErrNotFound: the registry, layout or repository has no such artifact.
	ErrNotFound = errors.New("not found")
	// ErrDenied: credentials are missing, wrong, or don't suffice.
	ErrDenied = errors.New("access denied")
	// ErrOffline: it is not in the cache, and no server may be asked.
	ErrOffline = errors.New("not in the cache")
	// ErrTooLarge: a limit is exceeded, see Limits.
	ErrTooLarge = errors.New("too large")
	// ErrCorrupt: content doesn't have the digest or size it should have.
	ErrCorrupt = errors.New("corrupt")
	// ErrExists: the tag is there already, with another content.
	ErrExists = errors.New("exists already")
)

// Error is what every function of Client returns.
type Error struct {
	// Doing is what was being done: "pull", "push", "list tags of".
	Doing string
	// Reference is what it was done with.
	Reference Reference
	// Text says what went wrong, with nothing secret in it.
	Text string
	// kind is one of the kinds above, the error of a context, or nil.
	kind error
}

// Error gives "pull ghcr.io/org/app:v1: …".
func (e *Error) Error() string {
	return fmt.Sprintf("%s %s: %s", e.Doing, e.Reference, e.Text)
}

// Unwrap gives the kind. The errors below it are left out, because their texts
// may hold what Error's must not.
func (e *Error) Unwrap() error { return e.kind }

// fail makes an *Error of what the library or the network said.
func (c *Client) fail(ctx context.Context, doing string, ref Reference, err error) error {
	if err == nil {
		return nil
	}
	var ours *Error
	if errors.As(err, &ours) {
		return ours
	}
	if cause := context.Cause(ctx); cause != nil {
		return &Error{Doing: doing, Reference: ref, Text: cause.Error(), kind: cause}
	}
	kind := kindOf(err)
	return &Error{Doing: doing, Reference: ref, Text: c.scrub(err.Error()) + c.hint(err, kind), kind: kind}
}

// kindOf finds the kind of an error of the library.
func kindOf(err error) error {
	for _, kind := range []error{
		ErrNotFound, ErrDenied, ErrOffline, ErrTooLarge, ErrCorrupt, ErrExists, context.Canceled, context.DeadlineExceeded,
	} {
		if errors.Is(err, kind) {
			return kind
		}
	}
	var response *errcode.ErrorResponse
	if errors.As(err, &response) {
		return kindOfStatus(response.StatusCode)
	}
	switch {
	case errors.Is(err, errdef.ErrNotFound):
		return ErrNotFound
	case errors.Is(err, auth.ErrBasicCredentialNotFound):
		return ErrDenied
	case errors.Is(err, errdef.ErrSizeExceedsLimit), errors.Is(err, errdef.ErrTooManyPages):
		return ErrTooLarge
	case isMismatch(err):
		return ErrCorrupt
	}
	return nil
}

func kindOfStatus(code int) error {
	switch code {
	case http.StatusNotFound:
		return ErrNotFound
	case http.StatusUnauthorized, http.StatusForbidden:
		return ErrDenied
	}
	return nil
}

// hint says what to do about an error, where the error itself doesn't.
func (c *Client) hint(err error, kind error) string {
	text := err.Error()
	switch {
	case strings.Contains(text, "server gave HTTP response to HTTPS client"):
		return "; for a registry without TLS ask for plain HTTP"
	case strings.Contains(text, "certificate signed by unknown authority"):
		return "; name the authority's certificate (CA file)"
	case errors.Is(kind, ErrDenied) && !c.hasCredentials():
		return "; no credentials were given"
	}
	return ""
}

func (c *Client) hasCredentials() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.authenticated
}
