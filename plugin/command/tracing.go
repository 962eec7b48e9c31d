package command

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/build"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/trace"
	"github.com/kubectl-tazuna/kubectl-tazuna/printers"
)

// tracing is what --otlp-endpoint asks for: how long the parts of a run took, sent to
// a collector at its end. Flags and names are the original tool's.
type tracing struct {
	endpoint string
	insecure bool
	// recorder and run are nil while nothing is traced.
	recorder *trace.Recorder
	run      *trace.Span
}

func (t *tracing) addFlags(f *pflag.FlagSet) {
	f.StringVar(&t.endpoint, "otlp-endpoint", "", "Send how long the parts of the run took to this OpenTelemetry collector (OTLP/gRPC; HOST:PORT)")
	f.BoolVar(&t.insecure, "otlp-insecure", true, "Send it without TLS")
}

// start begins the span of the run.
func (t *tracing) start(env *Env, cmd *cobra.Command) {
	if t.endpoint == "" {
		return
	}
	t.recorder = trace.NewRecorder(env.Clock.Now)
	ctx, span := trace.Start(trace.With(cmd.Context(), t.recorder), spanName(cmd), runFacts(cmd)...)
	t.run = span
	cmd.SetContext(ctx)
}

// spanName is the original's: tazuna.Apply, tazuna.StateDrift.
func spanName(cmd *cobra.Command) string {
	var name string
	for c := cmd; c.HasParent(); c = c.Parent() {
		var words string
		for word := range strings.SplitSeq(c.Name(), "-") {
			words += upperFirst(word)
		}
		name = words + name
	}
	return "tazuna." + name
}

// runFacts are the flags of an apply that change what it does.
func runFacts(cmd *cobra.Command) []trace.Attribute {
	var all []trace.Attribute
	for _, name := range []string{"sync", "prune", "atomic"} {
		if f := cmd.Flags().Lookup(name); f != nil && f.Value.Type() == "bool" {
			all = append(all, trace.Attribute{Key: "apply." + name, Value: f.Value.String() == "true"})
		}
	}
	return all
}

// finish ends the span of the run and sends all of them. A run that was interrupted
// is sent too.
func (t *tracing) finish(env *Env, code int, message string) error {
	if t.recorder == nil {
		return nil
	}
	var failure error
	if message != "" {
		failure = errors.New(printers.Message(message))
	}
	t.run.Set(trace.Attribute{Key: "exit.code", Value: code})
	t.run.End(failure)
	return t.recorder.Export(context.Background(), trace.Collector{
		Endpoint: t.endpoint, Insecure: t.insecure, Version: env.Version,
		Headers: cmp.Or(env.Getenv("OTEL_EXPORTER_OTLP_TRACES_HEADERS"), env.Getenv("OTEL_EXPORTER_OTLP_HEADERS")),
	})
}

// describe tells the span of the run what it is about.
func (s *source) describe(ctx context.Context) {
	facts := []trace.Attribute{{Key: "manifests.count", Value: len(s.all)}}
	if s.file != nil {
		facts = append(facts, trace.Attribute{Key: "tazuna.yaml.path", Value: s.file.Path})
	}
	trace.Current(ctx).Set(facts...)
}

// buildSpan is that of the build of one manifest: Kustomize.Build.
func buildSpan(ctx context.Context, m build.Manifest) (context.Context, *trace.Span) {
	names := map[string]string{"genesissecret": "GenesisSecret", "oras": "ORAS"}
	return trace.Start(ctx, cmp.Or(names[m.Type], upperFirst(m.Type))+".Build",
		trace.Attribute{Key: "manifest.name", Value: m.Name},
		trace.Attribute{Key: "manifest.type", Value: m.Type},
		trace.Attribute{Key: "manifest.path", Value: m.Path},
	)
}

func upperFirst(word string) string {
	if word == "" {
		return ""
	}
	return strings.ToUpper(word[:1]) + word[1:]
}
