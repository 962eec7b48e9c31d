package plan

import (
	"strconv"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// Hide masks, in every report that is made of the plan from now on, the texts of which
// secret says that they hold something secret, whatever the rules of the masker. It is
// for secrets that only the caller knows, such as those of the settings of a package,
// which come into objects of any kind.
func (p *Plan) Hide(secret func(text string) bool) {
	for _, o := range p.Objects {
		seen := map[string]bool{}
		for _, body := range []map[string]any{o.Desired.Body, o.Live, o.before, o.after, o.live, o.result} {
			for _, path := range secretPaths(body, nil, secret) {
				if text := strings.Join(path, "\x00"); !seen[text] {
					seen[text] = true
					o.hidden = append(o.hidden, path)
				}
			}
		}
	}
}

// secretPaths finds the texts that hold secrets; keys are none, as for every masker.
func secretPaths(value any, at object.Path, secret func(string) bool) []object.Path {
	below := func(element string) object.Path { return append(at[:len(at):len(at)], element) }
	var all []object.Path
	switch v := value.(type) {
	case string:
		if len(at) > 0 && secret(v) {
			return []object.Path{at}
		}
	case []any:
		for i, item := range v {
			all = append(all, secretPaths(item, below(strconv.Itoa(i)), secret)...)
		}
	case map[string]any:
		for key, item := range v {
			all = append(all, secretPaths(item, below(key), secret)...)
		}
	}
	return all
}
