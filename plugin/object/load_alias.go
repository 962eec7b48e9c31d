package object

import "sigs.k8s.io/kustomize/kyaml/yaml"

// expansionFloor is what aliases may expand any document to, in bytes; larger
// documents may grow by expansionFactor. A "billion laughs" of a few hundred
// bytes passes both by far.
const (
	expansionFloor  = 16 << 20
	expansionFactor = 8
)

// boundAliases refuses anchors that contain themselves and documents that
// aliases blow up, before anything is expanded.
func (r *reading) boundAliases() {
	w := weigher{weights: map[*yaml.Node]int{}}
	limit := max(expansionFloor, expansionFactor*len(r.text))
	total := w.weigh(r.node, limit)
	switch {
	case w.cycle != nil:
		r.fault(w.cycle, "", "the anchor %q contains itself", w.cycle.Value)
	case total > limit:
		r.fault(r.node, "", "aliases expand this document to more than %d bytes", limit)
	}
}

// weigher computes how many bytes a node has once its aliases are expanded.
type weigher struct {
	weights map[*yaml.Node]int // of anchored nodes; 0 while being weighed
	cycle   *yaml.Node
}

func (w *weigher) weigh(n *yaml.Node, limit int) int {
	if n.Kind == yaml.AliasNode {
		return w.alias(n, limit)
	}
	total := 1 + len(n.Value)
	if n.Anchor != "" {
		w.weights[n] = 0
	}
	for _, child := range n.Content {
		total += w.weigh(child, limit)
		if total > limit || w.cycle != nil {
			break // enough is known, and the sum can't overflow
		}
	}
	if n.Anchor != "" {
		w.weights[n] = total
	}
	return total
}

// alias weighs what an alias stands for. An anchor comes before its aliases, so
// it has been weighed, or is being weighed right now.
func (w *weigher) alias(n *yaml.Node, limit int) int {
	weight := w.weights[n.Alias]
	if weight == 0 {
		w.cycle = n
	}
	return min(weight, limit+1)
}
