package prune

import "fmt"

// UnknownStrategy keeps objects whose delete strategy is a word that nobody knows:
// a misspelt "orphan" must not delete.
type UnknownStrategy struct{}

// Name is "unknown-strategy".
func (UnknownStrategy) Name() string { return "unknown-strategy" }

// Keep looks at kapp's annotation; "orphan" is for Annotations to find.
func (UnknownStrategy) Keep(c Candidate) *Kept {
	const key = "kapp.k14s.io/delete-strategy"
	annotations, _ := metadata(c)["annotations"].(map[string]any)
	value, there := annotations[key]
	if !there || value == "" {
		return nil
	}
	return &Kept{Reason: fmt.Sprintf("its annotation %s says something unknown: wanted orphan or nothing", key), Refused: true}
}
