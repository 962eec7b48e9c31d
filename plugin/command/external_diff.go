package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

// externalDiff runs KUBECTL_EXTERNAL_DIFF on two directories with one file an
// object, as kubectl diff does. The files are masked like everything that leaves
// the process, readable by the user alone, and removed afterwards.
func (e *Env) externalDiff(ctx context.Context, tool string, r *plan.Report) error {
	dir, err := os.MkdirTemp("", "kubectl-tazuna-diff-")
	if err != nil {
		return fmt.Errorf("external diff: %w", err)
	}
	defer os.RemoveAll(dir) //nolint:errcheck // nothing more can be done about it
	live, merged := filepath.Join(dir, "LIVE"), filepath.Join(dir, "MERGED")
	for _, sub := range []string{live, merged} {
		if err := os.Mkdir(sub, 0o700); err != nil {
			return fmt.Errorf("external diff: %w", err)
		}
	}
	for _, o := range r.Objects {
		if o.Op == plan.OpNone {
			continue
		}
		if err := errors.Join(writeSide(live, o, o.Before), writeSide(merged, o, o.After)); err != nil {
			return fmt.Errorf("external diff: %w", err)
		}
	}
	return e.runExternal(ctx, tool, live, merged)
}

// runExternal follows kubectl's rules: arguments are split at blanks, and kept
// only where they hold nothing but letters, digits, - and =. Exit code 1 means
// differences.
func (e *Env) runExternal(ctx context.Context, tool, live, merged string) error {
	words := strings.Fields(tool)
	args := words[:1]
	allowed := regexp.MustCompile(`^[a-zA-Z0-9-=]+$`)
	for _, w := range words[1:] {
		if allowed.MatchString(w) {
			args = append(args, w)
		}
	}
	cmd := exec.CommandContext(ctx, args[0], append(args[1:], live, merged)...)
	cmd.Stdout, cmd.Stderr = e.Out, e.ErrOut
	err := cmd.Run()
	var exited *exec.ExitError
	if errors.As(err, &exited) && exited.ExitCode() == 1 {
		return nil
	}
	if err != nil {
		return fmt.Errorf("external diff %q: %w", args[0], err)
	}
	return nil
}

// writeSide writes one object; a side that doesn't have it has no file.
func writeSide(dir string, o plan.ObjectReport, body map[string]any) error {
	if body == nil {
		return nil
	}
	text, err := object.EncodeYAML(body)
	if err != nil {
		return err
	}
	name := strings.Join([]string{strings.ReplaceAll(o.APIVersion, "/", "."), o.Kind, o.Namespace, o.Name}, ".")
	return os.WriteFile(filepath.Join(dir, fileName(name)), text, 0o600)
}

// fileName makes a name that is one on every system: names of RBAC objects hold
// colons.
func fileName(name string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\:*?"<>|`, r) {
			return '_'
		}
		return r
	}, name)
}
