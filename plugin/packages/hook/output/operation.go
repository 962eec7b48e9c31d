package output

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/filter"
)

// Verb is the kind of an operation on an object.
type Verb string

// The verbs, as hooks write them.
const (
	// Create creates an object; one that is there is an error.
	Create Verb = "Create"
	// CreateIfNotExists creates an object; one that is there stays as it is.
	CreateIfNotExists Verb = "CreateIfNotExists"
	// CreateOrUpdate makes the object what is written: fields that are not
	// mentioned vanish.
	CreateOrUpdate Verb = "CreateOrUpdate"
	// Delete deletes in the foreground and waits for the end; that the object is
	// not there is fine, for all three.
	Delete             Verb = "Delete"
	DeleteInBackground Verb = "DeleteInBackground"
	DeleteNonCascading Verb = "DeleteNonCascading"
	// The patches change an object that has to be there.
	JSONPatchVerb  Verb = "JSONPatch"
	MergePatchVerb Verb = "MergePatch"
	JQPatchVerb    Verb = "JQPatch"
)

// Operation is one thing that a hook wants done to one object.
type Operation struct {
	Verb Verb
	// APIVersion is "" where the cluster's preferred version is meant.
	APIVersion string
	// Kind is as it was written; other spellings of it are the cluster's matter.
	Kind            string
	Namespace, Name string
	// Subresource is the part of the API that takes the change, such as status;
	// "" is the object itself.
	Subresource string

	// Object is of the creating verbs; MergePatch, JSONPatch and JQ are of the
	// patches.
	Object     map[string]any
	MergePatch map[string]any
	JSONPatch  JSONPatch
	JQ         *filter.Filter

	// IgnoreMissing makes a patch of an object that is not there no error.
	IgnoreMissing bool
	// IgnoreHookError asks for a status patch to be made though the hook fails.
	IgnoreHookError bool

	// Number is the place among the operations of the run, from 1.
	Number int
}

// Ref names the object.
func (o Operation) Ref() object.Ref {
	gv, _ := schema.ParseGroupVersion(o.APIVersion)
	return object.Ref{Group: gv.Group, Kind: o.Kind, Namespace: o.Namespace, Name: o.Name}
}

// String gives "operation 2: MergePatch of status of Deployment.apps default/web".
func (o Operation) String() string {
	part := ""
	if o.Subresource != "" {
		part = o.Subresource + " of "
	}
	return fmt.Sprintf("operation %d: %s of %s%s", o.Number, o.Verb, part, o.Ref())
}

// Creates tells that the operation brings a whole object.
func (o Operation) Creates() bool {
	return o.Verb == Create || o.Verb == CreateIfNotExists || o.Verb == CreateOrUpdate
}

// Deletes tells that the operation ends an object.
func (o Operation) Deletes() bool {
	return o.Verb == Delete || o.Verb == DeleteInBackground || o.Verb == DeleteNonCascading
}

// DespiteFailure tells that the operation is made though the hook fails: a patch
// of a status that asks for it.
func (o Operation) DespiteFailure() bool {
	return o.IgnoreHookError && o.Subresource == "status" && !o.Creates() && !o.Deletes()
}

// MarshalJSON writes the operation as a hook would, for people and other programs.
func (o Operation) MarshalJSON() ([]byte, error) {
	fields := map[string]any{"operation": string(o.Verb)}
	if o.Creates() {
		fields["object"] = o.Object
	} else {
		for key, value := range map[string]string{
			"apiVersion": o.APIVersion, "kind": o.Kind, "namespace": o.Namespace, "name": o.Name,
		} {
			if value != "" {
				fields[key] = value
			}
		}
	}
	switch o.Verb {
	case JSONPatchVerb:
		fields["jsonPatch"] = o.JSONPatch
	case MergePatchVerb:
		fields["mergePatch"] = o.MergePatch
	case JQPatchVerb:
		fields["jqFilter"] = o.JQ.String()
	}
	if o.Subresource != "" {
		fields["subresource"] = o.Subresource
	}
	for key, on := range map[string]bool{"ignoreMissingObject": o.IgnoreMissing, "ignoreHookError": o.IgnoreHookError} {
		if on {
			fields[key] = true
		}
	}
	return object.EncodeJSON(fields)
}

// Scope moves the operation into what an instance may touch: its namespace, and
// objects whose names begin with d8a-INSTANCE-. The second result tells what was
// changed that the hook had written otherwise; "" if nothing was.
func (o Operation) Scope(namespace, instance string) (Operation, string) {
	prefix := "d8a-" + instance + "-"
	var notes []string
	if o.Namespace != "" && o.Namespace != namespace {
		notes = append(notes, fmt.Sprintf("namespace %q became %q", o.Namespace, namespace))
	}
	if !strings.HasPrefix(o.Name, prefix) {
		notes = append(notes, fmt.Sprintf("name %q became %q", o.Name, prefix+o.Name))
		o.Name = prefix + o.Name
	}
	o.Namespace = namespace
	if o.Object != nil {
		metadata, _ := o.Object["metadata"].(map[string]any)
		o.Object = with(o.Object, "metadata", with(with(metadata, "namespace", namespace), "name", o.Name))
	}
	return o, strings.Join(notes, ", ")
}
