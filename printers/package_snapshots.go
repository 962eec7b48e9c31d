package printers

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/report"
)

// PackageSnapshots prints what the bindings of hooks see, each object in a few lines.
func PackageSnapshots(all report.Snapshots, o Options) error {
	p := newPrinter(o)
	for _, hook := range slices.Sorted(maps.Keys(all)) {
		p.part()
		p.line(painted(p.paint.header, "Hook "+cleanCell(hook)))
		if len(all[hook]) == 0 {
			p.line("  no binding that has a snapshot")
		}
		for _, name := range slices.Sorted(maps.Keys(all[hook])) {
			if err := p.snapshot(name, all[hook][name]); err != nil {
				return fmt.Errorf("print the snapshot of %s, binding %s: %w", hook, name, err)
			}
		}
	}
	if len(all) == 0 {
		p.line("No hooks.")
	}
	return p.flush()
}

func (p *printer) snapshot(name string, s report.Snapshot) error {
	fresh := s.Operations.SinceLastExecution
	p.line(fmt.Sprintf("  %s: %d object(s); since the last run %d added, %d modified, %d deleted",
		cleanCell(name), len(s.Snapshot), fresh.Added, fresh.Modified, fresh.Deleted))
	if s.Error != "" {
		p.line("    ", painted(p.paint.bad, "error: "), cleanParagraph(s.Error, "      "))
	}
	for i, e := range s.Snapshot {
		if err := p.snapshotEntry(i, e); err != nil {
			return err
		}
	}
	return nil
}

// snapshotEntry prints an object by its name, and what the filter made of it.
func (p *printer) snapshotEntry(index int, e report.SnapshotEntry) error {
	title := fmt.Sprintf("    [%d]", index)
	if e.Object != nil {
		title += " " + cleanCell(object.RefOf(e.Object).String())
	}
	switch result := e.FilterResult.(type) {
	case nil:
		p.line(title)
	case map[string]any:
		text, err := object.EncodeYAML(result)
		if err != nil {
			return err
		}
		p.line(title)
		for line := range strings.SplitSeq(strings.TrimSuffix(string(text), "\n"), "\n") {
			p.line("        ", cleanCell(line))
		}
	default:
		text, err := object.EncodeJSON(result)
		if err != nil {
			return err
		}
		p.line(title, " ", cleanCell(string(text)))
	}
	return nil
}
