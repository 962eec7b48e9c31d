package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// LoadKappConfig reads a file that holds kapp configuration and nothing else.
// Whatever is wrong with its content comes as one *Error.
func LoadKappConfig(path string) (KappConfig, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return KappConfig{}, fmt.Errorf("read kapp configuration: %w", err)
	}
	return ParseKappConfig(data, path)
}

// ParseKappConfig is LoadKappConfig for content that was read elsewhere; file is
// for messages and for the places of rules.
func ParseKappConfig(data []byte, file string) (KappConfig, error) {
	r := newKappReader(file)
	r.documents(data)
	return r.result()
}

// kappReader reads kapp configuration from the nodes of documents. What it has
// read of several documents stands in config, in order.
type kappReader struct {
	*reader
	config KappConfig
	// depth is that of the matcher being read.
	depth int
}

func newKappReader(file string) *kappReader {
	return &kappReader{reader: &reader{file: file}}
}

// result gives the configuration, or everything that is wrong.
func (r *kappReader) result() (KappConfig, error) {
	if err := newError(r.findings); err != nil {
		return KappConfig{}, err
	}
	return r.config, nil
}

// documents reads each document that is not empty. There has to be one.
func (r *kappReader) documents(data []byte) {
	documents := yaml.NewDecoder(bytes.NewReader(data))
	for count := 0; ; {
		root, err := nextDocument(documents)
		switch {
		case errors.Is(err, io.EOF):
			if count == 0 {
				r.found(0, "", "no kapp configuration: wanted a document with apiVersion: %s and kind: %s", KappAPIVersion, KappKind)
			}
			return
		case err != nil:
			r.found(syntaxError(err))
			return
		case root != nil:
			count++
			r.root(root)
		}
	}
}

// root reads one document. It may carry metadata, since kapp takes it for an
// object like others; nothing in there has a meaning.
func (r *kappReader) root(n *yaml.Node) {
	var c KappConfig
	var version, kind string
	r.strict(n, "", append([]field{
		{"apiVersion", func(v *yaml.Node, at string) { version = r.only(v, at, KappAPIVersion) }},
		{"kind", func(v *yaml.Node, at string) { kind = r.only(v, at, KappKind) }},
		{"metadata", func(*yaml.Node, string) {}},
	}, r.sections(&c)...), func() []string {
		return append(absent("apiVersion", version == ""), absent("kind", kind == "")...)
	})
	r.config = r.config.With(c)
}

// only reads a text that can have one value.
func (r *kappReader) only(n *yaml.Node, at, want string) string {
	value := r.text(n, at)
	if value != "" && value != want {
		r.found(n.Line, at, "wanted %s, found %q", want, value)
	}
	return value
}

// sections are the keys of a document that hold rules.
func (r *kappReader) sections(c *KappConfig) []field {
	return []field{
		{"minimumRequiredVersion", func(v *yaml.Node, at string) { c.MinimumRequiredVersion = r.minimumVersion(v, at) }},
		{"rebaseRules", each(r, &c.RebaseRules, r.rebaseRule)},
		{"diffAgainstLastAppliedFieldExclusionRules", each(r, &c.LastAppliedExclusions, r.exclusionRule)},
		{"diffAgainstExistingFieldExclusionRules", each(r, &c.ExistingExclusions, r.exclusionRule)},
		{"diffMaskRules", each(r, &c.MaskRules, r.fieldRule)},
		{"ownershipLabelRules", each(r, &c.OwnershipLabelRules, r.fieldRule)},
		{"labelScopingRules", each(r, &c.LabelScopingRules, r.labelScopingRule)},
		{"templateRules", each(r, &c.TemplateRules, r.templateRule)},
		{"waitRules", each(r, &c.WaitRules, r.waitRule)},
		{"changeGroupBindings", each(r, &c.ChangeGroupBindings, r.changeGroupBinding)},
		{"changeRuleBindings", each(r, &c.ChangeRuleBindings, r.changeRuleBinding)},
		{"additionalLabels", func(v *yaml.Node, at string) { c.AdditionalLabels = r.labels(v, at) }},
		{"preflightRules", each(r, &c.PreflightRules, r.preflightRule)},
	}
}

// each reads a list of rules of one kind.
func each[T any](r *kappReader, into *[]T, read func(n *yaml.Node, at string) T) func(*yaml.Node, string) {
	return func(n *yaml.Node, at string) {
		r.list(n, at, func(v *yaml.Node, at string) { *into = append(*into, read(v, at)) })
	}
}

// strict reads a mapping and then asks what is missing. It doesn't ask where
// something is wrong already: a misspelt "knid" needs no second message.
func (r *kappReader) strict(n *yaml.Node, at string, fields []field, missing func() []string) {
	before := len(r.findings)
	r.mapping(n, at, fields)
	if len(r.findings) > before {
		return
	}
	for _, key := range missing() {
		r.found(n.Line, join(at, key), "missing")
	}
}

// absent gives the key if it is.
func absent(key string, is bool) []string {
	if !is {
		return nil
	}
	return []string{key}
}

// place is where a rule stands.
func (r *kappReader) place(n *yaml.Node, at string) Place {
	return Place{File: r.file, Line: n.Line, Rule: at}
}

// word reads one of a few words.
func (r *kappReader) word(n *yaml.Node, at string, known ...string) string {
	value := r.text(n, at)
	for _, k := range known {
		if value == k {
			return value
		}
	}
	if value != "" {
		r.found(n.Line, at, "wanted %s, found %q%s", strings.Join(known, " or "), value, near(value, known))
	}
	return ""
}

// near is didYouMean where the known words were listed already.
func near(word string, known []string) string {
	if hint := didYouMean(word, known); strings.HasPrefix(hint, "; did you mean") {
		return hint
	}
	return ""
}
