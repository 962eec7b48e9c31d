package cluster

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Error is a failed request. It names the object and wraps the server's answer,
// so that apierrors.IsConflict and its like see through it.
type Error struct {
	// Verb is what was tried: get, list, watch, apply, create, update, patch or
	// delete.
	Verb            string
	GroupKind       schema.GroupKind
	Namespace, Name string // both may be empty, for lists
	Err             error
}

// Error reads "apply Deployment.apps default/web: ...".
func (e *Error) Error() string {
	return fmt.Sprintf("%s: %v", describe(e.Verb, e.GroupKind, e.Namespace, e.Name), e.Err)
}

// Unwrap gives the server's answer or the network's error.
func (e *Error) Unwrap() error { return e.Err }

// describe joins what is known about the target of a request.
func describe(verb string, gk schema.GroupKind, namespace, name string) string {
	words := []string{verb, gk.String()}
	switch {
	case namespace != "" && name != "":
		words = append(words, namespace+"/"+name)
	case name != "":
		words = append(words, name)
	case namespace != "":
		words = append(words, "in namespace "+namespace)
	}
	return strings.Join(words, " ")
}

// ErrNoKind says that the cluster does not serve a kind, or not in the version
// that was asked for. Returned as a pointer.
type ErrNoKind struct { //nolint:errname // one of three of a kind, named for what they say
	GroupKind schema.GroupKind
	// Version is the version asked for; empty when any would have done.
	Version string
	// Served are the versions of the same group that have the kind, the
	// server's favourite first.
	Served []string
}

// Error names kind, version and what is served instead.
func (e *ErrNoKind) Error() string {
	gv := schema.GroupVersion{Group: e.GroupKind.Group, Version: e.Version}.String()
	if e.Version == "" {
		gv = "group " + e.GroupKind.Group
		if e.GroupKind.Group == "" {
			gv = "the core group"
		}
		return fmt.Sprintf("no matches for kind %q in %s", e.GroupKind.Kind, gv)
	}
	if len(e.Served) == 0 {
		return fmt.Sprintf("no matches for kind %q in version %q: the cluster does not serve it", e.GroupKind.Kind, gv)
	}
	served := make([]string, len(e.Served))
	for i, v := range e.Served {
		served[i] = schema.GroupVersion{Group: e.GroupKind.Group, Version: v}.String()
	}
	return fmt.Sprintf("no matches for kind %q in version %q: the cluster serves it as %s", e.GroupKind.Kind, gv, strings.Join(served, ", "))
}

// ErrUnavailable says that an API group version is registered but can't be
// reached, as when the service behind an APIService is gone. Whether objects of
// that group exist is then unknown. Returned as a pointer.
type ErrUnavailable struct { //nolint:errname // one of three of a kind, named for what they say
	GroupVersion schema.GroupVersion
	// Reason is the server's or discovery's own text, may be empty.
	Reason string
}

// Error names the group version.
func (e *ErrUnavailable) Error() string {
	// Without a version GroupVersion would end in a slash.
	name := strings.TrimSuffix(e.GroupVersion.String(), "/")
	text := fmt.Sprintf("the API %s is registered but unavailable", name)
	if e.Reason != "" {
		text += " (" + e.Reason + ")"
	}
	return text
}

// ErrOutcomeUnknown says that a write was sent and no answer came: it may or may
// not have been performed. A get tells. Returned as a pointer.
type ErrOutcomeUnknown struct{ Err error } //nolint:errname // like the two above

// Error says so before the cause.
func (e *ErrOutcomeUnknown) Error() string {
	return fmt.Sprintf("no answer, the change may have been made all the same: %v", e.Err)
}

// Unwrap gives the cause.
func (e *ErrOutcomeUnknown) Unwrap() error { return e.Err }
