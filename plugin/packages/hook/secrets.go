package hook

import (
	"strconv"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/snapshot"
)

// secrets lists what the hook was shown of Secrets, as bodies that object.Scrub
// takes: the programs of packages write what they see to their logs.
func (c *contexts) secrets() []map[string]any {
	var bodies []map[string]any
	for name, entries := range c.snapshots {
		secret := c.ofSecrets(name)
		for _, e := range entries {
			bodies = appendSecrets(bodies, e, secret)
		}
	}
	for _, t := range c.triggers {
		if t.Change != nil {
			bodies = appendSecrets(bodies, t.Change.Entry, c.ofSecrets(t.Name))
		}
	}
	return bodies
}

// ofSecrets tells whether a binding is about Secrets, in any spelling.
func (c *contexts) ofSecrets(name string) bool {
	k := c.hook.Config.FindKubernetes(name)
	return k != nil && strings.TrimSuffix(strings.ToLower(k.Kind), "s") == "secret"
}

// appendSecrets adds what an entry shows. What a filter made of a Secret is taken
// for secret as a whole.
func appendSecrets(bodies []map[string]any, e snapshot.Entry, secret bool) []map[string]any {
	if e.Object != nil && (secret || object.DefaultMasker().Masked(e.Object)) {
		bodies = append(bodies, e.Object)
	}
	if e.Filtered && (secret || e.Ref.Kind == "Secret") {
		data := map[string]any{}
		leaves(e.Result, data)
		bodies = append(bodies, map[string]any{"apiVersion": "v1", "kind": "Secret", "stringData": data})
	}
	return bodies
}

// leaves collects every text of a value.
func leaves(value any, into map[string]any) {
	switch v := value.(type) {
	case string:
		into[strconv.Itoa(len(into))] = v
	case []any:
		for _, item := range v {
			leaves(item, into)
		}
	case map[string]any:
		for _, item := range v {
			leaves(item, into)
		}
	}
}
