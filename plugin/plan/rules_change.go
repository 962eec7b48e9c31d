package plan

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// changeGroup is a group of changes: what a run does to the objects of one name.
type changeGroup struct {
	name     string
	deleting bool
}

// relation puts the change of one object before or after those of a group.
type relation struct {
	object int
	group  changeGroup
	before bool
	// optional relations give way where they would close a circle; those of a
	// higher weight are kept first.
	optional bool
	weight   int
	// why is the rule, for messages.
	why string
}

// changeOrder is what kapp's groups and rules say about a run.
type changeOrder struct {
	// members are in the order of the objects, each once.
	members   map[changeGroup][]int
	relations []relation
	// warnings tell of rules that mean nothing in this run, a line each.
	warnings []string
}

// changeOrderOf reads the groups and rules of all objects of a run, from their
// annotations and from the configuration's bindings. Every fault of every object
// is in the error.
func changeOrderOf(c *config.KappConfig, objects []*Object) (changeOrder, error) {
	r := changeReader{config: c, order: changeOrder{members: map[changeGroup][]int{}}, names: map[string]bool{}}
	if c == nil {
		r.config = &config.KappConfig{}
	}
	for i, o := range objects {
		r.groups(i, o)
	}
	for i, o := range objects {
		r.rules(i, o)
	}
	if len(r.faults) > 0 {
		return changeOrder{}, fmt.Errorf("order of changes: %s", strings.Join(r.faults, "; "))
	}
	slices.SortStableFunc(r.order.relations, func(a, b relation) int { return b.weight - a.weight })
	return r.order, nil
}

type changeReader struct {
	config *config.KappConfig
	order  changeOrder
	// names are those of all groups that some object is in.
	names  map[string]bool
	warned map[string]bool
	faults []string
}

func (r *changeReader) fault(o *Object, place string, err error) {
	r.faults = append(r.faults, fmt.Sprintf("%s: %s: %s", o.Ref, place, err))
}

// groups puts an object into its groups.
func (r *changeReader) groups(i int, o *Object) {
	body := changeBody(o)
	for _, a := range annotationsAt(body, config.KappChangeGroup) {
		name, err := a.text, config.CheckGroupName(a.text)
		if err == nil {
			name, err = config.ExpandGroupName(a.text, placeholders(body))
		}
		if err != nil {
			r.fault(o, "annotation "+a.key, err)
			continue
		}
		r.join(i, o, name)
	}
	for _, binding := range r.config.ChangeGroupBindings {
		if !selectsAny(binding.Matchers, body) {
			continue
		}
		name, err := config.ExpandGroupName(binding.Name, placeholders(body))
		if err != nil {
			r.bindingFault(o, binding.At, err)
			continue
		}
		r.join(i, o, name)
	}
}

// bindingFault takes a placeholder without a value for a fault, unless of an
// object to delete: of that nothing but the name may be known.
func (r *changeReader) bindingFault(o *Object, at config.Place, err error) {
	if o.Op != OpDelete {
		r.fault(o, at.String(), err)
	}
}

func (r *changeReader) join(i int, o *Object, name string) {
	group := changeGroup{name: name, deleting: o.Op == OpDelete}
	r.names[name] = true
	members := r.order.members[group]
	if n := len(members); n == 0 || members[n-1] != i {
		r.order.members[group] = append(members, i)
	}
}

// rules relates an object to the groups of its rules.
func (r *changeReader) rules(i int, o *Object) {
	body := changeBody(o)
	for _, a := range annotationsAt(body, config.KappChangeRule) {
		rule, err := config.ParseChangeRule(a.text)
		if err == nil {
			rule.Group, err = config.ExpandGroupName(rule.Group, placeholders(body))
		}
		if err != nil {
			r.fault(o, "annotation "+a.key, err)
			continue
		}
		r.relate(i, o, rule, relation{why: a.key}, o.Ref.String()+": annotation "+a.key)
	}
	for weight, binding := range r.config.ChangeRuleBindings {
		if !selectsAny(binding.Matchers, body) {
			continue
		}
		for _, rule := range binding.Rules {
			group, err := config.ExpandGroupName(rule.Group, placeholders(body))
			if err != nil {
				r.bindingFault(o, binding.At, err)
				continue
			}
			rule.Group = group
			place := binding.At.String()
			if binding.At.Default() {
				place = ""
			}
			r.relate(i, o, rule, relation{
				optional: binding.IgnoreIfCyclical, weight: weight + 1, why: binding.At.Rule,
			}, place)
		}
	}
}

// relate adds a relation if the rule is about what the run does to the object.
// place is for warnings; rules without one are not warned of.
func (r *changeReader) relate(i int, o *Object, rule config.ChangeRule, rel relation, place string) {
	if !r.names[rule.Group] {
		r.warn(place, fmt.Sprintf("%q: no object is in that group", rule))
		return
	}
	if rule.Deleting != (o.Op == OpDelete) {
		return
	}
	if rule.Deleting != rule.GroupDeleting {
		if rule.Deleting == rule.Before {
			r.warn(place, fmt.Sprintf("%q: the rule has no effect: deletions come last", rule))
		}
		return // the order of the two halves of a run is settled
	}
	rel.object, rel.before = i, rule.Before
	rel.group = changeGroup{name: rule.Group, deleting: rule.GroupDeleting}
	rel.why = fmt.Sprintf("%s (%s)", rule, rel.why)
	r.order.relations = append(r.order.relations, rel)
}

func (r *changeReader) warn(place, text string) {
	line := place + ": " + text
	if place == "" || r.warned[line] {
		return
	}
	if r.warned == nil {
		r.warned = map[string]bool{}
	}
	r.warned[line] = true
	r.order.warnings = append(r.order.warnings, line)
}

// changeBody is what is known of an object: what is wanted, of a deletion what is
// live.
func changeBody(o *Object) map[string]any {
	if o.Op == OpDelete {
		return o.Live
	}
	return o.Desired.Body
}

// numbered is one of the annotations KEY, KEY.a, KEY.b.
type numbered struct{ key, text string }

// annotationsAt lists an annotation with all its suffixes, by key.
func annotationsAt(body map[string]any, key string) []numbered {
	annotations := mapAt(body, "metadata", "annotations")
	var out []numbered
	for _, k := range slices.Sorted(maps.Keys(annotations)) {
		if text, ok := annotations[k].(string); ok && (k == key || strings.HasPrefix(k, key+".")) {
			out = append(out, numbered{k, text})
		}
	}
	return out
}

// placeholders are the properties of an object that names of groups may hold.
func placeholders(body map[string]any) map[string]string {
	ref := object.RefOf(body)
	out := map[string]string{
		"{api-group}": ref.Group, "{kind}": ref.Kind, "{name}": ref.Name, "{namespace}": ref.Namespace,
	}
	if ref.GroupKind() == crdKind {
		out["{crd-group}"] = textAt(body, "spec", "group")
		out["{crd-kind}"] = textAt(body, "spec", "names", "kind")
	}
	return out
}
