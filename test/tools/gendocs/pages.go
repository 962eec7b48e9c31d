package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/utils/clock"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/command"
)

// indexName is the page that lists all commands.
const indexName = "README.md"

// newRoot is the command tree as a user of the plugin sees it, free of anything
// of this machine.
func newRoot() *cobra.Command {
	root := command.NewRoot(&command.Env{
		IOStreams: genericiooptions.IOStreams{In: strings.NewReader(""), Out: io.Discard, ErrOut: io.Discard},
		Getenv:    func(string) string { return "" },
		Clock:     clock.RealClock{},
		Version:   "dev",
		Name:      "kubectl tazuna",
	})
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	return root
}

// pages returns the text of every page by file name.
func pages(root *cobra.Command) map[string]string {
	out := map[string]string{}
	var index strings.Builder
	fmt.Fprintf(&index, "# Commands\n\nGenerated from the program by `make docs`. ")
	fmt.Fprintf(&index, "Exit codes are in [exit-codes.md](../exit-codes.md).\n\n| command | what it does |\n|---|---|\n")
	walk(root, func(c *cobra.Command) {
		out[fileName(c)] = page(c)
		if c != root {
			fmt.Fprintf(&index, "| [%s](%s) | %s |\n", c.CommandPath(), fileName(c), cell(c.Short))
		}
	})
	fmt.Fprintf(&index, "\n## Flags of every command\n\n%s", flagTable(root.PersistentFlags()))
	out[indexName] = index.String()
	delete(out, fileName(root))
	return out
}

// walk visits c and what lies below it in the order of help.
func walk(c *cobra.Command, visit func(*cobra.Command)) {
	visit(c)
	for _, child := range c.Commands() {
		if child.IsAvailableCommand() && child.Name() != "help" {
			walk(child, visit)
		}
	}
}

func fileName(c *cobra.Command) string {
	name := strings.TrimPrefix(c.CommandPath(), c.Root().CommandPath())
	return strings.ReplaceAll(strings.TrimSpace(name), " ", "_") + ".md"
}

// page describes one command.
func page(c *cobra.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s.\n", c.CommandPath(), strings.TrimSuffix(c.Short, "."))
	if c.Runnable() {
		fmt.Fprintf(&b, "\n```\n%s\n```\n", c.UseLine())
	}
	if c.Long != "" {
		fmt.Fprintf(&b, "\n```text\n%s\n```\n", strings.TrimSpace(c.Long))
	}
	if c.Example != "" {
		fmt.Fprintf(&b, "\n## Examples\n\n```sh\n%s\n```\n", unindent(c.Example))
	}
	if len(c.Aliases) > 0 {
		fmt.Fprintf(&b, "\nAlso: `%s`.\n", strings.Join(c.Aliases, "`, `"))
	}
	subcommands(&b, c)
	if table := flagTable(c.NonInheritedFlags()); table != "" {
		fmt.Fprintf(&b, "\n## Flags\n\n%s", table)
	}
	fmt.Fprintf(&b, "\nThe flags of every command are in the [list of commands](%s#flags-of-every-command).\n", indexName)
	return b.String()
}

func subcommands(b *strings.Builder, c *cobra.Command) {
	var lines []string
	for _, child := range c.Commands() {
		if child.IsAvailableCommand() {
			lines = append(lines, fmt.Sprintf("| [%s](%s) | %s |", child.Name(), fileName(child), cell(child.Short)))
		}
	}
	if len(lines) > 0 {
		fmt.Fprintf(b, "\n| command | what it does |\n|---|---|\n%s\n", strings.Join(lines, "\n"))
	}
}

// flagTable is empty when there is nothing to show.
func flagTable(flags *pflag.FlagSet) string {
	var rows []string
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		name := "`--" + f.Name + "`"
		if f.Shorthand != "" {
			name = "`-" + f.Shorthand + "`, " + name
		}
		kind, usage := pflag.UnquoteUsage(f)
		rows = append(rows, fmt.Sprintf("| %s | %s | %s | %s |", name, kind, defaultOf(f), cell(usage)))
	})
	if len(rows) == 0 {
		return ""
	}
	slices.Sort(rows)
	return "| flag | value | default | |\n|---|---|---|---|\n" + strings.Join(rows, "\n") + "\n"
}

// defaultOf leaves out what says no more than "unset", and where the home
// directory of this machine is.
func defaultOf(f *pflag.Flag) string {
	text := f.DefValue
	if slices.Contains([]string{"", "[]", "false", "0"}, text) {
		return ""
	}
	if home, err := os.UserHomeDir(); err == nil {
		text = strings.Replace(text, home, "$HOME", 1)
	}
	return "`" + filepath.ToSlash(text) + "`"
}

// cell makes a text fit into one cell of a table.
func cell(text string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "|", `\|`)
}

// unindent takes away the two spaces that help indents examples with.
func unindent(text string) string {
	lines := strings.Split(strings.Trim(text, "\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimPrefix(lines[i], "  ")
	}
	return strings.Join(lines, "\n")
}
