package serve

import (
	"context"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/controller"
)

// label says on our Pod, if we run in one, whether it is the one that works. A Pod
// whose container is started again may still say so from before.
func (w *worker) label(ctx context.Context, leads bool) error {
	if w.options.Pod == "" {
		return nil
	}
	var value any // null takes the label away
	if leads {
		value = "true"
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"labels": map[string]any{controller.LeaderLabel: value}}})
	if err != nil {
		return err
	}
	gvk := corev1.SchemeGroupVersion.WithKind("Pod")
	m := cluster.Mapping{GVK: gvk, GVR: gvk.GroupVersion().WithResource("pods"), Namespaced: true}
	_, err = w.options.Client.Patch(ctx, m, w.options.SystemNamespace, w.options.Pod, types.MergePatchType, patch, cluster.WriteOptions{Manager: controller.FieldManager})
	if err != nil {
		return fmt.Errorf("label our Pod %s/%s: %w", w.options.SystemNamespace, w.options.Pod, err)
	}
	return nil
}
