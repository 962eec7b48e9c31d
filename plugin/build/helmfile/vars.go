package helmfile

import (
	"strconv"

	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
)

// Var says where the value of a variable comes from. Exactly one of Env, Static
// and OnePassword is set.
type Var struct {
	Name string
	// Env is an environment variable, which has to be set.
	Env string
	// Static is a string, a []any or a map[string]any.
	Static any
	// OnePassword is a field of an item of 1Password.
	OnePassword *OnePassword
}

// OnePassword names a field, by its label or by its id.
type OnePassword struct {
	Vault, Item, Field string
	Label              bool
}

// Secret reports whether the value may be one that must not be shown.
func (v Var) Secret() bool { return v.Static == nil }

// Values are variables with their values.
type Values struct {
	all    map[string]any
	secret map[string]any
}

// Set gives a variable its value.
func (v *Values) Set(name string, value any, secret bool) {
	if v.all == nil {
		v.all, v.secret = map[string]any{}, map[string]any{}
	}
	v.all[name] = value
	if secret {
		v.secret[name] = value
	}
}

// Get gives the value of a variable.
func (v Values) Get(name string) (any, bool) {
	value, ok := v.all[name]
	return value, ok
}

// secrets are the secret values in the form in which they can be found in texts.
func (v Values) secrets() map[string]any {
	return map[string]any{"apiVersion": "v1", "kind": "Secret", "stringData": v.secret}
}

// ReadVars reads the variables of a manifest of type helmfile.
func ReadVars(r config.Reader, n *yaml.Node, at string) []Var {
	var all []Var
	r.Entries(n, at, func(key, value *yaml.Node, at string) {
		all = append(all, varReader{r, value, at, Var{Name: key.Value}}.read())
	})
	return all
}

// varReader reads one variable.
type varReader struct {
	config.Reader
	node *yaml.Node
	at   string
	of   Var
}

func (r varReader) read() Var {
	from := ""
	given := map[string]int{}
	var statics []any
	static := func(value any) {
		given["static"]++
		statics = append(statics, value)
	}
	before := r.Findings()
	r.Mapping(r.node, r.at,
		config.Field{Key: "from", Read: func(v *yaml.Node, at string) { from = r.OneOf(v, at, "env", "op", "static") }},
		config.Field{Key: "env", Read: func(v *yaml.Node, at string) { given["env"]++; r.of.Env = r.Text(v, at) }},
		config.Field{Key: "static", Read: func(v *yaml.Node, at string) { static(r.Text(v, at)) }},
		config.Field{Key: "staticSlice", Read: func(v *yaml.Node, at string) { static(r.slice(v, at)) }},
		config.Field{Key: "staticMap", Read: func(v *yaml.Node, at string) { static(r.stringMap(v, at)) }},
		config.Field{Key: "op", Read: func(v *yaml.Node, at string) { given["op"]++; r.of.OnePassword = r.onePassword(v, at) }},
	)
	if r.Findings() > before {
		return r.of
	}
	if from == "" {
		r.Missing(r.node, r.at, "from")
		return r.of
	}
	r.only(from, given)
	if len(statics) == 1 {
		r.of.Static = statics[0]
	}
	return r.of
}

// only reports what doesn't belong to the source, and what it lacks.
func (r varReader) only(from string, given map[string]int) {
	for _, source := range []string{"env", "op", "static"} {
		switch {
		case source == from && given[source] == 1:
		case source == from && source == "static":
			r.Found(r.node, r.at, "wanted exactly one of static, staticSlice and staticMap, found %d", given[source])
		case source == from:
			r.Missing(r.node, r.at, source)
		case given[source] > 0:
			r.Found(r.node, r.at, "wanted a value from %s, found one from %s too", from, source)
		}
	}
	if from == "env" && given["env"] == 1 && r.of.Env == "" {
		r.Missing(r.node, r.at, "env")
	}
}

func (r varReader) slice(n *yaml.Node, at string) []any {
	all := []any{}
	for _, text := range r.Texts(n, at) {
		all = append(all, text)
	}
	return all
}

func (r varReader) stringMap(n *yaml.Node, at string) map[string]any {
	all := map[string]any{}
	for key, text := range r.TextMap(n, at) {
		all[key] = text
	}
	return all
}

func (r varReader) onePassword(n *yaml.Node, at string) *OnePassword {
	op, key := &OnePassword{}, ""
	before := r.Findings()
	r.Mapping(n, at,
		config.Field{Key: "key", Read: func(v *yaml.Node, at string) { key = r.OneOf(v, at, "id", "label") }},
		config.Field{Key: "vault", Read: func(v *yaml.Node, at string) { op.Vault = r.Text(v, at) }},
		config.Field{Key: "item", Read: func(v *yaml.Node, at string) { op.Item = r.Text(v, at) }},
		config.Field{Key: "field", Read: func(v *yaml.Node, at string) { op.Field = r.Text(v, at) }},
	)
	op.Label = key == "label"
	if r.Findings() > before {
		return op
	}
	for _, f := range []struct{ key, value string }{{"key", key}, {"vault", op.Vault}, {"item", op.Item}, {"field", op.Field}} {
		if f.value == "" {
			r.Missing(n, at, f.key)
		}
	}
	return op
}

// quotedNames lists names for a message.
func quotedNames(names []string) string {
	text := ""
	for i, n := range names {
		if i > 0 {
			text += ", "
		}
		text += strconv.Quote(n)
	}
	return text
}
