package printers

import (
	"fmt"
	"slices"

	"github.com/fatih/color"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

// StatusKind is the kind of the result of status.
const StatusKind = "Status"

// ObjectStatus is how far one recorded object has come.
type ObjectStatus struct {
	StateResource
	// Status is Ready, NotReady, Missing, or Error where it can't be read.
	Status string `json:"status"`
	// Reason says what is missing or wrong, or something to know of a ready object.
	Reason string `json:"reason,omitempty"`
}

// StatusManifest holds the objects of one manifest in the order of the state key.
type StatusManifest struct {
	Manifest string         `json:"manifest"`
	Orphan   bool           `json:"orphan,omitempty"`
	Objects  []ObjectStatus `json:"objects"`
}

// Status is the result of status: state against readiness.
type Status struct {
	APIVersion string           `json:"apiVersion"`
	Kind       string           `json:"kind"`
	Manifests  []StatusManifest `json:"manifests"`
	// Ready is the number of ready objects, Total that of all.
	Ready int `json:"ready"`
	Total int `json:"total"`
}

// NewStatus wraps statuses as a result and counts them.
func NewStatus(manifests []StatusManifest) *Status {
	s := &Status{APIVersion: plan.APIVersion, Kind: StatusKind, Manifests: orEmpty(manifests)}
	for i := range s.Manifests {
		s.Manifests[i].Objects = orEmpty(s.Manifests[i].Objects)
		for _, o := range s.Manifests[i].Objects {
			s.Total++
			if o.Status == "Ready" {
				s.Ready++
			}
		}
	}
	return s
}

// Names lists the objects that are not ready.
func (s *Status) Names() []string {
	var names []string
	for _, m := range s.Manifests {
		for _, o := range m.Objects {
			if o.Status != "Ready" {
				names = append(names, kubectlName(o.Group, o.Kind, o.Name))
			}
		}
	}
	return names
}

// Print writes the status in the original tool's layout, with the reason behind
// each name.
func (s *Status) Print(o Options) error {
	p := newPrinter(o)
	for _, m := range s.Manifests {
		p.manifest(m.Manifest, m.Orphan)
		if len(m.Objects) == 0 {
			p.line("  (no state)")
		} else {
			p.line(fmt.Sprintf("  %-9s %-20s %s", "STATUS", "KIND", "NAMESPACE/NAME"))
		}
		for _, object := range m.Objects {
			p.line("  ", p.objectStatus(object))
		}
		p.line()
	}
	return p.flush()
}

func (p *printer) objectStatus(o ObjectStatus) string {
	text := painted(p.statusColor(o.Status), fmt.Sprintf("%-9s", cleanCell(o.Status))) +
		fmt.Sprintf(" %-20s %s", cleanCell(o.Kind), cleanCell(o.place()))
	if o.Reason != "" {
		text += "  " + painted(p.paint.comment, "# "+cleanCell(o.Reason))
	}
	return text
}

func (r StateResource) place() string {
	if r.Namespace == "" {
		return r.Name
	}
	return r.Namespace + "/" + r.Name
}

func (p *printer) statusColor(status string) *color.Color {
	switch status {
	case "Ready":
		return p.paint.added
	case "NotReady":
		return p.paint.warn
	}
	return p.paint.bad
}

// PrintChanged writes a line for each object whose status or reason is another than
// before; those of before that are gone are left out.
func (s *Status) PrintChanged(o Options, before *Status) error {
	p := newPrinter(o)
	for _, m := range s.Manifests {
		for _, object := range m.Objects {
			if !before.has(m.Manifest, object) {
				p.line(cleanCell(m.Manifest), ": ", p.objectStatus(object))
			}
		}
	}
	return p.flush()
}

func (s *Status) has(manifest string, o ObjectStatus) bool {
	return slices.ContainsFunc(s.Manifests, func(m StatusManifest) bool {
		return m.Manifest == manifest && slices.Contains(m.Objects, o)
	})
}
