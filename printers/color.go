package printers

import (
	"fmt"

	"github.com/fatih/color"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

// ColorEnabled decides whether a stream gets colours. Ask it once a stream:
// stderr follows the state of stderr.
//
// mode is the --color flag (always, never, auto; empty means auto) and wins over
// the environment. For auto, in this order: a non-empty NO_COLOR turns colours
// off; FORCE_COLOR and CLICOLOR_FORCE turn them on, even into a pipe, unless
// they are 0 or false (FORCE_COLOR=0 turns them off); CLICOLOR=0 and TERM=dumb
// turn them off; else a terminal has them. Any other mode is an error.
func ColorEnabled(mode string, env func(string) string, isTerminal bool) (bool, error) {
	switch mode {
	case "always":
		return true, nil
	case "never":
		return false, nil
	case "auto", "":
		return autoColor(env, isTerminal), nil
	}
	return false, fmt.Errorf("--color: wanted always, never or auto, found %q", mode)
}

func autoColor(env func(string) string, isTerminal bool) bool {
	force := env("FORCE_COLOR")
	switch {
	case env("NO_COLOR") != "":
		return false
	case force != "":
		return !isOff(force)
	case env("CLICOLOR_FORCE") != "" && !isOff(env("CLICOLOR_FORCE")):
		return true
	case env("CLICOLOR") == "0", env("TERM") == "dumb":
		return false
	}
	return isTerminal
}

func isOff(value string) bool { return value == "0" || value == "false" }

// palette holds the colours of one printer. Each colour is switched on or off by
// itself, so that two printers in one process never disturb each other.
type palette struct {
	header, removed, added, comment, warn, bad, good, other *color.Color
	removedStrong, addedStrong                              *color.Color
}

func newPalette(on bool) palette {
	paint := func(attributes ...color.Attribute) *color.Color {
		c := color.New(attributes...)
		if on {
			c.EnableColor()
		} else {
			c.DisableColor()
		}
		return c
	}
	return palette{
		header:  paint(color.Bold),
		removed: paint(color.FgRed),
		added:   paint(color.FgGreen),
		comment: paint(color.FgCyan),
		warn:    paint(color.FgYellow),
		bad:     paint(color.FgRed, color.Bold),
		good:    paint(color.FgGreen),
		other:   paint(color.FgMagenta),

		removedStrong: paint(color.FgRed, color.ReverseVideo),
		addedStrong:   paint(color.FgGreen, color.ReverseVideo),
	}
}

// op gives the colour of an operation, nil for none.
func (p palette) op(op plan.Op) *color.Color {
	switch op {
	case plan.OpCreate:
		return p.added
	case plan.OpDelete:
		return p.removed
	case plan.OpUpdate:
		return p.warn
	case plan.OpAdopt:
		return p.comment
	case plan.OpReplace:
		return p.other
	case plan.OpRefuse, plan.OpBlocked, plan.OpError:
		return p.bad
	}
	return nil
}

// painted colours text; a nil colour leaves it as it is.
func painted(c *color.Color, text string) string {
	if c == nil || text == "" {
		return text
	}
	return c.Sprint(text)
}
