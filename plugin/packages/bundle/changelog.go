package bundle

import "github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/document"

// ParseChangelog reads changelog.yaml. It is for catalogues, so nothing in it is
// worth more than a Warning.
func ParseChangelog(data []byte, file string) (c Changelog, findings []Finding) {
	defer func() {
		for i := range findings {
			findings[i].Severity = Warning
		}
	}()
	r, value, findings := openDocument(data, file, document.One)
	if r == nil {
		return Changelog{}, findings
	}
	r.mapping(value, "", false, []document.Field{
		{Key: "features", Read: func(v any, at string) { c.Features = r.Texts(v, at) }},
		{Key: "fixes", Read: func(v any, at string) { c.Fixes = r.Texts(v, at) }},
	})
	return c, r.findings()
}
