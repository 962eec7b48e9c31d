package printers

import (
	"testing"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/report"
)

func TestPackageLogs(t *testing.T) {
	lines := []report.LogLine{
		{Time: "2026-01-02T03:04:05Z", Source: "controller", Level: "INFO", Message: "release", Fields: []report.LogField{
			{Key: "revision", Value: "2"}, {Key: "why", Value: "what is rendered has changed"}, {Key: "none", Value: ""},
		}},
		{Time: "2026-01-02T03:04:06Z", Source: "controller", Level: "ERROR", Message: "task failed", Fields: []report.LogField{
			{Key: "task", Value: "Run"}, {Key: "error", Value: "hook failed:\n  exit status 1\x1b[31m"}, {Key: "retry", Value: "15s"},
		}},
		{Time: "2026-01-02T03:04:07Z", Source: "hooks/a.sh", Level: "INFO", Message: "no such \x1b[2Jfile", Fields: []report.LogField{{Key: "stream", Value: "stderr"}}},
		{Time: "2026-01-02T03:04:08Z", Source: "controller", Level: "WARN", Message: "the package is odd"},
		{Source: "d8a-shop-server-0/server", Message: "listening"},
	}
	goldenPlainAndColored(t, "package-logs", func(o Options) error { return PackageLogs(lines, o) })
}
