package command

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// confirm asks before a write. Without a terminal there is nobody to ask: the
// run is refused unless --yes was given.
func (e *Env) confirm(ctx context.Context, yes bool, question, contextName string) error {
	if yes {
		return nil
	}
	in, done, err := e.asking()
	if err != nil {
		return err
	}
	defer done()
	fmt.Fprintf(e.ErrOut, "%s in context %q? [y/N] ", question, contextName)
	return confirmed(ctx, in)
}

// confirmed reads one answer. A read of a terminal can't be cancelled, so an
// interrupted run leaves it behind; the process ends soon after.
func confirmed(ctx context.Context, in io.Reader) error {
	type reply struct {
		text string
		err  error
	}
	replies := make(chan reply, 1)
	go func() {
		text, err := bufio.NewReader(in).ReadString('\n')
		replies <- reply{text, err}
	}()
	select {
	case <-ctx.Done():
		return exit(ExitInterrupted, errors.New("interrupted: nothing was written"))
	case r := <-replies:
		if r.err != nil && r.text == "" {
			return exit(ExitRefused, errors.New("no answer: nothing was written"))
		}
		return agreed(r.text)
	}
}

func agreed(answer string) error {
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return nil
	default:
		return exit(ExitRefused, errors.New("not confirmed: nothing was written"))
	}
}

// asking finds where to read an answer: the standard input if it is a terminal,
// else the process's terminal, since manifests may have come through a pipe.
func (e *Env) asking() (*os.File, func(), error) {
	if f, ok := e.In.(*os.File); ok && isTerminal(f) {
		return f, func() {}, nil
	}
	if isTerminal(e.ErrOut) {
		if tty, err := os.Open("/dev/tty"); err == nil {
			return tty, func() { closeSoon(tty) }, nil
		}
	}
	return nil, nil, exit(ExitRefused, errors.New("there is no terminal to ask on: give --yes to go on without being asked; nothing was written"))
}

// closeSoon doesn't wait: closing a terminal may last as long as a read of it.
func closeSoon(f *os.File) { go func() { _ = f.Close() }() }
