package packages

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/rest"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle/source"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
	"github.com/kubectl-tazuna/kubectl-tazuna/printers"
)

// Env is what the commands get from outside.
type Env struct {
	genericiooptions.IOStreams
	Getenv func(string) string
	// Environ is the whole environment, of which hooks see a part.
	Environ func() []string
	// Name is how the user called us: "kubectl tazuna" or "kubectl-tazuna".
	Name string
	// Version is that of the program.
	Version string
	// UserAgent is what registries are told.
	UserAgent func() string
	// Namespace is that of -n; "" where it isn't given.
	Namespace func() string
	// Connect makes a client of the selected context; it sends no request.
	Connect func() (*cluster.Client, error)
	// RESTConfig is how the selected context is reached.
	RESTConfig func() (*rest.Config, error)
	// PlanView makes what shows a plan.
	PlanView func() PlanView
	// Applier and Remover make what applies objects, and what deletes those of a record.
	Applier func() Applier
	Remover func() Remover
	// Now is the clock.
	Now func() time.Time
	// Colors decides whether a stream gets colours.
	Colors func(io.Writer) (bool, error)
	// Exit makes an error that ends the process with a code; without an error,
	// nothing more is printed.
	Exit func(code int, err error) error
}

// PlanView shows what a plan says, as the command diff does.
type PlanView interface {
	// AddFlags adds the flags that say how it is shown.
	AddFlags(cmd *cobra.Command)
	// Validate refuses flags that mean nothing.
	Validate() error
	// Whole tells that objects are shown as a whole, Unmasked that secrets are.
	Whole() bool
	Unmasked() bool
	// Show prints a plan. Its error has the exit code: 1 for differences, 2 for errors.
	Show(ctx context.Context, r *plan.Report) error
	// Fail gives an error the exit code of a comparison that could not be made.
	Fail(err error) error
}

// Codes for Exit; see docs/exit-codes.md.
const (
	Failed  = 1
	Refused = 3
)

// warn and note go to stderr: stdout is for data.
func (e *Env) warn(text string) { e.note("Warning: %s", text) }

// close gives up a package. What can't be removed is told and fails nothing.
func (e *Env) close(p *source.Package) {
	if err := p.Close(); err != nil {
		e.warn(err.Error())
	}
}

// warnOf warns of findings about files of a package.
func (e *Env) warnOf(findings []bundle.Finding) {
	for _, f := range findings {
		place, text := f.File, f.Text
		if f.Line > 0 {
			place = fmt.Sprintf("%s:%d", f.File, f.Line)
		}
		if f.Key != "" {
			text = f.Key + ": " + text
		}
		e.warn(place + ": " + text)
	}
}

func (e *Env) note(format string, args ...any) {
	fmt.Fprintln(e.ErrOut, printers.Message(fmt.Sprintf(format, args...)))
}

const outputUsage = "Print as json, yaml, kyaml, name, jsonpath=… or go-template=…"

// print writes a result to stdout: in a machine format, or by text.
func (e *Env) print(format string, result any, text func(printers.Options) error) error {
	if format != "" {
		return printers.Structured(e.Out, format, result)
	}
	o := printers.DefaultOptions(e.Out)
	var err error
	if o.Color, err = e.Colors(e.Out); err != nil {
		return err
	}
	return text(o)
}
