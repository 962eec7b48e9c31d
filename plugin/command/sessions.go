package command

import (
	"context"
	"fmt"
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

// begin locks every manifest that the plan writes to. A record that moved since
// the plan was shown is a *movedError: what was shown may no longer be what would
// happen. The locks taken so far are returned with an error too.
func (p *prepared) begin(ctx context.Context, current *plan.Plan, operation string) (sessionSet, error) {
	out := sessionSet{}
	touched := map[string]bool{}
	for _, o := range current.Objects {
		touched[o.Manifest] = touched[o.Manifest] || o.Op.Writes()
	}
	for _, m := range current.Manifests {
		if !touched[m.Name] && m.Repair == "" {
			continue
		}
		s, err := p.store.Begin(ctx, m.Name, operation)
		if err != nil {
			return out, err
		}
		out[m.Name] = s
		if m.Record != nil && s.Record().Revision() != m.Record.Revision() {
			return out, &movedError{manifest: m.Name}
		}
		s.Describe(state.RunInfo{DefaultNamespace: m.DefaultNamespace, FieldManager: p.client.FieldManager()})
	}
	return out, nil
}

func (s sessionSet) forApply() map[string]apply.Session {
	out := make(map[string]apply.Session, len(s))
	for name, session := range s {
		out[name] = session
	}
	return out
}

// endTimeout bounds the release of the locks after a run that was interrupted.
const endTimeout = 10 * time.Second

// end releases the locks, also after a cancelled run.
func (s sessionSet) end(ctx context.Context, env *Env) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
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
