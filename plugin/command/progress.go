package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/apply"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
	"github.com/kubectl-tazuna/kubectl-tazuna/printers"
)

// Ways to show what a run does.
const (
	progressAuto  = "auto"
	progressTable = "table"
	progressLines = "lines"
	progressNone  = "none"
)

// outputEvents is the -o of runs that prints what happens instead of the plan.
const outputEvents = "events"

// heartbeat is how long a run is silent at most, as CI systems end what is silent
// for minutes.
const heartbeat = 30 * time.Second

// progressOptions say how a run tells what it does.
type progressOptions struct {
	progress string
}

func (o *progressOptions) addFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.progress, "progress", progressAuto,
		"Show a run as a table that is redrawn, as lines, or not (none); auto is a table on a terminal, else lines")
	if output := cmd.Flags().Lookup("output"); output != nil {
		output.Usage += "; events prints what the run does as JSON, a line a step"
	}
}

func (o *progressOptions) validate(output string, asks bool) error {
	if !slices.Contains([]string{progressAuto, progressTable, progressLines, progressNone}, o.progress) {
		return fmt.Errorf("--progress: wanted auto, table, lines or none, found %q", o.progress)
	}
	if output == outputEvents && asks {
		return errors.New("-o events shows no diff that could be agreed to: give --yes")
	}
	return nil
}

// teller hands the events of a run to whoever shows them. The zero value drops
// them.
type teller struct {
	// print takes an event; what it can't write is lost, the run goes on.
	print func(printers.Event) error
	// close ends the showing; nothing else may write to the terminal before.
	close func()
	env   *Env
	// stream is set where every step is wanted, and not only what a person reads.
	stream bool
}

// teller makes the one that the options ask for.
func (o *progressOptions) teller(env *Env, output string) (*teller, error) {
	t := &teller{env: env, close: func() {}}
	if output == outputEvents {
		t.print, t.stream = printers.NewEventLines(env.Out).Print, true
		return t, nil
	}
	colors, err := env.colors(env.ErrOut)
	if err != nil {
		return nil, err
	}
	switch {
	case o.progress == progressNone:
	case o.drawsTable(env):
		live := printers.NewLive(env.ErrOut, colors, os.Environ())
		env.live.Store(live)
		t.print = live.Print
		t.close = func() {
			live.Close()
			env.live.Store(nil)
		}
	default:
		t.print = printers.NewProgress(env.ErrOut, colors).Print
	}
	return t, nil
}

// drawsTable: not where the log of the libraries goes to the same terminal.
func (o *progressOptions) drawsTable(env *Env) bool {
	if o.progress == progressTable {
		return true
	}
	return o.progress == progressAuto && isTerminal(env.ErrOut) && env.Getenv("TERM") != "dumb" && env.verbosity == 0
}

// event takes in what the engine tells.
func (t *teller) event(ev apply.Event) {
	if !t.stream && unread(ev) {
		return
	}
	t.tell(eventOf(ev))
}

func (t *teller) tell(e printers.Event) {
	if t.print == nil {
		return
	}
	// A stream that can't be written doesn't stop a run; who reads it is told at the end.
	if err := ignoreLeft(t.print(e)); err != nil && t.stream && t.env.lost == nil {
		t.env.lost = fmt.Errorf("events are missing in the output: %w", err)
	}
}

// unread tells the waiting for an unchanged object of which only metadata was read:
// what it waits for, if for anything, is said once it was looked at.
func unread(ev apply.Event) bool {
	return ev.Type == apply.EventWaiting && ev.Op == plan.OpNone && ev.Reason == "not looked at yet"
}

// eventOf turns an event of the engine into one of the printers.
func eventOf(ev apply.Event) printers.Event {
	out := printers.Event{
		Time: ev.Time, Type: string(ev.Type), Manifest: ev.Manifest, Op: ev.Op, Reason: ev.Reason, Details: ev.Details,
		Seconds: seconds(ev.Elapsed), Settled: ev.Settled, Total: ev.Total, Verdict: string(ev.Verdict),
	}
	if ev.Kind != "" {
		out.Object = eventObject(ev.Ref())
	}
	for _, p := range ev.Pending {
		out.Pending = append(out.Pending, printers.Pending{Object: *eventObject(p.Ref), Reason: p.Reason, Seconds: seconds(p.Elapsed)})
	}
	if ev.Counts != nil {
		out.Counts = countsOf(*ev.Counts)
	}
	return out
}

// seconds of a duration, to the millisecond.
func seconds(d time.Duration) float64 {
	return float64(d.Round(time.Millisecond).Milliseconds()) / 1000
}

func eventObject(ref object.Ref) *printers.EventObject {
	return &printers.EventObject{Group: ref.Group, Kind: ref.Kind, Namespace: ref.Namespace, Name: ref.Name}
}

func countsOf(c apply.Counts) map[string]int {
	return map[string]int{
		"created": c.Created, "updated": c.Updated, "replaced": c.Replaced, "deleted": c.Deleted, "unchanged": c.Unchanged,
		"kept": c.Kept, "failed": c.Failed, "refused": c.Refused, "skipped": c.Skipped, "left": c.Left,
	}
}

// show prints the plan to stdout, or tells it as events.
func (o *applyOptions) show(ctx context.Context, env *Env, report *plan.Report, p *plan.Plan) error {
	if o.view.output != outputEvents {
		return o.view.print(ctx, env, report)
	}
	for _, w := range report.Warnings {
		env.warn(w)
	}
	t, err := o.progress.teller(env, o.view.output)
	if err != nil {
		return err
	}
	for i, r := range report.Objects {
		if r.Op != plan.OpNone {
			t.tell(printers.Event{
				Time: env.Clock.Now(), Type: printers.EventPlanned, Manifest: r.Manifest, Total: len(p.Objects),
				Object: eventObject(p.Objects[i].Ref), Op: r.Op, Reason: r.Reason,
			})
		}
	}
	return nil
}

// without ends the stream of a run that had nothing to write, or must not, and
// hands its error on.
func (o *applyOptions) without(ctx context.Context, env *Env, p *plan.Plan, err error) error {
	if o.view.output != outputEvents {
		return err
	}
	t, failed := o.progress.teller(env, o.view.output)
	if failed != nil {
		return failed
	}
	for _, ev := range apply.Unwritten(p, env.Clock.Now()) {
		if ev.Type == apply.EventEnded && err != nil {
			ev.Reason, ev.Verdict = err.Error(), apply.VerdictFailed
			if code, _ := ExitCode(ctx, err); code == ExitRefused {
				ev.Verdict = apply.VerdictRefused
			}
		}
		t.event(ev)
	}
	return err
}
