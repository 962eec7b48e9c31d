package plan

import (
	"slices"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
)

// mark is a label or an annotation by which another tool finds what it deployed.
type mark struct{ field, key string }

// marks go when an object becomes ours: left on it, they would have the tool
// delete it one day. Unlike its history, which is nobody's to write, a mark that
// stands in the files is like any other field.
func marks() []mark {
	return []mark{
		{"labels", kappApp},
		{"labels", kappAssociation},
		{"annotations", helmReleaseName},
		{"annotations", helmReleaseNamespace},
	}
}

// marksIn returns the marks that stand in one of the bodies, where they are the
// user's.
func marksIn(bodies ...map[string]any) []mark {
	return slices.DeleteFunc(marks(), func(m mark) bool {
		return !slices.ContainsFunc(bodies, func(body map[string]any) bool {
			return mapAt(body, "metadata", m.field)[m.key] != nil
		})
	})
}

// withoutMarks returns the body without the marks of other tools but for some.
func withoutMarks(body map[string]any, but []mark) map[string]any {
	for _, m := range marks() {
		if !slices.Contains(but, m) {
			body = withoutMetadata(body, m.field, m.key)
		}
	}
	return body
}

// isHistory reports whether a path is what another tool keeps on objects for
// itself: its history or its marks.
func isHistory(p fieldpath.Path) bool {
	if len(p) != 3 || p[0].FieldName == nil || p[1].FieldName == nil || p[2].FieldName == nil || *p[0].FieldName != "metadata" {
		return false
	}
	at := mark{*p[1].FieldName, *p[2].FieldName}
	return at.field == "annotations" && slices.Contains(historyAnnotations(), at.key) || slices.Contains(marks(), at)
}

// keepKappLabels adds to what is wanted what kapp has put into selectors and
// templates of the live object, unless the user asked to drop it.
func (p Planner) keepKappLabels(s *cluster.Schema, ready *prepared, live map[string]any) {
	if p.Policy.DropKappLabels {
		return
	}
	ready.desired, ready.send = withInjected(s, ready.desired, live), withInjected(s, ready.send, live)
}
