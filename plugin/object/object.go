package object

import (
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Object is one built or fetched object.
type Object struct {
	// Body is a JSON value: maps are map[string]any, lists []any, numbers int64
	// where they fit, else json.Number. It never holds a float64.
	Body map[string]any
	// Origin tells where the object was built from; the zero value means that
	// it came from a cluster.
	Origin Origin
	// Home is the namespace that the object goes to if its kind has namespaces and
	// it names none, as a chart's objects go to that of their release; "" leaves
	// that to the run.
	Home string
}

// Origin is a place in an input.
type Origin struct {
	File     string // path as given by the caller, "-" or a name for other readers
	Document int    // counted from 1; 0 is unknown
	Line     int    // counted from 1 over the whole file; 0 is unknown
}

// String gives "a.yaml: document 2, line 14"; unknown parts are left out.
func (o Origin) String() string {
	var parts []string
	if o.Document > 0 {
		parts = append(parts, "document "+strconv.Itoa(o.Document))
	}
	if o.Line > 0 {
		parts = append(parts, "line "+strconv.Itoa(o.Line))
	}
	if len(parts) == 0 {
		return o.File
	}
	return o.File + ": " + strings.Join(parts, ", ")
}

// Warning is something in an input that is accepted but is probably not what
// its author meant.
type Warning struct {
	Origin Origin
	Ref    *Ref // nil where the object is not known
	Text   string
}

// String gives one line: place, object, text.
func (w Warning) String() string {
	text := w.Text
	if w.Ref != nil {
		text = w.Ref.String() + ": " + text
	}
	if place := w.Origin.String(); place != "" {
		text = place + ": " + text
	}
	return text
}

// Set is what one input gives, in the order of the input.
type Set struct {
	Objects  []Object
	Warnings []Warning
}

// Ref returns the object's identity. Parts that the body lacks are empty.
func (o Object) Ref() Ref { return RefOf(o.Body) }

// GVK returns group, version and kind as the body states them.
func (o Object) GVK() schema.GroupVersionKind { return gvkOf(o.Body) }

// Namespace returns metadata.namespace, "" if there is none.
func (o Object) Namespace() string { return metadataText(o.Body, "namespace") }

// Name returns metadata.name, "" if there is none.
func (o Object) Name() string { return metadataText(o.Body, "name") }

// Annotation returns the annotation with this key, "" if there is none.
func (o Object) Annotation(key string) string {
	annotations, _ := field(o.Body, "metadata", "annotations").(map[string]any)
	value, _ := annotations[key].(string)
	return value
}

// DeepCopy returns an object that shares nothing with o.
func (o Object) DeepCopy() Object {
	return Object{Body: copyMap(o.Body), Origin: o.Origin, Home: o.Home}
}

// Unstructured wraps the body for client-go. The body is shared, not copied.
func (o Object) Unstructured() *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: o.Body}
}

// RefOf returns the identity that a body states. Parts it lacks are empty.
func RefOf(body map[string]any) Ref {
	gvk := gvkOf(body)
	return Ref{
		Group:     gvk.Group,
		Kind:      gvk.Kind,
		Namespace: metadataText(body, "namespace"),
		Name:      metadataText(body, "name"),
	}
}

func gvkOf(body map[string]any) schema.GroupVersionKind {
	apiVersion, _ := body["apiVersion"].(string)
	kind, _ := body["kind"].(string)
	group, version, found := strings.Cut(apiVersion, "/")
	if !found {
		group, version = "", apiVersion
	}
	return schema.GroupVersionKind{Group: group, Version: version, Kind: kind}
}

func metadataText(body map[string]any, key string) string {
	text, _ := field(body, "metadata", key).(string)
	return text
}
