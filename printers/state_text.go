package printers

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/fatih/color"
)

// Print writes records in the original tool's layout.
func (l *StateList) Print(o Options) error {
	p := newPrinter(o)
	for _, m := range l.Manifests {
		p.manifest(m.Manifest, m.Orphan)
		if len(m.Entries) == 0 {
			p.line("  No state found")
		} else {
			p.entries(m)
		}
		p.stateNotes(m.Notes)
		p.line()
	}
	return p.flush()
}

func (p *printer) entries(m StateManifest) {
	if m.LastSyncedAt != "" {
		p.line("  Last synced: ", cleanCell(m.LastSyncedAt))
	}
	if m.GitCommitHash != "" {
		p.line("  Git commit: ", cleanCell(m.GitCommitHash))
	}
	width := resourceWidth(m.Entries, StateEntry.label)
	p.line(fmt.Sprintf("  %-*s %s", width, "RESOURCE", "HASH"))
	for _, e := range m.Entries {
		p.line(fmt.Sprintf("  %-*s %s", width, cleanCell(e.label()), cleanCell(e.hash())))
	}
}

// resourceColumn is the original tool's width of the column RESOURCE, as long as
// no name is longer.
const resourceColumn = 60

func resourceWidth[T any](rows []T, label func(T) string) int {
	width := resourceColumn
	for _, row := range rows {
		width = max(width, utf8.RuneCountInString(cleanCell(label(row))))
	}
	return width
}

func (e StateEntry) label() string {
	if e.RawKey != "" {
		return e.RawKey
	}
	return e.String()
}

func (e StateEntry) hash() string {
	switch {
	case e.ContentHash != "":
		return e.ContentHash
	case e.RawKey != "":
		return "(the key can't be read)"
	}
	return notApplied
}

// notApplied stands where the hash of what was applied would.
const notApplied = "(not applied yet)"

// Print writes the changes between build and state in the original tool's layout.
func (d *StateDiff) Print(o Options) error {
	p := newPrinter(o)
	for _, m := range d.Manifests {
		if len(m.Changes) == 0 && len(m.Notes) == 0 {
			continue
		}
		p.manifest(m.Manifest, m.Orphan)
		width := resourceWidth(m.Changes, func(c StateChange) string { return c.StateResource.String() })
		p.statusHeader(len(m.Changes), width)
		for _, c := range m.Changes {
			p.statusRow(p.changeColor(c.Status), c.Status, c.StateResource, c.hash(), width)
		}
		p.stateNotes(m.Notes)
		p.line()
	}
	if d.empty() {
		p.line("No changes detected.")
	}
	return p.flush()
}

// hash is the built hash; of an object that left the files only the old one.
func (c StateChange) hash() string {
	if c.ContentHash == "" && c.Was != "" {
		return "(was: " + c.Was + ")"
	}
	return c.ContentHash
}

func (d *StateDiff) empty() bool {
	return !slices.ContainsFunc(d.Manifests, func(m StateDiffManifest) bool { return len(m.Changes) > 0 })
}

func (p *printer) changeColor(status string) *color.Color {
	switch status {
	case "added":
		return p.paint.added
	case "modified":
		return p.paint.warn
	case "removed":
		return p.paint.removed
	case "unknown":
		return p.paint.bad
	}
	return p.paint.comment
}

// Print writes what differs between state and cluster in the original tool's
// layout, with the drifted fields and their authors beneath each object.
func (d *StateDrift) Print(o Options) error {
	p := newPrinter(o)
	for _, m := range d.Manifests {
		if len(m.Objects) == 0 && len(m.Notes) == 0 {
			continue
		}
		p.manifest(m.Manifest, m.Orphan)
		width := resourceWidth(m.Objects, func(d StateDrifted) string { return d.StateResource.String() })
		p.statusHeader(len(m.Objects), width)
		for _, object := range m.Objects {
			p.drifted(object, width)
		}
		p.stateNotes(m.Notes)
		p.line()
	}
	if d.empty() {
		p.line("No drift detected.")
	}
	return p.flush()
}

// empty reports whether all could be compared and nothing was found.
func (d *StateDrift) empty() bool {
	return !slices.ContainsFunc(d.Manifests, func(m StateDriftManifest) bool { return m.Failed || len(m.Objects) > 0 })
}

func (p *printer) drifted(o StateDrifted, width int) {
	hash := "(stored: " + o.StoredHash + ")"
	if o.StoredHash == "" {
		hash = notApplied
	}
	if o.LiveHash != "" {
		hash = o.LiveHash + " " + hash
	}
	c := p.paint.warn
	if o.Status == "live-missing" {
		c = p.paint.removed
	}
	if !o.Drifts() {
		c = p.paint.bad
	}
	p.statusRow(c, o.Status, o.StateResource, hash, width)
	if o.Reason != "" {
		p.line("    ", painted(p.paint.comment, "# "+cleanCell(o.Reason)))
	}
	for _, d := range o.Differences {
		text := fmt.Sprintf("    %s: stored %s, live %s", clean(d.Path),
			oneLine(d.HasDesired, d.Desired), oneLine(d.HasLive, d.Live))
		if comment := p.o.comment(d); comment != "" {
			text += "  " + painted(p.paint.comment, "# "+comment)
		}
		p.line(text)
	}
}

func (p *printer) manifest(name string, orphan bool) {
	note := ""
	if orphan {
		note = "  (no file names this manifest)"
	}
	p.line("Manifest: ", cleanCell(name), note)
}

func (p *printer) statusHeader(rows, width int) {
	if rows > 0 {
		p.line(fmt.Sprintf("  %-14s %-*s %s", "STATUS", width, "RESOURCE", "HASH"))
	}
}

func (p *printer) statusRow(c *color.Color, status string, r StateResource, hash string, width int) {
	p.line("  ", painted(c, fmt.Sprintf("%-14s", cleanCell(status))), " ",
		fmt.Sprintf("%-*s %s", width, cleanCell(r.String()), cleanCell(hash)))
}

func (p *printer) stateNotes(notes []string) {
	for _, note := range notes {
		p.line("  note: ", cleanParagraph(note, "    "))
	}
}
