// Command controlplane runs a real Kubernetes control plane in one process.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/kubectl-tazuna/kubectl-tazuna/test/controlplane/internal/command"
)

func main() {
	if err := command.New().ExecuteContext(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "controlplane:", err)
		os.Exit(1)
	}
}
