package prune

import "fmt"

// Controlled keeps objects that a controller made or took over: it deletes them
// itself, or would make them again.
type Controlled struct{}

// Name is "controlled".
func (Controlled) Name() string { return "controlled" }

// Keep looks for an owner that is marked as controller.
func (Controlled) Keep(c Candidate) *Kept {
	owners, _ := metadata(c)["ownerReferences"].([]any)
	for _, item := range owners {
		owner, _ := item.(map[string]any)
		if controller, _ := owner["controller"].(bool); controller {
			return &Kept{Reason: fmt.Sprintf("it belongs to the controller of %v %v", owner["kind"], owner["name"])}
		}
	}
	return nil
}
