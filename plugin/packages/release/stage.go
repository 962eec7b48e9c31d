package release

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/apply/prune"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/nelm"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

// stage is a part of an action, planned.
type stage struct {
	name    nelm.Stage
	plan    *plan.Plan
	planner plan.Planner
	rules   map[object.Ref]nelm.Rules
	order   order
	// answerable: the last revision was not deployed, so that also what is as wanted
	// has to become ready.
	answerable bool
}

// policyOf is the plan's side of the policy of packages for one release.
func policyOf(id identity, rules map[object.Ref]nelm.Rules) plan.Policy {
	p := plan.PackagePolicy()
	p.FieldManager = fieldManager
	p.Guards = guardsOf(id)
	p.Strategies = nelm.Strategies(rules)
	return p
}

// guardsOf keep an object that is live: for what its annotations say, or because it is
// somebody else's by now.
func guardsOf(id identity) []prune.Filter {
	return []prune.Filter{
		prune.Annotations{Values: map[string][]string{
			nelm.HelmResourcePolicyAnnotation: {string(nelm.Keep)},
			nelm.ResourcePolicyAnnotation:     {string(nelm.Keep), string(nelm.SkipDelete)},
			nelm.OwnershipAnnotation:          {string(nelm.Anyone)},
		}},
		prune.OtherOwner{Own: id.marks()},
		prune.SystemNamespaces{},
	}
}

// planStage compares the objects of a stage with the cluster and orders them. entries is
// nil where nothing may be deleted. Nothing is written.
func (s *Service) planStage(ctx context.Context, id identity, name nelm.Stage, parts []part, entries []state.Entry, answerable bool) (*stage, error) {
	st, faults, err := s.compareStage(ctx, id, name, parts, entries, answerable)
	if err != nil {
		return nil, err
	}
	return st, st.conclude(faults)
}

// compareStage is planStage without the order; faults say which objects can't be brought
// to what is wanted.
func (s *Service) compareStage(ctx context.Context, id identity, name nelm.Stage, parts []part, entries []state.Entry, answerable bool) (st *stage, faults, err error) {
	st = &stage{name: name, rules: map[object.Ref]nelm.Rules{}, answerable: answerable}
	input := plan.Input{Manifest: id.name, DefaultNamespace: id.namespace, Marks: id.marks(), Record: state.RecordOf(id.name, entries)}
	for _, p := range parts {
		st.rules[p.object.Ref()] = p.rules
		input.Objects = append(input.Objects, p.object)
	}
	st.planner = plan.Planner{Cluster: s.Cluster, Policy: policyOf(id, st.rules), Concurrency: s.Concurrency}
	if st.plan, err = st.planner.Plan(ctx, []plan.Input{input}); err != nil {
		return nil, nil, err
	}
	return st, adjust(st.plan, st.rules, id), nil
}

// conclude orders a stage that can be carried out.
func (st *stage) conclude(faults error) (err error) {
	for _, l := range st.plan.Leftover { // the next revision wouldn't know of it
		return fmt.Errorf("%s %s/%s is to be deleted and can't be: %s", l.Kind, l.Namespace, l.Name, l.Reason)
	}
	if faults != nil {
		return faults
	}
	st.order, err = orderOf(st.plan, st.rules, st.answerable)
	return err
}

// adjust brings into a plan what depends on the rules of packages alone: what is made
// anew every time, and what is left out. The error names every object that can't be
// brought to what is wanted.
func adjust(p *plan.Plan, rules map[object.Ref]nelm.Rules, id identity) error {
	var faults []error
	var out []*plan.Object
	for _, o := range p.Objects {
		r, wanted := rules[o.Ref]
		if !wanted {
			propagate(o)
		} else if err := adjustObject(o, r, id); err != nil {
			faults = append(faults, err)
		}
		if o.Op == plan.OpCreate && r.Has(nelm.SkipCreate) {
			continue
		}
		switch o.Op {
		case plan.OpError:
			faults = append(faults, o.Err)
		case plan.OpBlocked, plan.OpRefuse:
			faults = append(faults, fmt.Errorf("%s: %s", o.Ref, o.Reason))
		}
		out = append(out, o)
	}
	p.Objects = out
	return errors.Join(faults...)
}

// adjustObject turns the operation of one object into the one that its rules ask for.
func adjustObject(o *plan.Object, r nelm.Rules, id identity) error {
	if o.Live != nil && r.Deletes(nelm.BeforeCreation) && o.Op != plan.OpError {
		if r.Hook && !isOurs(o.Live, id) {
			return fmt.Errorf("%s: an object of this name is there that is neither a hook nor the application's: it is not deleted", o.Ref)
		}
		o.Op, o.Adopt, o.Status, o.Reason = plan.OpReplace, nil, nil, ""
	}
	if o.Op == plan.OpReplace && r.Has(nelm.SkipRecreate) {
		o.Op, o.Reason = plan.OpNone, ""
	}
	return nil
}

// propagate reads from a live object that goes how it goes.
func propagate(o *plan.Object) {
	if r, err := nelm.Read(object.Object{Body: o.Live}); err == nil {
		o.Strategy.Propagation = r.Propagation
	}
}

// isOurs reports whether a live object was made by a hook, or by the application.
func isOurs(live map[string]any, id identity) bool {
	u := object.Object{Body: live}.Unstructured()
	a := u.GetAnnotations()
	return a["helm.sh/hook"] != "" || a[releaseNameAnnotation] == id.name && a[releaseNamespaceAnnotation] == id.namespace
}

// unmet finds objects whose Pods need what only a later stage creates: they could never
// start.
func unmet(stages []*stage) error {
	created := map[object.Ref]nelm.Stage{}
	var faults []error
	for i := len(stages) - 1; i >= 0; i-- {
		for _, o := range stages[i].plan.Objects {
			for _, need := range o.PodNeeds() {
				if later, ok := created[need]; ok && o.Op.Writes() {
					faults = append(faults, fmt.Errorf(
						"%s is deployed in stage %s and its Pods need %s, which is created only in stage %s: deploy that one earlier (helm.sh/hook or %s)",
						o.Ref, stages[i].name, need, later, nelm.DeployOnAnnotation))
				}
			}
		}
		for _, o := range stages[i].plan.Objects {
			if o.Op == plan.OpCreate {
				created[o.Ref] = stages[i].name
			}
		}
	}
	return errors.Join(faults...)
}

// gvkOf is the kind of a planned object, by what is known of it.
func gvkOf(o *plan.Object) schema.GroupVersionKind {
	if o.MappingKnown {
		return o.Mapping.GVK
	}
	return o.Ref.GroupKind().WithVersion(o.Key.Version)
}
