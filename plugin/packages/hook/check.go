package hook

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/output"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/process"
)

// CheckSettings asks a program of the package what it thinks of settings.
//
// Without output and with exit code 0, settings are valid. Otherwise the verdict
// stands on standard error, whatever the exit code is: settings that are valid with
// warnings come with exit code 1. An error is a program that gave no verdict.
func (r *Runner) CheckSettings(ctx context.Context, c Check, settings map[string]any) (verdict output.Verdict, err error) {
	const doing = "hook check"
	limits := r.Limits.orDefault()
	f, err := newFiles(r.TempDir, limits.File)
	if err != nil {
		return verdict, &Error{Hook: c.File, Doing: doing, Err: err}
	}
	defer f.removed(&err)
	if err := f.createJSON(checkFile, settings); err != nil {
		return verdict, &Error{Hook: c.File, Doing: doing, Err: err}
	}
	ran, err := process.Run(ctx, process.Command{
		Path: c.Path, Args: []string{"hook", "check"}, Dir: filepath.Dir(c.Path),
		Env:       merged(r.Env, identityEnv(r.Instance, r.LogLevel), f.env(checkFile)),
		TimeLimit: limits.Load, Grace: limits.Grace, MaxOutput: limits.Output,
	})
	var exit *process.ExitError
	if err != nil && !errors.As(err, &exit) {
		return verdict, &Error{Hook: c.File, Doing: doing, Err: err, Stderr: lastLines(ran)}
	}
	if found, ok := output.ParseVerdict(ran.Stderr.Bytes()); ok {
		return found, nil
	}
	if err != nil {
		return verdict, &Error{Hook: c.File, Doing: doing, Err: err, Stderr: lastLines(ran)}
	}
	return output.Verdict{Valid: true}, nil
}

// sdkMessage finds the message that the SDK writes as JSON in the last line of
// standard error; "" if there is none.
func sdkMessage(lastLine string) string {
	var told struct {
		Message string `json:"message"`
	}
	if err := json.Unmarshal([]byte(lastLine), &told); err != nil {
		return ""
	}
	return told.Message
}
