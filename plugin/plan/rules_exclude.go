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
	var out []fieldpath.Path
	for _, r := range exclusions(c, s, bodies) {
		out = append(out, r.path)
	}
	return outermost(out)
}

// excludedBy tells which rule excludes a path.
func excludedBy(c *config.KappConfig, s *cluster.Schema, p fieldpath.Path, bodies ...map[string]any) (by config.Place, ok bool) {
	if c == nil {
		return config.Place{}, false
	}
	for _, r := range exclusions(c, s, bodies) {
		if len(r.path) <= len(p) && related(r.path, p) {
			return r.by, true
		}
	}
	return config.Place{}, false
}

func exclusions(c *config.KappConfig, s *cluster.Schema, bodies []map[string]any) []ruling {
	first := firstBody(bodies)
	var out []ruling
	for _, rule := range c.LastAppliedExclusions {
		if !selectsAny(rule.Matchers, first) {
			continue
		}
		if keys, ok := rule.Path.Keys(); ok {
			out = append(out, ruling{keyPath(keys), rule.At})
			continue
		}
		for _, p := range concrete(rule.Path, s, bodies...) {
			out = append(out, ruling{p, rule.At})
		}
	}
	return out
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
