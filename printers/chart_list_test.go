package printers

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func sampleCharts() []ChartItem {
	return []ChartItem{
		{Manifest: "m", Release: "shop", Chart: "web", Repository: "https://charts.example", Version: "1.2.0", Latest: "1.10.0", Outdated: true, File: "tazuna.yaml", Line: 3},
		{Manifest: "m", Release: "any", Chart: "oci://registry.example/charts/long-name", Latest: "2.0.0", File: "helmfile.yaml", Line: 2},
		{Manifest: "n", Release: "local", Chart: "charts/\x1b[31mred", Version: "0.1.0", File: "tazuna.yaml", Line: 9},
		{Manifest: "n", Release: "gone", Chart: "none", Version: "^1", Error: "404", File: "tazuna.yaml", Line: 12},
	}
}

func TestChartListGolden(t *testing.T) {
	goldenPlainAndColored(t, "chart-list", NewChartList(sampleCharts(), false).Print)
	goldenPlainAndColored(t, "chart-list-latest", NewChartList(sampleCharts(), true).Print)
	assert.Equal(t, []string{"chart/shop", "chart/any", "chart/local", "chart/gone"}, NewChartList(sampleCharts(), false).Names())
	assert.Equal(t, []string{"chart/shop"}, NewChartList(sampleCharts(), true).Names())
}
