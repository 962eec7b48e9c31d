package prune

import "slices"

// SystemNamespaces keeps the namespaces without which a cluster, or our records,
// would be lost. No flag allows their deletion.
type SystemNamespaces struct{}

// Name is "system-namespace".
func (SystemNamespaces) Name() string { return "system-namespace" }

// Keep compares the name. "tazuna" is where the records are.
func (SystemNamespaces) Keep(c Candidate) *Kept {
	names := []string{"default", "kube-system", "kube-public", "kube-node-lease", "tazuna"}
	if c.Ref.Group != "" || c.Ref.Kind != "Namespace" || !slices.Contains(names, c.Ref.Name) {
		return nil
	}
	return &Kept{Reason: "the cluster can't do without this namespace; it leaves the record", Forget: true}
}
