package command

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/apply"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

// sessionSet holds the locks of a run, by manifest.
type sessionSet map[string]*state.Session

// movedError says that another run wrote a record between our plan and our lock.
type movedError struct{ manifest string }

// Error names the manifest and the way on.
func (e *movedError) Error() string {
	return fmt.Sprintf("the record of manifest %s changed since the diff was made: nothing was applied, run the command again", e.manifest)
}

// begin locks every manifest that the plan writes to, all of them with every, and
// adds the locks to those held. A record that moved since the plan was made is a
// *movedError: what was shown may no longer be what would happen. They are taken in
// the order of names, so that two runs don't wait for each other.
func (p *prepared) begin(ctx context.Context, held sessionSet, current *plan.Plan, operation string, every bool) error {
	touched := map[string]bool{}
	for _, o := range current.Objects {
		touched[o.Manifest] = touched[o.Manifest] || o.Op.Writes()
	}
	manifests := slices.SortedFunc(slices.Values(current.Manifests), func(a, b plan.Manifest) int { return strings.Compare(a.Name, b.Name) })
	manifests = slices.DeleteFunc(manifests, func(m plan.Manifest) bool { return !touched[m.Name] && m.Repair == "" && !every })
	p.expect(manifests)
	for _, m := range manifests {
		if held[m.Name] == nil {
			s, err := p.store.Begin(ctx, m.Name, operation)
			if err != nil {
				return err
			}
			held[m.Name] = s
		}
		if m.Record != nil && held[m.Name].Record().Revision() != m.Record.Revision() {
			return &movedError{manifest: m.Name}
		}
	}
	return nil
}

// expect tells the store which locks are going to be taken, one after the other.
func (p *prepared) expect(manifests []plan.Manifest) {
	names := make([]string, 0, len(manifests))
	for _, m := range manifests {
		names = append(names, m.Name)
	}
	p.store.Expect(names...)
}

// describe tells the records which run this is.
func (s sessionSet) describe(r round, planDigest string) {
	for _, m := range r.plan.Manifests {
		if session := s[m.Name]; session != nil {
			session.Describe(state.RunInfo{
				DefaultNamespace: m.DefaultNamespace, FieldManager: r.p.client.FieldManager(), PlanDigest: planDigest,
				Project: r.p.source.project(), DeleteHooks: r.p.farewells(r.plan, m.Name),
			})
		}
	}
}

func (s sessionSet) forApply() map[string]apply.Session {
	out := make(map[string]apply.Session, len(s))
	for name, session := range s {
		out[name] = session
	}
	return out
}

const (
	// endTimeout bounds the release of the locks, interruptedEndTimeout that after an
	// interrupt: they end by themselves soon.
	endTimeout            = 10 * time.Second
	interruptedEndTimeout = 3 * time.Second
)

// end releases the locks, also after a cancelled run.
func (s sessionSet) end(ctx context.Context, env *Env) {
	limit := endTimeout
	if ctx.Err() != nil {
		limit = interruptedEndTimeout
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	for name, session := range s {
		for _, n := range session.Notes() {
			env.note("note: manifest %s: %s", name, n)
		}
		if err := session.End(ctx); err != nil {
			env.warn(err.Error())
		}
	}
}
