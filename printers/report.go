package printers

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

// Report prints a plan as text: one block for each change, the table of
// operations if Summary is set, and notes on what neither shows. It returns the
// first error of the writer.
func Report(r *plan.Report, o Options) error {
	p := newPrinter(o)
	if err := p.changes(r); err != nil {
		return err
	}
	if o.Summary {
		p.summary(r)
	}
	p.notes(r)
	return p.flush()
}

// Changes prints the blocks of a plan only. Nothing is printed when nothing
// differs.
func Changes(r *plan.Report, o Options) error {
	p := newPrinter(o)
	if err := p.changes(r); err != nil {
		return err
	}
	return p.flush()
}

// Summary prints the table of operations and the notes, without blocks.
func Summary(r *plan.Report, o Options) error {
	p := newPrinter(o)
	p.summary(r)
	p.notes(r)
	return p.flush()
}

// printer collects the output of one call. Its methods return no write errors;
// flush does.
type printer struct {
	o     Options
	paint palette
	out   *bufio.Writer
	// wrote tells whether something stands above, from which a new part is set
	// apart by an empty line.
	wrote bool
}

func newPrinter(o Options) *printer {
	out := o.Out
	if out == nil {
		out = io.Discard
	}
	return &printer{o: o, paint: newPalette(o.Color), out: bufio.NewWriter(out)}
}

// flush ends the output; the error is that of the first write that failed.
func (p *printer) flush() error {
	if err := p.out.Flush(); err != nil {
		return fmt.Errorf("write output: %w", err)
	}
	return nil
}

func (p *printer) line(parts ...string) {
	for _, part := range parts {
		p.write(part)
	}
	p.write("\n")
	p.wrote = true
}

// part starts a new part of the output.
func (p *printer) part() {
	if p.wrote {
		p.write("\n")
	}
}

// write leaves its error to flush: bufio.Writer keeps the first one.
func (p *printer) write(text string) { _, _ = p.out.WriteString(text) }

// title names an object as kapp does: service/app (v1) namespace: default.
func title(kind, name, apiVersion, namespace string) string {
	scope := "cluster"
	if namespace != "" {
		scope = "namespace: " + cleanCell(namespace)
	}
	return named(kind, name, apiVersion) + " " + scope
}

// named is a title without the scope.
func named(kind, name, apiVersion string) string {
	return fmt.Sprintf("%s/%s (%s)", strings.ToLower(cleanCell(kind)), cleanCell(name), cleanCell(apiVersion))
}

func objectTitle(o plan.ObjectReport) string {
	if o.ScopeUnknown {
		return named(o.Kind, o.Name, o.APIVersion)
	}
	return title(o.Kind, o.Name, o.APIVersion, o.Namespace)
}
