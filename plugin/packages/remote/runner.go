package remote

import (
	"context"
	"fmt"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// Container is where a command runs.
type Container struct {
	Namespace, Pod string
	// Name is that of the container; "" is the Pod's default.
	Name string
}

// String names it for messages.
func (c Container) String() string { return fmt.Sprintf("Pod %s/%s", c.Namespace, c.Pod) }

// Output is what a command wrote, and how it ended.
type Output struct {
	Stdout, Stderr []byte
	// Code is the exit code of the command.
	Code int
}

// Runner runs a command in a container.
type Runner interface {
	// Run waits for the end of the command. A code other than 0 is no error. Errors:
	// *MissingError where the container has no such program, and why it can't be run or
	// its output isn't whole. The command is in the log of the server; input isn't.
	Run(ctx context.Context, c Container, command []string, input []byte) (Output, error)
}

// MissingError says that a container has no such program.
type MissingError struct {
	Container Container
	Program   string
}

// Error names the program.
func (e *MissingError) Error() string {
	return fmt.Sprintf("%s has no program %s in its container %s", e.Container, e.Program, e.Container.Name)
}

// mostWords bounds what is shown of an error that a program wrote, in bytes.
const mostWords = 2000

// words are what a program said of its failure, on one line and masked.
func (o Output) words(m object.Masker, secrets ...map[string]any) string {
	var lines []string
	for line := range strings.Lines(string(o.Stderr)) {
		if line = strings.TrimSpace(line); line != "" && !isAdvice(line) {
			lines = append(lines, line)
		}
	}
	text := m.Scrub(strings.Join(lines, " "), secrets...)
	if len(text) > mostWords {
		text = strings.ToValidUTF8(text[:mostWords], "") + " …"
	}
	if text == "" {
		return fmt.Sprintf("exit code %d", o.Code)
	}
	return text
}

// isAdvice tells a line that tells nothing about the failure.
func isAdvice(line string) bool {
	return line == "Usage:" || strings.HasPrefix(line, "Use \"") || strings.HasPrefix(line, "Run '")
}
