package apply

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/readiness"
)

// claims knows which PersistentVolumeClaims are not worth waiting for: a class
// may bind a claim only when the first Pod uses it, and the run need not bring
// one. Each class is asked for once.
type claims struct {
	run *run
	// waits tells what is known of a class; absent means not asked for.
	waits   map[string]bool
	waiting map[string][]*node
}

func newClaims(r *run) *claims {
	return &claims{run: r, waits: map[string]bool{}, waiting: map[string][]*node{}}
}

// add takes a claim that is waited for; other objects have no class.
func (c *claims) add(n *node) {
	class := classOf(n)
	if class == "" || n.step == stepGone {
		return
	}
	c.waiting[class] = append(c.waiting[class], n)
	if _, known := c.waits[class]; known {
		c.decide(class)
	} else if len(c.waiting[class]) == 1 {
		c.ask(class)
	}
}

func classOf(n *node) string {
	if ref := n.planned.Ref; ref.Group != "" || ref.Kind != "PersistentVolumeClaim" || n.latest == nil {
		return ""
	}
	class, _, _ := unstructured.NestedString(n.latest.Object, "spec", "storageClassName")
	return class
}

// ask reads a class beside the loop. What can't be read is waited for.
func (c *claims) ask(class string) {
	r := c.run
	go func() {
		u, err := r.exec.Client.Get(r.work, classMapping(), "", class)
		r.post(func() {
			c.waits[class] = err == nil && u.Object["volumeBindingMode"] == "WaitForFirstConsumer"
			c.decide(class)
		})
	}()
}

// decide settles the claims of a class that waits for a consumer.
func (c *claims) decide(class string) {
	nodes := c.waiting[class]
	delete(c.waiting, class)
	for _, n := range nodes {
		if c.waits[class] && n.phase == phaseWaiting {
			c.run.becomeReady(n, readiness.Verdict{Note: "it is bound when the first Pod uses it"})
		}
	}
}

func classMapping() cluster.Mapping {
	return cluster.Mapping{
		GVR: schema.GroupVersionResource{Group: "storage.k8s.io", Version: "v1", Resource: "storageclasses"},
		GVK: schema.GroupVersionKind{Group: "storage.k8s.io", Version: "v1", Kind: "StorageClass"},
	}
}
