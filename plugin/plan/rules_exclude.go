package plan

import (
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
)

// excludedPaths lists the paths of an object that are judged by what is wanted
// against what was applied last. A rule is asked about the first body that there
// is: give what is wanted first. Paths of plain keys are listed whether or not
// anything is there, since a server's answer may bring it.
func excludedPaths(c *config.KappConfig, s *cluster.Schema, bodies ...map[string]any) []fieldpath.Path {
	if c == nil {
		return nil
	}
	first := firstBody(bodies)
	var out []fieldpath.Path
	for _, rule := range c.LastAppliedExclusions {
		if !selectsAny(rule.Matchers, first) {
			continue
		}
		if keys, ok := rule.Path.Keys(); ok {
			out = append(out, keyPath(keys))
			continue
		}
		out = append(out, concrete(rule.Path, s, bodies...)...)
	}
	return outermost(out)
}

func firstBody(bodies []map[string]any) map[string]any {
	for _, body := range bodies {
		if body != nil {
			return body
		}
	}
	return nil
}

func keyPath(keys []string) fieldpath.Path {
	out := make(fieldpath.Path, len(keys))
	for i, key := range keys {
		out[i] = field(key)
	}
	return out
}
