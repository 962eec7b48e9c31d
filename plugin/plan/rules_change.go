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
	r := changeReader{config: c, order: changeOrder{members: map[changeGroup][]int{}}, names: map[string]bool{}, warned: map[string]bool{}}
	if c == nil {
		r.config = &config.KappConfig{}
	}
	var all []changing
	for i, o := range objects {
		if o.disputed {
			continue
		}
		body := changeBody(o)
		all = append(all, changing{Object: o, index: i, subject: subjectOf(body), values: placeholders(body)})
	}
	for _, o := range all {
		r.groups(o)
	}
	for _, o := range all {
		r.rules(o)
	}
	if len(r.faults) > 0 {
		return changeOrder{}, fmt.Errorf("order of changes: %s", strings.Join(r.faults, "; "))
	}
	slices.SortStableFunc(r.order.relations, func(a, b relation) int { return b.weight - a.weight })
	return r.order, nil
}

// changing is an object of the run with what rules are held against.
type changing struct {
	*Object
	index   int
	subject *subject
	// values are those of placeholders.
	values map[string]string
}

type changeReader struct {
	config *config.KappConfig
	order  changeOrder
	// names are those of all groups that some object is in.
	names  map[string]bool
	warned map[string]bool
	faults []string
}

func (r *changeReader) fault(o changing, place string, err error) {
	r.faults = append(r.faults, fmt.Sprintf("%s: %s: %s", o.Ref, place, err))
}

// groups puts an object into its groups.
func (r *changeReader) groups(o changing) {
	for _, a := range annotationsAt(o.subject.body, config.KappChangeGroup) {
		name, err := a.text, config.CheckGroupName(a.text)
		if err == nil {
			name, err = config.ExpandGroupName(a.text, o.values)
		}
		if err != nil {
			r.fault(o, "annotation "+a.key, err)
			continue
		}
		r.join(o, name)
	}
	for _, binding := range r.config.ChangeGroupBindings {
		if !o.subject.anyOf(binding.Matchers) {
			continue
		}
		name, err := config.ExpandGroupName(binding.Name, o.values)
		if err != nil {
			r.bindingFault(o, binding.At, err)
			continue
		}
		r.join(o, name)
	}
}

// bindingFault takes a placeholder without a value for a fault, unless of an
// object to delete: of that nothing but the name may be known.
func (r *changeReader) bindingFault(o changing, at config.Place, err error) {
	if !o.Leaves() {
		r.fault(o, at.String(), err)
	}
}

func (r *changeReader) join(o changing, name string) {
	group := changeGroup{name: name, deleting: o.Leaves()}
	r.names[name] = true
	members := r.order.members[group]
	if n := len(members); n == 0 || members[n-1] != o.index {
		r.order.members[group] = append(members, o.index)
	}
}

// rules relates an object to the groups of its rules.
func (r *changeReader) rules(o changing) {
	for _, a := range annotationsAt(o.subject.body, config.KappChangeRule) {
		rule, err := config.ParseChangeRule(a.text)
		if err == nil {
			rule.Group, err = config.ExpandGroupName(rule.Group, o.values)
		}
		if err != nil {
			r.fault(o, "annotation "+a.key, err)
			continue
		}
		r.relate(o, rule, relation{why: a.key}, o.Ref.String()+": annotation "+a.key)
	}
	for weight, binding := range r.config.ChangeRuleBindings {
		if !o.subject.anyOf(binding.Matchers) {
			continue
		}
		for _, rule := range binding.Rules {
			group, err := config.ExpandGroupName(rule.Group, o.values)
			if err != nil {
				r.bindingFault(o, binding.At, err)
				continue
			}
			rule.Group = group
			place := binding.At.String()
			if binding.At.Default() {
				place = ""
			}
			r.relate(o, rule, relation{
				optional: binding.IgnoreIfCyclical, weight: weight + 1, why: binding.At.Rule,
			}, place)
		}
	}
}

// relate adds a relation if the rule is about what the run does to the object.
// place is for warnings; rules without one are not warned of.
func (r *changeReader) relate(o changing, rule config.ChangeRule, rel relation, place string) {
	if !r.names[rule.Group] {
		r.warn(place, rule, "no object is in that group")
		return
	}
	if rule.Deleting != o.Leaves() {
		return
	}
	if rule.Deleting != rule.GroupDeleting {
		if rule.Deleting == rule.Before {
			r.warn(place, rule, "the rule has no effect: deletions come last")
		}
		return // the order of the two halves of a run is settled
	}
	rel.object, rel.before = o.index, rule.Before
	rel.group = changeGroup{name: rule.Group, deleting: rule.GroupDeleting}
	rel.why = fmt.Sprintf("%s (%s)", rule, rel.why)
	r.order.relations = append(r.order.relations, rel)
}

// warn tells of a rule once, however many objects it is about.
func (r *changeReader) warn(place string, rule config.ChangeRule, text string) {
	if place == "" {
		return
	}
	line := fmt.Sprintf("%s: %q: %s", place, rule, text)
	if !r.warned[line] {
		r.warned[line] = true
		r.order.warnings = append(r.order.warnings, line)
	}
}

// changeBody is what is known of an object: what is wanted, of a deletion what is
// live.
func changeBody(o *Object) map[string]any {
	if o.Leaves() {
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
