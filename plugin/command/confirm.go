package command

import (
	"bufio"
	"fmt"
	"os"
	"strings"
)

// confirm asks before a write. Without a terminal there is nobody to ask: the
// run is refused unless --yes was given.
func (e *Env) confirm(yes bool, question, context string) error {
	if yes {
		return nil
	}
	in, done, err := e.asking()
	if err != nil {
		return err
	}
	defer done()
	fmt.Fprintf(e.ErrOut, "%s in context %q? [y/N] ", question, context)
	answer, err := bufio.NewReader(in).ReadString('\n')
	if err != nil && answer == "" {
		return exit(ExitRefused, fmt.Errorf("no answer: nothing was written"))
	}
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return nil
	default:
		return exit(ExitRefused, fmt.Errorf("not confirmed: nothing was written"))
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
			return tty, func() { _ = tty.Close() }, nil
		}
	}
	return nil, nil, exit(ExitRefused, fmt.Errorf("there is no terminal to ask on: give --yes to apply without asking; nothing was written"))
}
