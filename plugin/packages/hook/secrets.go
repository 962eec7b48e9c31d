package hook

import (
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/output"
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

func (c *contexts) ofSecrets(name string) bool {
	k := c.hook.Config.FindKubernetes(name)
	return k != nil && output.IsSecret(k.Kind)
}

// appendSecrets adds what an entry shows. What a filter made of a Secret is taken
// for secret as a whole.
func appendSecrets(bodies []map[string]any, e snapshot.Entry, secret bool) []map[string]any {
	masked := e.Object != nil && object.DefaultMasker().Masked(e.Object)
	if masked {
		bodies = append(bodies, e.Object)
	}
	if e.Filtered && (secret || masked || output.IsSecret(e.Ref.Kind)) {
		bodies = append(bodies, output.SecretOf(e.Result))
	}
	return bodies
}
