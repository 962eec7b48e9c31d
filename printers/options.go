package printers

import (
	"io"
	"time"
)

// Options says where and how to print. Take DefaultOptions and change what
// differs: the zero value is valid but shows no context, line numbers or table.
type Options struct {
	// Out receives the text.
	Out io.Writer
	// Color adds terminal colours. Decide it with ColorEnabled.
	Color bool
	// Context is the number of unchanged lines shown before and after a change.
	// Negative shows every line.
	Context int
	// LineNumbers shows the line number columns of a diff, counted from zero as
	// kapp does.
	LineNumbers bool
	// ShowIgnored lists the differences that the server undoes.
	ShowIgnored bool
	// Explain adds the reason of every verdict.
	Explain bool
	// Summary adds the table of operations.
	Summary bool
	// Width is the length in characters above which a line of a value is cut to
	// the piece around its change. Zero means 400.
	Width int
	// Now is the time that ages are counted to.
	Now time.Time
	// FieldManager is our own manager: who last wrote a value is only told when
	// it was somebody else. Empty means "tazuna".
	FieldManager string
}

const (
	defaultContext      = 2
	defaultWidth        = 400
	defaultFieldManager = "tazuna"
)

// DefaultOptions prints as kapp does: two lines of context, line numbers, the
// table, no colour.
func DefaultOptions(out io.Writer) Options {
	return Options{
		Out:          out,
		Context:      defaultContext,
		LineNumbers:  true,
		Summary:      true,
		Width:        defaultWidth,
		Now:          time.Now(),
		FieldManager: defaultFieldManager,
	}
}

func (o Options) width() int {
	if o.Width <= 0 {
		return defaultWidth
	}
	return o.Width
}

func (o Options) fieldManager() string {
	if o.FieldManager == "" {
		return defaultFieldManager
	}
	return o.FieldManager
}
