package config

import (
	"time"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// defaultInterval is the time between two answers where a test names none.
const defaultInterval = 2 * time.Second

// Tests reads a list of tests.
func (r Reader) Tests(n *yaml.Node, at string) []Test {
	var all []Test
	r.list(n, at, func(v *yaml.Node, at string) { all = append(all, r.test(v, at)) })
	return all
}

func (r Reader) test(n *yaml.Node, at string) Test {
	t := Test{File: r.file, Line: r.Line(n)}
	before := r.Findings()
	blocks := map[TestType]*yaml.Node{}
	r.mapping(n, at, []field{
		{"type", func(v *yaml.Node, at string) {
			t.Type = TestType(r.OneOf(v, at, string(WaitUntil), string(ExistNonExist)))
		}},
		{"minConsecutiveSuccessCount", func(v *yaml.Node, at string) { t.Successes = r.Count(v, at) }},
		{"minConsecutiveFailureCount", func(v *yaml.Node, at string) { t.Failures = r.Count(v, at) }},
		{"timeoutSeconds", func(v *yaml.Node, at string) { t.Timeout = r.Seconds(v, at) }},
		{"intervalSeconds", func(v *yaml.Node, at string) { t.Interval = r.Seconds(v, at) }},
		{"waitUntil", func(v *yaml.Node, _ string) { blocks[WaitUntil] = v }},
		{"existNonExist", func(v *yaml.Node, _ string) { blocks[ExistNonExist] = v }},
	})
	t.Successes = max(1, t.Successes)
	if t.Interval == 0 {
		t.Interval = defaultInterval
	}
	if r.Findings() == before {
		r.arguments(n, at, &t, blocks)
	}
	return t
}

// arguments reads the block of the test's type.
func (r Reader) arguments(n *yaml.Node, at string, t *Test, blocks map[TestType]*yaml.Node) {
	keys := map[TestType]string{WaitUntil: "waitUntil", ExistNonExist: "existNonExist"}
	if t.Type == "" {
		r.Missing(n, at, "type")
		return
	}
	for of, block := range blocks {
		if of != t.Type {
			r.loose(block.Line, join(at, keys[of]), "these arguments belong to type %s, but the test has type %s", of, t.Type)
		}
	}
	block := blocks[t.Type]
	if block == nil {
		r.Missing(n, at, keys[t.Type])
		return
	}
	at = join(at, keys[t.Type])
	before := r.Findings()
	fields := []field{
		{"resource", func(v *yaml.Node, at string) {
			r.mapping(v, at, []field{
				{"apiVersion", func(v *yaml.Node, at string) { t.APIVersion = r.text(v, at) }},
				{"kind", func(v *yaml.Node, at string) { t.Kind = r.text(v, at) }},
			})
		}},
		{"namespace", func(v *yaml.Node, at string) { t.Namespace = r.namespace(v, at) }},
		{"name", func(v *yaml.Node, at string) { t.Name = r.text(v, at) }},
	}
	if t.Type == WaitUntil {
		fields = append(fields, field{"condition", func(v *yaml.Node, at string) { t.Condition = r.text(v, at) }})
	} else {
		fields = append(fields, field{"shouldExist", func(v *yaml.Node, at string) { t.ShouldExist = r.truth(v, at) }})
	}
	r.mapping(block, at, fields)
	if r.Findings() == before {
		r.complete(block, at, t)
	}
}

// complete reports what a test must name.
func (r Reader) complete(n *yaml.Node, at string, t *Test) {
	needs := []struct{ key, value string }{
		{"resource.apiVersion", t.APIVersion}, {"resource.kind", t.Kind}, {"name", t.Name},
	}
	if t.Type == WaitUntil {
		needs = append(needs, struct{ key, value string }{"condition", t.Condition})
	}
	for _, f := range needs {
		if f.value == "" {
			r.Missing(n, at, f.key)
		}
	}
}
