package offline

import (
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/output"
)

// Secrets lists what must not be shown of the objects as they are now and of recorded
// snapshots, as bodies that object.Scrub takes.
func (c *Cluster) Secrets() []map[string]any {
	var bodies []map[string]any
	masker := object.DefaultMasker()
	for _, body := range c.Objects() {
		if masker.Masked(body) {
			bodies = append(bodies, body)
		}
	}
	for id, bindings := range c.recorded {
		for name, taken := range bindings {
			k, err := c.binding(id, name)
			ofSecrets := err != nil || output.IsSecret(k.Kind)
			for _, e := range taken {
				if e.Object != nil && masker.Masked(e.Object) {
					bodies = append(bodies, e.Object)
				}
				if ofSecrets && e.Filtered {
					bodies = append(bodies, output.SecretOf(e.Result))
				}
			}
		}
	}
	return bodies
}
