package trial

import (
	"context"
	"errors"
	"fmt"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/report"
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

// Ready asks the programs of a set whether the instance is ready, with the values as
// they are now. That it is not is an answer and no failure.
func (t *Hooks) Ready(ctx context.Context, set *hook.Set) []report.Readiness {
	var all []report.Readiness
	for _, h := range set.Ready {
		answer := report.Readiness{Hook: h.ID, Ready: true}
		_, err := t.Runner.Run(ctx, hook.Request{Hook: h, Values: t.Values, Settings: t.Settings, Source: t.Cluster})
		if err != nil {
			answer.Ready, answer.Message = false, t.Masker.Scrub(reason(err), t.secrets()...)
		}
		all = append(all, answer)
	}
	return all
}

// reason is what a program said, or else how it ended.
func reason(err error) string {
	var failed *hook.Error
	if errors.As(err, &failed) && failed.Stderr != "" {
		return failed.Stderr
	}
	return text(err)
}
