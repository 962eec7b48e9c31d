package printers

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

// ChartListKind is the kind of a ChartList in plan.APIVersion.
const ChartListKind = "ChartList"

// ChartItem is a chart that a manifest renders.
type ChartItem struct {
	Manifest  string `json:"manifest"`
	Release   string `json:"release"`
	Namespace string `json:"namespace,omitempty"`
	Chart     string `json:"chart"`
	// Repository is the address of a chart repository.
	Repository string `json:"repository,omitempty"`
	// Version is what the file asks for: a version or a constraint, empty for the
	// highest; of a chart on disk the version that it has.
	Version string `json:"version,omitempty"`
	// Latest is the highest version that is no pre-release, where it was asked for
	// and the chart has a server.
	Latest string `json:"latest,omitempty"`
	// Outdated tells that Latest is higher than Version allows.
	Outdated bool `json:"outdated,omitempty"`
	// Error says why Latest could not be found out.
	Error string `json:"error,omitempty"`
	File  string `json:"file"`
	Line  int    `json:"line,omitempty"`
}

// ChartList is the result of chart list.
type ChartList struct {
	APIVersion string      `json:"apiVersion"`
	Kind       string      `json:"kind"`
	Charts     []ChartItem `json:"charts"`
	// latest tells whether the latest versions were asked for.
	latest bool
}

// NewChartList wraps charts, which keep their order, as a result. latest tells that
// the latest versions were asked for.
func NewChartList(items []ChartItem, latest bool) *ChartList {
	return &ChartList{APIVersion: plan.APIVersion, Kind: ChartListKind, Charts: orEmpty(items), latest: latest}
}

// Names lists the charts as chart/RELEASE, those that are outdated where that was
// asked for.
func (l *ChartList) Names() []string {
	var names []string
	for _, c := range l.Charts {
		if !l.latest || c.Outdated {
			names = append(names, "chart/"+c.Release)
		}
	}
	return names
}

// Print writes the charts as a table in the original tool's columns.
func (l *ChartList) Print(o Options) error {
	p := newPrinter(o)
	rows := [][]string{{"CHART", "RELEASE", "FILE", "VERSION"}}
	if l.latest {
		rows[0] = append(rows[0], "LATEST")
	}
	for _, c := range l.Charts {
		row := []string{c.Chart, c.Release, c.File, orDash(c.Version)}
		if l.latest {
			row = append(row, c.newest())
		}
		rows = append(rows, row)
	}
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i := range row {
			row[i] = cleanCell(row[i])
			widths[i] = max(widths[i], utf8.RuneCountInString(row[i]))
		}
	}
	for i, row := range rows {
		var cells []string
		for j, cell := range row {
			cells = append(cells, fmt.Sprintf("%-*s", widths[j], cell))
		}
		text := strings.TrimRight(strings.Join(cells, "  "), " ")
		if i > 0 && l.Charts[i-1].Outdated {
			text = p.paint.warn.Sprint(text)
		}
		p.line(text)
	}
	return p.flush()
}

func (c ChartItem) newest() string {
	if c.Error != "" {
		return "(error)"
	}
	return orDash(c.Latest)
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}
