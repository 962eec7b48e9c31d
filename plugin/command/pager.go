package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// page gives the writer for a long text: a pager on a terminal, else stdout
// itself. What wait is given, the error of the writing, it returns when the
// pager has ended. A pager that is left early is no error.
func (e *Env) page(ctx context.Context, mode string) (out io.Writer, wait func(error) error, err error) {
	command := e.pagerCommand(mode)
	if command == "" {
		return e.Out, func(err error) error { return err }, nil
	}
	cmd := exec.CommandContext(ctx, "sh", "-c", command)
	cmd.Stdout, cmd.Stderr = e.Out, e.ErrOut
	if e.Getenv("LESS") == "" {
		cmd.Env = append(os.Environ(), "LESS=FRX")
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, nil, fmt.Errorf("start the pager: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, nil, fmt.Errorf("start the pager %q: %w", command, err)
	}
	return in, func(written error) error {
		closed := in.Close()
		if err := cmd.Wait(); err != nil {
			return fmt.Errorf("pager %q: %w", command, err)
		}
		return ignoreLeft(errors.Join(written, closed))
	}, nil
}

// pagerCommand is empty where nothing is to be paged.
func (e *Env) pagerCommand(mode string) string {
	if mode == "never" || !isTerminal(e.Out) {
		return ""
	}
	for _, name := range []string{"TAZUNA_PAGER", "PAGER"} {
		if value := e.Getenv(name); value != "" {
			if strings.TrimSpace(value) == "cat" {
				return ""
			}
			return value
		}
	}
	return ""
}
