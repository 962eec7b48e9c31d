package cluster

import "net/http"

// verb is what a request does. It decides which failures may be repeated.
type verb int

const (
	verbGet verb = iota
	verbList
	verbWatch
	verbDiscover
	verbApply
	verbCreate
	verbUpdate
	// verbPatch is a patch whose repetition gives the same result.
	verbPatch
	// verbPatchOnce is a patch that could do harm when performed twice.
	verbPatchOnce
	verbDelete
)

// String is the word for error messages.
func (v verb) String() string {
	switch v {
	case verbGet:
		return "get"
	case verbList:
		return "list"
	case verbWatch:
		return "watch"
	case verbDiscover:
		return "discover"
	case verbApply:
		return "apply"
	case verbCreate:
		return "create"
	case verbUpdate:
		return "update"
	case verbPatch, verbPatchOnce:
		return "patch"
	default:
		return "delete"
	}
}

// method is the HTTP method.
func (v verb) method() string {
	switch v {
	case verbApply, verbPatch, verbPatchOnce:
		return http.MethodPatch
	case verbCreate:
		return http.MethodPost
	case verbUpdate:
		return http.MethodPut
	case verbDelete:
		return http.MethodDelete
	default:
		return http.MethodGet
	}
}

// writes tells whether the verb changes the cluster.
func (v verb) writes() bool { return v >= verbApply }
