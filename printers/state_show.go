package printers

import (
	"fmt"
	"strings"
	"time"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

// StateShowKind is the kind of the result of state show.
const StateShowKind = "StateEntries"

// ShownEntry is all that is known of one recorded object.
type ShownEntry struct {
	Manifest string `json:"manifest"`
	StateEntry
	// UID, ResourceVersion and Order are those of the last apply; empty where the
	// record doesn't hold them.
	UID             string `json:"uid,omitempty"`
	ResourceVersion string `json:"resourceVersion,omitempty"`
	Order           int    `json:"order,omitempty"`
	// Live says how the object is now: present, missing, replaced (another uid than
	// that of the last apply), or why it can't be read.
	Live string `json:"live"`
	// Authors are those who wrote the live object, by its managedFields.
	Authors []plan.Author `json:"authors,omitempty"`
	// LastApplied is the object as it was applied last, masked; nil if unknown.
	LastApplied map[string]any `json:"lastApplied,omitempty"`
}

// StateShow is the result of state show.
type StateShow struct {
	APIVersion string       `json:"apiVersion"`
	Kind       string       `json:"kind"`
	Entries    []ShownEntry `json:"entries"`
}

// NewStateShow wraps entries as a result.
func NewStateShow(entries []ShownEntry) *StateShow {
	return &StateShow{APIVersion: plan.APIVersion, Kind: StateShowKind, Entries: orEmpty(entries)}
}

// Names lists the shown objects.
func (s *StateShow) Names() []string {
	var names []string
	for _, e := range s.Entries {
		names = append(names, kubectlName(e.Group, e.Kind, e.Name))
	}
	return names
}

// Print writes each entry: what is recorded, who wrote the live object, and the
// last applied body as YAML.
func (s *StateShow) Print(o Options) error {
	p := newPrinter(o)
	for _, e := range s.Entries {
		if err := p.shownEntry(e); err != nil {
			return err
		}
	}
	return p.flush()
}

func (p *printer) shownEntry(e ShownEntry) error {
	p.manifest(e.Manifest, false)
	p.line("  Resource: ", cleanCell(e.label()))
	p.line("  Hash: ", cleanCell(e.hash()))
	if e.UID != "" {
		p.line("  UID: ", cleanCell(e.UID), ", resource version ", cleanCell(e.ResourceVersion))
	}
	p.line("  Live: ", cleanCell(e.Live))
	for _, a := range e.Authors {
		p.line("  Written by: ", cleanCell(authorLine(a)))
	}
	if e.LastApplied == nil {
		p.line("  Last applied: not known")
		p.line()
		return nil
	}
	data, err := object.EncodeYAML(e.LastApplied)
	if err != nil {
		return fmt.Errorf("print %s: %w", e.label(), err)
	}
	p.line("  Last applied:")
	for line := range strings.Lines(string(data)) {
		p.line("    ", clean(strings.TrimSuffix(line, "\n")))
	}
	p.line()
	return nil
}

func authorLine(a plan.Author) string {
	text := a.Manager + " (" + a.Operation
	if a.Subresource != "" {
		text += ", " + a.Subresource
	}
	text += ")"
	if a.Time != nil {
		text += " at " + a.Time.UTC().Format(time.RFC3339)
	}
	return text
}
