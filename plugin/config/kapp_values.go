package config

import (
	"encoding/json"
	"strconv"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// values reads a mapping of any content as JSON values: int64 where a number
// fits, else json.Number with the text that was read.
func (r *kappReader) values(n *yaml.Node, at string) map[string]any {
	out := map[string]any{}
	pairs, _ := r.pairs(n, at)
	for _, p := range pairs {
		out[p.key.Value] = r.value(p.value, join(at, p.key.Value))
	}
	return out
}

func (r *kappReader) value(n *yaml.Node, at string) any {
	switch n.Kind {
	case yaml.MappingNode:
		return r.values(n, at)
	case yaml.SequenceNode:
		out := []any{}
		r.list(n, at, func(v *yaml.Node, at string) { out = append(out, r.value(v, at)) })
		return out
	}
	switch n.ShortTag() {
	case yaml.NodeTagNull:
		return nil
	case yaml.NodeTagBool:
		return r.truth(n, at)
	case yaml.NodeTagInt, yaml.NodeTagFloat:
		return r.number(n, at)
	}
	return r.text(n, at)
}

func (r *kappReader) number(n *yaml.Node, at string) any {
	if i, err := strconv.ParseInt(n.Value, 10, 64); err == nil {
		return i
	}
	if !json.Valid([]byte(n.Value)) {
		r.found(n.Line, at, "wanted a number as JSON has them")
		return nil
	}
	return json.Number(n.Value)
}
