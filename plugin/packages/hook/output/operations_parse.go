package output

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/document"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/filter"
)

// ParseOperations reads what a hook wants done to objects: a stream of JSON or
// YAML documents, one an operation.
func ParseOperations(data []byte) ([]Operation, error) {
	documents, err := document.Stream(data)
	if err != nil {
		return nil, unreadable(OperationsFile, err)
	}
	f := &faults{file: OperationsFile}
	var operations []Operation
	for _, d := range documents {
		o := f.operation(d.Value, fmt.Sprintf("document %d", d.Number))
		o.Number = d.Number
		operations = append(operations, o)
	}
	if err := f.err(); err != nil {
		return nil, err
	}
	return operations, nil
}

// verbs in the order of their documentation.
func verbs() []string {
	return []string{
		string(Create), string(CreateOrUpdate), string(CreateIfNotExists),
		string(Delete), string(DeleteInBackground), string(DeleteNonCascading),
		string(JQPatchVerb), string(MergePatchVerb), string(JSONPatchVerb),
	}
}

// reading is an operation on its way from a document.
type reading struct {
	*faults
	at    string
	o     Operation
	has   map[string]bool // keys that are there
	patch any             // the value of the key of a patch
}

func (f *faults) operation(value any, at string) Operation {
	r := &reading{faults: f, at: at, has: map[string]bool{}}
	before := len(f.Findings)
	if r.Mapping(value, at, r.fields()) && len(f.Findings) == before {
		r.finish()
	}
	return r.o
}

func (r *reading) fields() []document.Field {
	o := &r.o
	key := func(name string, read func(v any, at string)) document.Field {
		return document.Field{Key: name, Read: func(v any, at string) { r.has[name] = true; read(v, at) }}
	}
	text := func(name string, to *string) document.Field {
		return key(name, func(v any, at string) { *to = r.Text(v, at) })
	}
	return []document.Field{
		key("operation", func(v any, at string) { o.Verb = Verb(r.Word(v, at, verbs()...)) }),
		text("apiVersion", &o.APIVersion),
		text("kind", &o.Kind),
		text("namespace", &o.Namespace),
		text("name", &o.Name),
		text("subresource", &o.Subresource),
		key("object", func(v any, at string) { o.Object = r.embedded(v, at) }),
		key("jqFilter", func(v any, _ string) { r.patch = v }),
		key("mergePatch", func(v any, _ string) { r.patch = v }),
		key("jsonPatch", func(v any, _ string) { r.patch = v }),
		key("ignoreMissingObject", func(v any, at string) { o.IgnoreMissing = r.Truth(v, at) }),
		// module-sdk's spelling, which its own operator refuses.
		key("ignoreMissingObjects", func(v any, at string) { o.IgnoreMissing = r.Truth(v, at) || o.IgnoreMissing }),
		key("ignoreHookError", func(v any, at string) { o.IgnoreHookError = r.Truth(v, at) }),
	}
}

// embedded reads a mapping, or text that holds one as JSON or YAML.
func (r *reading) embedded(value any, at string) map[string]any {
	value = r.unpacked(value, at)
	mapping, ok := value.(map[string]any)
	if !ok && value != nil {
		r.Found(at, "wanted a mapping, found %s", document.KindOf(value))
	}
	return mapping
}

// unpacked gives what text holds; other values as they are, nil after a finding.
func (r *reading) unpacked(value any, at string) any {
	text, ok := value.(string)
	if !ok {
		return value
	}
	inner, err := document.One([]byte(text))
	if err != nil {
		r.Found(at, "the text in it: %v", err)
		return nil
	}
	return inner
}

// finish checks the keys against the verb, and reads what only one verb has.
func (r *reading) finish() {
	before := len(r.Findings)
	needs, may := r.keysOf(r.o.Verb)
	if r.o.Verb == "" {
		r.Found(document.Join(r.at, "operation"), "is missing")
		return
	}
	for _, key := range needs {
		if !r.has[key] {
			r.Found(document.Join(r.at, key), "is missing: %s needs it", r.o.Verb)
		}
	}
	for _, key := range allKeys() {
		if r.has[key] && !slices.Contains(needs, key) && !slices.Contains(may, key) {
			r.Found(document.Join(r.at, key), "is not a key of %s", r.o.Verb)
		}
	}
	if r.o.Creates() {
		r.identify()
		return
	}
	r.checkName()
	if len(r.Findings) == before {
		r.readPatch()
	}
}

func allKeys() []string {
	return []string{
		"apiVersion", "kind", "namespace", "name", "object", "jqFilter", "mergePatch", "jsonPatch",
		"ignoreMissingObject", "ignoreMissingObjects", "ignoreHookError", "subresource",
	}
}

// keysOf lists the keys that a verb needs and those it may have. The creating
// verbs tolerate what repeats the object, since programs write it.
func (r *reading) keysOf(verb Verb) (needs, may []string) {
	may = []string{"subresource", "ignoreMissingObject", "ignoreMissingObjects", "ignoreHookError", "apiVersion", "namespace"}
	switch verb {
	case Create, CreateIfNotExists, CreateOrUpdate:
		return []string{"object"}, append(may, "kind", "name")
	case JQPatchVerb:
		return []string{"kind", "name", "jqFilter"}, may
	case MergePatchVerb:
		return []string{"kind", "name", "mergePatch"}, may
	case JSONPatchVerb:
		return []string{"kind", "name", "jsonPatch"}, may
	}
	return []string{"kind", "name"}, may
}

// identify takes the identity from the object that is to be written.
func (r *reading) identify() {
	o := &r.o
	at := document.Join(r.at, "object")
	if o.Object == nil {
		return
	}
	metadata, _ := o.Object["metadata"].(map[string]any)
	for _, part := range []struct {
		key    string
		in     map[string]any
		field  string
		to     *string
		needed bool
	}{
		{"apiVersion", o.Object, "apiVersion", &o.APIVersion, true},
		{"kind", o.Object, "kind", &o.Kind, true},
		{"metadata.name", metadata, "name", &o.Name, true},
		{"metadata.namespace", metadata, "namespace", &o.Namespace, false},
	} {
		text, isText := part.in[part.field].(string)
		switch {
		case part.in[part.field] != nil && !isText:
			r.Found(document.Join(at, part.key), "wanted text, found %s", document.KindOf(part.in[part.field]))
		case text == "" && part.needed:
			r.Found(document.Join(at, part.key), "is missing")
		case *part.to != "" && text != "" && *part.to != text:
			r.Found(document.Join(r.at, part.field), "%q, but the object says %q", *part.to, text)
		case text != "":
			*part.to = text
		}
	}
	if o.Namespace != "" && metadata != nil && metadata["namespace"] == nil {
		o.Object = with(o.Object, "metadata", with(metadata, "namespace", o.Namespace))
	}
	r.checkVersion(document.Join(at, "apiVersion"))
}

func (r *reading) checkName() {
	if r.has["kind"] && strings.TrimSpace(r.o.Kind) == "" {
		r.Found(document.Join(r.at, "kind"), "is empty")
	}
	if r.has["name"] && strings.TrimSpace(r.o.Name) == "" {
		r.Found(document.Join(r.at, "name"), "is empty")
	}
	r.checkVersion(document.Join(r.at, "apiVersion"))
}

func (r *reading) checkVersion(at string) {
	if _, err := schema.ParseGroupVersion(r.o.APIVersion); err != nil {
		r.Found(at, "wanted GROUP/VERSION or VERSION, found %q", r.o.APIVersion)
	}
}

// readPatch reads the one patch that the verb has.
func (r *reading) readPatch() {
	at := document.Join(r.at, r.patchKey())
	switch {
	case r.patch == nil: // said to be missing
	case r.o.Verb == JQPatchVerb:
		r.o.JQ = r.jq(r.patch, at)
	case r.o.Verb == MergePatchVerb:
		r.o.MergePatch = r.embedded(r.patch, at)
	case r.o.Verb == JSONPatchVerb:
		if value := r.unpacked(r.patch, at); value != nil {
			r.o.JSONPatch = r.patchSteps(value, at, OpAdd, OpRemove, OpReplace, OpMove, OpCopy, OpTest)
		}
	}
}

func (r *reading) patchKey() string {
	switch r.o.Verb {
	case JQPatchVerb:
		return "jqFilter"
	case MergePatchVerb:
		return "mergePatch"
	}
	return "jsonPatch"
}

func (r *reading) jq(value any, at string) *filter.Filter {
	text := r.Filled(value, at)
	if text == "" {
		return nil
	}
	f, err := filter.Compile(text)
	switch {
	case err != nil && isSecret(r.o):
		r.Found(at, "the filter can't be compiled")
	case err != nil:
		r.Found(at, "%v", err)
	}
	return f
}
