package config

import (
	"fmt"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// kappGroup is the API group of kapp configuration.
const kappGroup = "kapp.k14s.io"

// ExtractKappConfig takes the kapp configuration out of built objects: documents
// of that kind, which are not deployed, and what ConfigMaps with KappConfigLabel
// carry, which are. rest are the objects to deploy, in order. What is wrong in
// all of them comes as one *Error.
//
// An object knows only the line where it begins, so that is the line of messages
// and places; TakeKappConfig, which sees the text, has them exactly.
func ExtractKappConfig(objects []object.Object) (c KappConfig, rest []object.Object, err error) {
	var findings []Finding
	for _, o := range objects {
		var r *kappReader
		switch {
		case o.Ref().Group == kappGroup:
			r = readKappObject(o)
		case isKappConfigMap(o):
			r = readKappConfigMap(o)
			rest = append(rest, o)
		default:
			rest = append(rest, o)
			continue
		}
		c = c.With(r.config)
		findings = append(findings, r.findings...)
	}
	if len(findings) > 0 {
		return KappConfig{}, nil, &Error{Findings: findings}
	}
	return c, rest, nil
}

// readKappObject reads a document that was loaded as an object.
func readKappObject(o object.Object) *kappReader {
	r := newKappReader(originFile(o))
	root := valueNode(o.Body).Node
	setLine(root, o.Origin.Line)
	r.root(root)
	return r
}

// setLine gives all nodes the one line that is known.
func setLine(n *yaml.Node, line int) {
	n.Line = line
	for _, c := range n.Content {
		setLine(c, line)
	}
}

func originFile(o object.Object) string {
	if o.Origin.File == "" {
		return o.Ref().String()
	}
	return o.Origin.File
}

func isKappConfigMap(o object.Object) bool {
	if o.Ref().GroupKind().String() != "ConfigMap" {
		return false
	}
	metadata, _ := o.Body["metadata"].(map[string]any)
	labels, _ := metadata["labels"].(map[string]any)
	_, ok := labels[KappConfigLabel]
	return ok
}

// readKappConfigMap reads what a ConfigMap carries. Lines count within the text.
func readKappConfigMap(o object.Object) *kappReader {
	place := originFile(o)
	if o.Origin.Line > 0 {
		place = fmt.Sprintf("%s:%d", place, o.Origin.Line)
	}
	data, _ := o.Body["data"].(map[string]any)
	text, ok := data[KappConfigKey].(string)
	if !ok || strings.TrimSpace(text) == "" {
		r := newKappReader(place)
		r.found(0, "data", "the ConfigMap %s/%s has label %s but no %s", o.Namespace(), o.Name(), KappConfigLabel, KappConfigKey)
		return r
	}
	r := newKappReader(fmt.Sprintf("%s: %s of ConfigMap %s", place, KappConfigKey, o.Name()))
	r.documents([]byte(text))
	return r
}
