package plan

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// target is a versioned object that others refer to by its plain name.
type target struct {
	base       object.Ref
	apiVersion string
	name       string // the name that stands for it now
	// references are the places that may name it, by the template rules.
	references []config.ObjectReference
}

// referrer sets the names of versioned objects where others refer to them.
type referrer struct {
	targets []target
}

func newReferrer(versioned []*versionedObject, objects []object.Object, rules []config.TemplateRule) referrer {
	var r referrer
	for _, o := range versioned {
		if !o.hasVersion() {
			continue
		}
		body := objects[o.at].Body
		apiVersion, _ := body["apiVersion"].(string)
		t := target{base: o.base, apiVersion: apiVersion, name: o.ref(o.chosen).Name}
		for _, rule := range rules {
			if selectsAny(rule.Matchers, body) {
				t.references = append(t.references, rule.References...)
			}
		}
		r.targets = append(r.targets, t)
	}
	return r
}

// set returns the object with all its references set. What has none is returned
// as it is; nothing of the input is changed.
func (r referrer) set(o object.Object) (object.Object, error) {
	body, err := r.explicit(o)
	if err != nil {
		return object.Object{}, fmt.Errorf("%s: %s: %w", o.Origin, o.Ref(), err)
	}
	namespace := o.Namespace()
	for _, t := range r.targets {
		for _, ref := range t.references {
			if !selectsAny(ref.Matchers, body) {
				continue
			}
			next, _ := rewriteAt(body, ref.Path, func(m map[string]any) map[string]any {
				return t.rewrite(m, namespace, ref.NameKey)
			}).(map[string]any)
			body = next
		}
	}
	return object.Object{Body: body, Origin: o.Origin}, nil
}

// rewrite gives a reference the current name if it is one to this target. What
// it says beside the name must agree; without a namespace it means the one of the
// object that refers.
func (t target) rewrite(m map[string]any, namespace, nameKey string) map[string]any {
	if nameKey == "" {
		nameKey = "name"
	}
	if own := textAt(m, "namespace"); own != "" {
		namespace = own
	}
	switch {
	case m[nameKey] != t.base.Name:
		return m
	case namespace != "" && t.base.Namespace != "" && namespace != t.base.Namespace:
		return m
	case disagrees(m, "kind", t.base.Kind), disagrees(m, "apiVersion", t.apiVersion):
		return m
	}
	out := copyMap(m)
	out[nameKey] = t.name
	return out
}

func disagrees(m map[string]any, key, want string) bool {
	have := textAt(m, key)
	return have != "" && have != want
}

// rewriteAt returns a copy in which change was applied to every map that a path
// leads to; off the path all is shared. Where a path leads to no map there is no
// reference.
func rewriteAt(v any, path config.RulePath, change func(map[string]any) map[string]any) any {
	m, isMap := v.(map[string]any)
	list, isList := v.([]any)
	switch {
	case len(path) == 0 && isMap:
		return change(m)
	case len(path) == 0:
	case path[0].IsKey() && isMap:
		if sub, ok := m[path[0].Key]; ok {
			out := copyMap(m)
			out[path[0].Key] = rewriteAt(sub, path[1:], change)
			return out
		}
	case isList && !path[0].IsKey():
		out := slices.Clone(list)
		for i, item := range list {
			if path[0].All || path[0].Index != nil && *path[0].Index == i {
				out[i] = rewriteAt(item, path[1:], change)
			}
		}
		return out
	}
	return v
}

// explicit sets the references in annotations: each is a small YAML object that
// names a versioned object, for programs that read it from there.
func (r referrer) explicit(o object.Object) (map[string]any, error) {
	annotations := mapAt(o.Body, "metadata", "annotations")
	changed := map[string]string{}
	for _, key := range slices.Sorted(maps.Keys(annotations)) {
		if key != config.KappExplicitRef && !strings.HasPrefix(key, config.KappExplicitRef+".") {
			continue
		}
		text, err := r.explicitRef(annotations[key], o.Namespace())
		if err != nil {
			return nil, fmt.Errorf("annotation %s: %w", key, err)
		}
		if text != annotations[key] {
			changed[key] = text
		}
	}
	if len(changed) == 0 {
		return o.Body, nil
	}
	body, meta, all := copyMap(o.Body), copyMap(mapAt(o.Body, "metadata")), copyMap(annotations)
	for key, text := range changed {
		all[key] = text
	}
	meta["annotations"], body["metadata"] = all, meta
	return body, nil
}

func (r referrer) explicitRef(value any, namespace string) (string, error) {
	text, ok := value.(string)
	if !ok {
		return "", errors.New("wanted text that holds YAML")
	}
	ref, err := explicitBody(text)
	if err != nil {
		return "", err
	}
	for _, t := range r.targets {
		next := t.rewrite(ref, namespace, "")
		if next["name"] == ref["name"] {
			continue
		}
		out, err := object.EncodeYAML(next)
		return string(out), err
	}
	return text, nil
}

// explicitBody reads the object of an annotation.
func explicitBody(text string) (map[string]any, error) {
	const want = "wanted YAML with apiVersion, kind and name"
	var ref map[string]any
	if err := yaml.UnmarshalStrict([]byte(text), &ref); err != nil {
		return nil, fmt.Errorf("%s: %w", want, err)
	}
	for _, key := range []string{"apiVersion", "kind", "name"} {
		if textAt(ref, key) == "" {
			return nil, fmt.Errorf("%s: %s is missing", want, key)
		}
	}
	return ref, nil
}
