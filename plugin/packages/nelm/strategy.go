package nelm

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/expression"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

// Strategy is what of the rules the engine does by itself. What depends on the moment
// (stages, dependencies, deletion after success) the release sees to.
func (r Rules) Strategy(of object.Ref) (plan.Strategy, error) {
	s := plan.Strategy{
		NoWait:             r.NonBlocking,
		FailureIgnored:     r.FailMode == Ignore,
		Propagation:        r.Propagation,
		ReplicasOnCreation: r.ReplicasOnCreation,
		FailuresAllowed:    r.FailuresAllowed,
		Idle:               r.Idle,
	}
	switch {
	case r.Has(SkipUpdate):
		s.Update = plan.UpdateSkip
	case r.Deletes(BeforeCreationIfImmutable):
		s.Update = plan.UpdateReplace
	}
	if r.Hook && of.GroupKind() == (schema.GroupKind{Kind: "Pod"}) {
		// A Pod that runs for an event is done when it has ended.
		var err error
		if s.ReadyWhen, err = expression.Compile(`has(self.status) && has(self.status.phase) && self.status.phase == "Succeeded"`); err != nil {
			return s, fmt.Errorf("%s: %w", of, err)
		}
		if s.FailedWhen, err = expression.Compile(`has(self.status) && has(self.status.phase) && self.status.phase == "Failed"`); err != nil {
			return s, fmt.Errorf("%s: %w", of, err)
		}
	}
	return s, nil
}

// Strategies gives plan.Policy the strategies of the objects of a release. An object
// that isn't among the rules is read as one that is no hook.
func Strategies(rules map[object.Ref]Rules) func(body map[string]any) (plan.Strategy, error) {
	return func(body map[string]any) (plan.Strategy, error) {
		o := object.Object{Body: body}
		r, ok := rules[o.Ref()]
		if !ok {
			var err error
			if r, err = Read(o); err != nil {
				return plan.Strategy{}, err
			}
		}
		return r.Strategy(o.Ref())
	}
}
