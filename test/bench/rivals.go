package main

import (
	"fmt"
	"regexp"
)

// rival is another program that does the same work with the same objects, in a
// namespace of its own.
type rival struct {
	name, namespace string
	// install, update and remove make the command for a version of the objects; their
	// names in the table are the first words of it.
	install, update, remove func(w *world, n, version int) (command, error)
	// diff is nil for a program that has none.
	diff func(w *world, n, version int) (command, error)
	// gave says why it did not do a part of the work: the rest can't be measured.
	gave string
}

// rivals are kubectl and helm, with the namespaces for sets of this name.
func rivals(set string) []*rival {
	return []*rival{kubectlRival("kubectl-" + set), helmRival("helm-" + set)}
}

func kubectlRival(namespace string) *rival {
	with := func(differs bool, verb string, flags ...string) func(w *world, n, version int) (command, error) {
		return func(w *world, n, version int) (command, error) {
			file, err := w.mixed(namespace, n, version)
			return command{program: "kubectl", args: append(append([]string{verb}, flags...), "-f", file), differs: differs}, err
		}
	}
	apply := with(false, "apply", "--server-side")
	return &rival{
		name: "kubectl", namespace: namespace,
		install: apply, update: apply, remove: with(false, "delete"), diff: with(true, "diff", "--server-side"),
	}
}

// helmRival has no diff. Its timeout is as long as ours would be, so that it isn't the
// reason why a large set is not installed.
func helmRival(namespace string) *rival {
	with := func(verb string) func(w *world, n, version int) (command, error) {
		return func(w *world, n, version int) (command, error) {
			chart, err := w.chart(namespace, n, version)
			return helm(verb, "bench", chart, "--namespace", namespace, "--timeout", limit.String()), err
		}
	}
	return &rival{
		name: "helm", namespace: namespace, install: with("install"), update: with("upgrade"),
		remove: func(*world, int, int) (command, error) {
			return helm("uninstall", "bench", "--namespace", namespace, "--timeout", limit.String()), nil
		},
	}
}

// title names a command in the table.
func title(c command) string {
	text := c.program + " " + c.args[0]
	if len(c.args) > 1 && c.args[1] == "--server-side" {
		text += " --server-side"
	}
	return text
}

// do measures one step of a rival. A program that can't do it is a line that says why,
// and no error.
func (r *rival) do(w *world, step func(w *world, n, version int) (command, error), n, version int) (line, error) {
	c, err := step(w, n, version)
	if err != nil {
		return line{}, err
	}
	l := line{program: title(c)}
	if r.gave != "" {
		l.instead = r.gave
		return l, nil
	}
	if l.outcome, err = w.counted(c); err != nil {
		r.gave = "can't: " + reason(err)
		l.instead = r.gave
	}
	return l, nil
}

var (
	tooLong  = regexp.MustCompile(`(?i)(Too long: [^\n]{0,80}|[^:\n]*too large[^\n]{0,80})`)
	lastLine = regexp.MustCompile(`[^\n]{0,160}$`)
)

// reason is the part of an error that fits into a table.
func reason(err error) string {
	if text := tooLong.FindString(err.Error()); text != "" {
		return fmt.Sprintf("the release does not fit: %s", text)
	}
	return lastLine.FindString(err.Error())
}
