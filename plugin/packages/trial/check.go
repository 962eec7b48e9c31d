package trial

import (
	"context"
	"fmt"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook"
)

// CheckSettings asks every program of a package that judges settings. The error is
// the first refusal, with the program's words, or that a program gave no verdict.
// Warnings are of those that agree.
func CheckSettings(ctx context.Context, r *hook.Runner, set *hook.Set, settings map[string]any) (warnings []string, err error) {
	for _, check := range set.Checks {
		verdict, err := r.CheckSettings(ctx, check, settings)
		if err != nil {
			return warnings, err
		}
		if !verdict.Valid {
			return warnings, fmt.Errorf("settings: %s: refused: %s", check.File, verdict.Message)
		}
		for _, w := range verdict.Warnings {
			warnings = append(warnings, fmt.Sprintf("settings: %s: %s", check.File, w))
		}
	}
	return warnings, nil
}
