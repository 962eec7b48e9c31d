package printers

import (
	"fmt"
	"slices"

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
	p.line(fmt.Sprintf("  %-60s %s", "RESOURCE", "HASH"))
	for _, e := range m.Entries {
		p.line(fmt.Sprintf("  %-60s %s", cleanCell(e.label()), cleanCell(e.hash())))
	}
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
	return "(not applied yet)"
}

// Print writes the changes between build and state in the original tool's layout.
func (d *StateDiff) Print(o Options) error {
	p := newPrinter(o)
	for _, m := range d.Manifests {
		if len(m.Changes) == 0 && len(m.Notes) == 0 {
			continue
		}
		p.manifest(m.Manifest, m.Orphan)
		p.statusHeader(len(m.Changes))
		for _, c := range m.Changes {
			p.statusRow(p.changeColor(c.Status), c.Status, c.StateResource, c.hash())
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
		p.statusHeader(len(m.Objects))
		for _, object := range m.Objects {
			p.drifted(object)
		}
		p.stateNotes(m.Notes)
		p.line()
	}
	if d.empty() {
		p.line("No drift detected.")
	}
	return p.flush()
}

func (d *StateDrift) empty() bool {
	return !slices.ContainsFunc(d.Manifests, func(m StateDriftManifest) bool { return len(m.Objects) > 0 })
}

func (p *printer) drifted(o StateDrifted) {
	hash := "(stored: " + o.StoredHash + ")"
	if o.LiveHash != "" {
		hash = o.LiveHash + " " + hash
	}
	c := p.paint.warn
	if o.Status == "live-missing" {
		c = p.paint.removed
	}
	p.statusRow(c, o.Status, o.StateResource, hash)
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

func (p *printer) statusHeader(rows int) {
	if rows > 0 {
		p.line(fmt.Sprintf("  %-14s %-60s %s", "STATUS", "RESOURCE", "HASH"))
	}
}

func (p *printer) statusRow(c *color.Color, status string, r StateResource, hash string) {
	p.line("  ", painted(c, fmt.Sprintf("%-14s", cleanCell(status))), " ",
		fmt.Sprintf("%-60s %s", cleanCell(r.String()), cleanCell(hash)))
}

func (p *printer) stateNotes(notes []string) {
	for _, note := range notes {
		p.line("  note: ", cleanParagraph(note, "    "))
	}
}
