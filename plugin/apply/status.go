package apply

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

// patchStatus writes the status that a file asks for. Status belongs to
// controllers, so a failure, or a server that drops it, is one warning.
func (a attempt) patchStatus(rep *report) {
	o := rep.planned
	answer, err := a.writeStatus(o, rep.answer)
	if err != nil {
		rep.warnings = append(rep.warnings, fmt.Sprintf("its status could not be written: %s", a.text(o, err)))
		return
	}
	rep.answer = answer
	if lost := lostFields(o.Status, answer.Object["status"], "status"); len(lost) > 0 {
		rep.warnings = append(rep.warnings, "the server did not take "+strings.Join(lost, ", "))
	}
}

// writeStatus sends the one request; written is the object as it was answered last.
func (a attempt) writeStatus(o *plan.Object, written *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	options := cluster.WriteOptions{Manager: a.exec.Policy.FieldManager, Validation: a.exec.Policy.Validation, Subresource: "status"}
	if o.Mapping.OnlyPut() {
		body := maps.Clone(written.Object)
		body["status"] = o.Status
		return a.exec.Client.Update(a.requests, o.Mapping, body, options)
	}
	data, err := object.EncodeJSON(map[string]any{"status": o.Status})
	if err != nil {
		return nil, err
	}
	return a.exec.Client.Patch(a.requests, o.Mapping, o.Ref.Namespace, o.Ref.Name, types.MergePatchType, data, options)
}

// lostFields lists what was asked for and is not there as asked, as paths.
func lostFields(asked, have any, path string) []string {
	if asked == nil && have == nil || object.Equal(asked, have) {
		return nil
	}
	wanted, ok := asked.(map[string]any)
	if !ok {
		return []string{path}
	}
	found, _ := have.(map[string]any)
	var lost []string
	for key, value := range wanted {
		lost = append(lost, lostFields(value, found[key], path+"."+key)...)
	}
	slices.Sort(lost)
	return lost
}
