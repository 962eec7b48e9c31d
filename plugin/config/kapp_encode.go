package config

import (
	"bytes"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strconv"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// Encode writes the configuration as one document that loads again to the same:
// kinds of rules in the order of their documentation, rules in theirs, a path or
// matcher on one line.
func (c KappConfig) Encode() []byte {
	doc := mappingNode().
		add("apiVersion", textNode(KappAPIVersion)).
		add("kind", textNode(KappKind)).
		text("minimumRequiredVersion", c.MinimumRequiredVersion)
	addRules(doc, "rebaseRules", c.RebaseRules, encodeRebaseRule)
	addRules(doc, "diffAgainstLastAppliedFieldExclusionRules", c.LastAppliedExclusions, encodeFieldRule)
	addRules(doc, "diffAgainstExistingFieldExclusionRules", c.ExistingExclusions, encodeFieldRule)
	addRules(doc, "diffMaskRules", c.MaskRules, encodeFieldRule)
	addRules(doc, "ownershipLabelRules", c.OwnershipLabelRules, encodeFieldRule)
	addRules(doc, "labelScopingRules", c.LabelScopingRules, func(r LabelScopingRule) node {
		return encodeFieldRule(r.FieldRule).truth("isDefault", r.IsDefault)
	})
	addRules(doc, "templateRules", c.TemplateRules, encodeTemplateRule)
	addRules(doc, "waitRules", c.WaitRules, encodeWaitRule)
	addRules(doc, "changeGroupBindings", c.ChangeGroupBindings, func(b ChangeGroupBinding) node {
		return mappingNode().text("name", b.Name).add("resourceMatchers", matcherNodes(b.Matchers))
	})
	addRules(doc, "changeRuleBindings", c.ChangeRuleBindings, encodeChangeRuleBinding)
	if len(c.AdditionalLabels) > 0 {
		labels := mappingNode()
		for _, key := range slices.Sorted(maps.Keys(c.AdditionalLabels)) {
			labels.add(key, textNode(c.AdditionalLabels[key]))
		}
		doc.add("additionalLabels", labels)
	}
	addRules(doc, "preflightRules", c.PreflightRules, encodePreflightRule)
	return doc.bytes()
}

// addRules adds a list of rules; none for an empty list.
func addRules[T any](doc node, key string, rules []T, encode func(T) node) {
	if len(rules) > 0 {
		doc.add(key, listOf(rules, encode))
	}
}

func listOf[T any](items []T, encode func(T) node) node {
	list := listNode()
	for _, item := range items {
		list.Content = append(list.Content, encode(item).Node)
	}
	return list
}

func encodeRebaseRule(r RebaseRule) node {
	n := mappingNode()
	if len(r.Paths) == 1 {
		n.add("path", pathNode(r.Paths[0]))
	} else {
		n.add("paths", listOf(r.Paths, pathNode))
	}
	n.text("type", string(r.Type))
	if len(r.Sources) > 0 {
		n.add("sources", listOf(r.Sources, func(s RebaseSource) node { return textNode(string(s)) }).flow())
	}
	return n.add("resourceMatchers", matcherNodes(r.Matchers))
}

func encodeFieldRule(r FieldRule) node {
	return mappingNode().add("path", pathNode(r.Path)).add("resourceMatchers", matcherNodes(r.Matchers))
}

func encodeTemplateRule(r TemplateRule) node {
	references := listOf(r.References, func(ref ObjectReference) node {
		return mappingNode().
			add("path", pathNode(ref.Path)).
			add("resourceMatchers", matcherNodes(ref.Matchers)).
			text("nameKey", ref.NameKey)
	})
	return mappingNode().
		add("resourceMatchers", matcherNodes(r.Matchers)).
		add("affectedResources", mappingNode().add("objectReferences", references))
}

func encodeWaitRule(r WaitRule) node {
	conditions := listOf(r.Conditions, func(c WaitCondition) node {
		n := mappingNode().
			text("type", c.Type).
			text("status", c.Status).
			truth("failure", c.Failure).
			truth("success", c.Success).
			truth("unblockChanges", c.Unblock).
			truth("supportsObservedGeneration", c.ObservedGeneration)
		if c.Timeout > 0 {
			n.text("timeout", c.Timeout.String())
		}
		return n
	})
	out := mappingNode().truth("supportsObservedGeneration", r.ObservedGeneration)
	if len(r.Conditions) > 0 {
		out.add("conditionMatchers", conditions)
	}
	if r.Ready != nil || r.Failed != nil {
		cel := mappingNode()
		if r.Ready != nil {
			cel.text("ready", r.Ready.String())
		}
		if r.Failed != nil {
			cel.text("failed", r.Failed.String())
		}
		out.add("cel", cel)
	}
	return out.add("resourceMatchers", matcherNodes(r.Matchers))
}

func encodeChangeRuleBinding(b ChangeRuleBinding) node {
	return mappingNode().
		add("rules", listOf(b.Rules, func(r ChangeRule) node { return textNode(r.String()) })).
		truth("ignoreIfCyclical", b.IgnoreIfCyclical).
		add("resourceMatchers", matcherNodes(b.Matchers))
}

func encodePreflightRule(r PreflightRule) node {
	n := mappingNode().text("name", r.Name)
	if r.Config != nil {
		n.add("config", valueNode(r.Config))
	}
	return n
}

func pathNode(path RulePath) node {
	return listOf(path, func(p PathPart) node {
		switch {
		case p.All:
			return mappingNode().truth("allIndexes", true)
		case p.Index != nil:
			return mappingNode().add("index", plainNode(strconv.Itoa(*p.Index), yaml.NodeTagInt))
		case p.Regex != nil:
			return mappingNode().add("regex", textNode(p.Regex.String()))
		}
		return textNode(p.Key)
	}).flow()
}

func matcherNodes(matchers []ResourceMatcher) node { return listOf(matchers, matcherNode) }

// matcherNode writes a matcher on one line, unless it holds others.
func matcherNode(m ResourceMatcher) node {
	inside := mappingNode()
	switch m.Type {
	case MatchAny, MatchEach:
		return mappingNode().add(string(m.Type), inside.add("matchers", matcherNodes(m.Matchers)))
	case MatchNot:
		for _, inner := range m.Matchers {
			inside.add("matcher", matcherNode(inner))
		}
		return mappingNode().add(string(m.Type), inside)
	case MatchAPIGroupKind:
		inside.add("apiGroup", textNode(m.APIGroup)).text("kind", m.Kind)
	case MatchAPIVersionKind:
		inside.text("apiVersion", m.APIVersion).text("kind", m.Kind)
	case MatchKindNamespaceName:
		inside.text("kind", m.Kind).text("namespace", m.Namespace).text("name", m.Name)
	case MatchAnnotations:
		inside.add("keys", listOf(m.Keys, textNode))
	case MatchNamespace:
		if len(m.Names) > 0 {
			inside.add("names", listOf(m.Names, textNode))
		}
	case MatchEmptyField:
		inside.add("path", pathNode(m.Path))
	}
	return mappingNode().add(string(m.Type), inside.flow())
}

// node is a YAML node that is being built.
type node struct{ *yaml.Node }

func mappingNode() node { return node{&yaml.Node{Kind: yaml.MappingNode, Tag: yaml.NodeTagMap}} }
func listNode() node    { return node{&yaml.Node{Kind: yaml.SequenceNode, Tag: yaml.NodeTagSeq}} }

func plainNode(value, tag string) node {
	return node{&yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: value}}
}

// textNode quotes whatever a reader might take for something else than text.
func textNode(value string) node {
	n := plainNode(value, yaml.NodeTagString)
	if _, odd := boolWord(value); odd || !plainText.MatchString(value) || value == "null" {
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}

var plainText = regexp.MustCompile(`^[A-Za-z_]([A-Za-z0-9_./ -]*[A-Za-z0-9])?$`)

// add puts a key at the end of a mapping.
func (n node) add(key string, value node) node {
	n.Content = append(n.Content, textNode(key).Node, value.Node)
	return n
}

// text adds a text that is not empty.
func (n node) text(key, value string) node {
	if value == "" {
		return n
	}
	return n.add(key, textNode(value))
}

// truth adds a true.
func (n node) truth(key string, value bool) node {
	if !value {
		return n
	}
	return n.add(key, plainNode("true", yaml.NodeTagBool))
}

// flow puts the node on one line.
func (n node) flow() node {
	n.Style |= yaml.FlowStyle
	return n
}

// valueNode turns a JSON value into a node.
func valueNode(value any) node {
	switch v := value.(type) {
	case map[string]any:
		n := mappingNode()
		for _, key := range slices.Sorted(maps.Keys(v)) {
			n.add(key, valueNode(v[key]))
		}
		return n
	case []any:
		return listOf(v, valueNode)
	case string:
		return textNode(v)
	case bool:
		return plainNode(strconv.FormatBool(v), yaml.NodeTagBool)
	case int64:
		return plainNode(strconv.FormatInt(v, 10), yaml.NodeTagInt)
	case json.Number:
		return plainNode(v.String(), yaml.NodeTagFloat)
	}
	return plainNode("null", yaml.NodeTagNull)
}

// bytes writes the document. Writing to memory can't fail, and nodes of our own
// making have no form that the encoder refuses.
func (n node) bytes() []byte {
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	encoder.CompactSeqIndent()
	_ = encoder.Encode(n.Node)
	_ = encoder.Close()
	return out.Bytes()
}
