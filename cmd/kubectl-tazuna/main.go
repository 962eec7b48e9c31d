// Command kubectl-tazuna is a kubectl plugin: see package command.
package main

import (
	"fmt"
	"os"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/command"
)

// version is set by the linker.
var version = "dev"

func main() {
	code, message := command.Execute(command.SystemEnv(version, os.Exit), os.Args[1:])
	if message != "" {
		fmt.Fprintln(os.Stderr, "error: "+message)
	}
	os.Exit(code)
}
