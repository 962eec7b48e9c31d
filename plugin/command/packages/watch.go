package packages

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/debug"
)

// watchOptions say whether an answer is printed once, or again whenever it is another.
type watchOptions struct {
	on       bool
	interval time.Duration
}

func (w *watchOptions) addFlags(cmd *cobra.Command, when string, interval time.Duration) {
	cmd.Flags().BoolVarP(&w.on, "watch", "w", false, "Print again whenever "+when+", until Ctrl-C or until the application is gone")
	cmd.Flags().DurationVar(&w.interval, "interval", interval, "How often --watch looks")
}

// answer is what was found out once.
type answer struct {
	// shape tells answers apart that a person would: not by durations, for one.
	shape string
	print func() error
}

// run asks, and prints. When it watches, an answer that can't be had any more is told
// once and waited for, as a controller may be restarted; an application that is gone ends
// it, and so does the user: neither is an error.
func (w *watchOptions) run(ctx context.Context, env *Env, format string, ask func(context.Context) (answer, error)) error {
	if w.on && w.interval <= 0 {
		return fmt.Errorf("--interval: wanted more than 0, found %s", w.interval)
	}
	seen, last, trouble := false, "", ""
	for {
		a, err := ask(ctx)
		switch {
		case w.on && ctx.Err() != nil:
			return nil
		case err == nil && seen && a.shape == last:
			trouble = ""
		case err == nil:
			if seen {
				separate(env, format)
			}
			if err := a.print(); err != nil {
				return err
			}
			seen, last, trouble = true, a.shape, ""
		case !w.on || !seen:
			return err
		case isGone(err):
			env.note("The application is gone.")
			return nil
		case err.Error() != trouble:
			trouble = err.Error()
			env.warn(trouble)
		}
		if !w.on {
			return nil
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(w.interval):
		}
	}
}

// separate stands between two answers: the time where a person reads, the mark between
// two documents in YAML, and nothing that isn't data elsewhere.
func separate(env *Env, format string) {
	switch format {
	case "", "text":
		fmt.Fprintf(env.Out, "\n--- %s\n", env.Now().UTC().Format(time.RFC3339))
	case "yaml", "kyaml":
		fmt.Fprintln(env.Out, "---")
	}
}

// unknownError says that the cluster has no such application.
type unknownError struct{ name, others string }

func (e *unknownError) Error() string {
	return fmt.Sprintf("application %q not found%s", e.name, e.others)
}

// isGone tells that neither the cluster nor the controller has the application.
func isGone(err error) bool {
	var unknown *unknownError
	var none *debug.NotHeldError
	return errors.As(err, &unknown) || errors.As(err, &none)
}
