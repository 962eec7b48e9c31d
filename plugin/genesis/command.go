package genesis

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// Command runs a program and gives what it printed on standard output. The error
// says how it ended and what it printed on standard error.
type Command func(ctx context.Context, name string, args ...string) ([]byte, error)

// maxComplaint bounds what is quoted of a program's standard error, in bytes.
const maxComplaint = 500

// stopDelay is how long a program has to end once it was told to.
const stopDelay = 5 * time.Second

// CommandInput is a Command for a program that is given something on its standard
// input: what is secret is no argument, which others can see.
type CommandInput func(ctx context.Context, input []byte, name string, args ...string) ([]byte, error)

// RunCommand is the Command that starts programs of the PATH. Standard input is
// not handed on; a program that needs to ask has to use the terminal itself.
func RunCommand(ctx context.Context, name string, args ...string) ([]byte, error) {
	return RunCommandInput(ctx, nil, name, args...)
}

// RunCommandInput is RunCommand with an input; nil is none.
func RunCommandInput(ctx context.Context, input []byte, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.WaitDelay = stopDelay
	if input != nil {
		cmd.Stdin = bytes.NewReader(input)
	}
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	err := cmd.Run()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return nil, fmt.Errorf("the program %s is not installed, or not in the PATH", name)
	case ctx.Err() != nil:
		return nil, fmt.Errorf("%s was stopped: %w", name, context.Cause(ctx))
	case err != nil:
		return nil, fmt.Errorf("%s %s: %w%s", name, strings.Join(args[:min(len(args), 4)], " "), err, quoted(complaint.String()))
	}
	return out.Bytes(), nil
}

func quoted(complaint string) string {
	complaint = strings.TrimSpace(complaint)
	if complaint == "" {
		return ""
	}
	if len(complaint) > maxComplaint {
		complaint = strings.ToValidUTF8(complaint[:maxComplaint], "") + "…"
	}
	return ": " + complaint
}
