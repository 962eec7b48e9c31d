package main

import (
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	command := flag.String("command", "", "The command that the window names")
	flag.Parse()
	if err := run(os.Stdin, os.Stdout, *command); err != nil {
		fmt.Fprintln(os.Stderr, "picture:", err)
		os.Exit(1)
	}
}

// run draws what in would show on a terminal.
func run(in io.Reader, out io.Writer, command string) error {
	text, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	lines, err := parse(string(text))
	if err != nil {
		return err
	}
	return draw(out, lines, command)
}
