package cluster

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// quantityName is how every API server names the definition of quantities.
const quantityName = "io.k8s.apimachinery.pkg.api.resource.Quantity"

// maxReferences stops a chain of references that only refer to each other.
const maxReferences = 32

// schemaNode is the part of an OpenAPI v3 schema that a diff needs. Its JSON form
// is a subset of the server's, so that the reduced copy on disk is read by the
// same code.
type schemaNode struct {
	Ref             string                 `json:"$ref,omitempty"`
	AllOf           []*schemaNode          `json:"allOf,omitempty"`
	Type            string                 `json:"type,omitempty"`
	Format          string                 `json:"format,omitempty"`
	Nullable        bool                   `json:"nullable,omitempty"`
	Default         any                    `json:"default,omitempty"`
	Properties      map[string]*schemaNode `json:"properties,omitempty"`
	Values          *schemaNode            `json:"-"`
	RawValues       json.RawMessage        `json:"additionalProperties,omitempty"`
	Items           *schemaNode            `json:"items,omitempty"`
	ListType        string                 `json:"x-kubernetes-list-type,omitempty"`
	ListMapKeys     []string               `json:"x-kubernetes-list-map-keys,omitempty"`
	MapType         string                 `json:"x-kubernetes-map-type,omitempty"`
	IntOrString     bool                   `json:"x-kubernetes-int-or-string,omitempty"`
	PreserveUnknown bool                   `json:"x-kubernetes-preserve-unknown-fields,omitempty"`
	Kinds           []groupVersionKind     `json:"x-kubernetes-group-version-kind,omitempty"`
}

// groupVersionKind is how definitions name the kinds they are.
type groupVersionKind struct {
	Group   string `json:"group"`
	Version string `json:"version"`
	Kind    string `json:"kind"`
}

// schemaDocument is the OpenAPI v3 document of one group version. Definitions
// are decoded when they are first asked for: a run needs few of hundreds.
type schemaDocument struct {
	kinds       map[schema.GroupVersionKind]string
	definitions map[string]json.RawMessage
	// rehearsed are the kinds whose update takes the parameter dryRun.
	rehearsed []groupVersionKind

	mu      sync.Mutex
	decoded map[string]*schemaNode
}

// ParseSchema reads a kind's schema from an OpenAPI v3 document as served below
// /openapi/v3. A document without the kind gives nil and no error.
func ParseSchema(openAPIv3JSON []byte, gvk schema.GroupVersionKind) (*Schema, error) {
	doc, err := parseDocument(openAPIv3JSON)
	if err != nil {
		return nil, err
	}
	return doc.kind(gvk), nil
}

// parseDocument splits a document into definitions and finds the kinds they are.
func parseDocument(data []byte) (*schemaDocument, error) {
	var raw struct {
		Paths      map[string]pathItem `json:"paths"`
		Rehearsed  []groupVersionKind  `json:"x-rehearsed"` // of our reduced form
		Components struct {
			Schemas map[string]json.RawMessage `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(data, &raw); err != nil {
		return nil, fmt.Errorf("parse OpenAPI v3 document: %w", err)
	}
	doc := newDocument(raw.Components.Schemas)
	doc.rehearsed = append(raw.Rehearsed, rehearsable(raw.Paths)...)
	for name, definition := range doc.definitions {
		var kinds struct {
			GVKs []groupVersionKind `json:"x-kubernetes-group-version-kind"`
		}
		if err := json.Unmarshal(definition, &kinds); err != nil {
			return nil, fmt.Errorf("parse OpenAPI v3 definition %s: %w", name, err)
		}
		// Options such as DeleteOptions carry the kinds of all groups.
		if len(kinds.GVKs) == 1 {
			doc.kinds[schema.GroupVersionKind(kinds.GVKs[0])] = name
		}
	}
	return doc, nil
}

func newDocument(definitions map[string]json.RawMessage) *schemaDocument {
	return &schemaDocument{
		kinds:       map[schema.GroupVersionKind]string{},
		definitions: definitions,
		decoded:     map[string]*schemaNode{},
	}
}

// kind is the root of a kind's schema, nil when the document has none.
func (d *schemaDocument) kind(gvk schema.GroupVersionKind) *Schema {
	name, ok := d.kinds[gvk]
	if !ok {
		return nil
	}
	return d.resolve(&schemaNode{Ref: refPrefix + name})
}

const refPrefix = "#/components/schemas/"

// resolve follows references and allOf from a node; nil when they lead nowhere.
func (d *schemaDocument) resolve(n *schemaNode) *Schema {
	s := &Schema{doc: d}
	d.collect(n, s, 0)
	if len(s.layers) == 0 {
		return nil
	}
	return s
}

func (d *schemaDocument) collect(n *schemaNode, s *Schema, depth int) {
	if n == nil || depth > maxReferences {
		return
	}
	if n.Ref != "" {
		name := strings.TrimPrefix(n.Ref, refPrefix)
		s.quantity = s.quantity || name == quantityName
		d.collect(d.definition(name), s, depth+1)
		return
	}
	s.layers = append(s.layers, n)
	for _, part := range n.AllOf {
		d.collect(part, s, depth+1)
	}
}

// definition decodes a definition once. One that can't be decoded is unknown:
// a diff by position is better than none.
func (d *schemaDocument) definition(name string) *schemaNode {
	d.mu.Lock()
	defer d.mu.Unlock()
	if n, ok := d.decoded[name]; ok {
		return n
	}
	var n *schemaNode
	if raw, ok := d.definitions[name]; ok {
		n = decodeNode(raw)
	}
	d.decoded[name] = n
	return n
}

func decodeNode(raw json.RawMessage) *schemaNode {
	n := &schemaNode{}
	if err := utiljson.Unmarshal(raw, n); err != nil {
		return nil
	}
	n.expand()
	return n
}

// expand reads additionalProperties, which is either a schema or a boolean.
func (n *schemaNode) expand() {
	if n == nil {
		return
	}
	if len(n.RawValues) > 0 && n.RawValues[0] == '{' {
		n.Values = decodeNode(n.RawValues)
	}
	n.Items.expand()
	for _, p := range n.Properties {
		p.expand()
	}
	for _, p := range n.AllOf {
		p.expand()
	}
}

// reduced is the document with only what schemaNode reads: a tenth of its size,
// and still a document for parseDocument.
func (d *schemaDocument) reduced() ([]byte, error) {
	out := make(map[string]*schemaNode, len(d.definitions))
	for name, raw := range d.definitions {
		n := decodeNode(raw)
		if n == nil {
			continue
		}
		if err := n.reduce(); err != nil {
			return nil, fmt.Errorf("reduce OpenAPI definition %s: %w", name, err)
		}
		out[name] = n
	}
	return json.Marshal(map[string]any{"components": map[string]any{"schemas": out}, "x-rehearsed": d.rehearsed})
}

// reduce drops from RawValues what the decoded Values don't hold.
func (n *schemaNode) reduce() error {
	if n == nil {
		return nil
	}
	if len(n.Kinds) > 1 {
		n.Kinds = nil
	}
	children := append([]*schemaNode{n.Items, n.Values}, n.AllOf...)
	for _, p := range n.Properties {
		children = append(children, p)
	}
	for _, child := range children {
		if err := child.reduce(); err != nil {
			return err
		}
	}
	n.RawValues = nil
	if n.Values == nil {
		return nil
	}
	var err error
	n.RawValues, err = json.Marshal(n.Values)
	return err
}
