package command

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
	"k8s.io/klog/v2"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/printers"

	_ "k8s.io/client-go/plugin/pkg/client/auth" // every kubeconfig that works with kubectl works here

	_ "github.com/kubectl-tazuna/kubectl-tazuna/plugin/quiet" // start-up time
)

// Execute runs the command line in args. The first SIGINT, SIGTERM or SIGHUP
// cancels the context, so that a run stops starting, saves and says what is
// left; the second ends the process.
func Execute(env *Env, args []string) (int, string) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // nohup
		signal.Notify(signals, syscall.SIGHUP)
	}
	outliveReaders()
	ctx, cancel := interruptible(context.Background(), signals)
	defer cancel()
	// Not by giving the signal back: a shell starts what runs in its background
	// with SIGINT ignored, and then the second one would be lost.
	context.AfterFunc(ctx, func() {
		<-signals
		if live := env.live.Load(); live != nil {
			live.Kill()
		}
		env.Exit(ExitInterrupted)
	})
	root := NewRoot(env)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if failed := env.profile.finish(); failed != nil {
		env.warn(failed.Error())
	}
	code, message := ExitCode(ctx, err)
	if failed := env.tracing.finish(env, code, message); failed != nil {
		env.warn(failed.Error())
	}
	return code, printers.Message(message)
}

// outliveReaders makes a write to somebody who has stopped reading an error
// instead of the process's end: a run that writes must save and unlock. The
// signal is taken and not ignored, since child processes would inherit that.
func outliveReaders() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }

// NewRoot builds the whole command tree. It does nothing else, so that the
// command reference can be generated from it.
func NewRoot(env *Env) *cobra.Command {
	root := &cobra.Command{
		Use:   "kubectl-tazuna",
		Short: "Diff, apply and keep track of sets of manifests",
		Long: `Shows what a set of manifests would change in a cluster, and what others changed
since you applied it; applies exactly what was shown; keeps in the cluster a
record of what it installed.`,
		Annotations:   map[string]string{cobra.CommandDisplayNameAnnotation: env.Name},
		SilenceErrors: true,
		SilenceUsage:  true,
		// No Args: cobra then suggests commands for a misspelt one.
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	addVersionFlag(root, env)
	root.SetIn(env.In)
	root.SetOut(env.Out)
	root.SetErr(env.ErrOut)
	addGlobalFlags(root, env)
	addOldFlags(root, env)
	hideGlobalFlags(root, env)
	root.AddCommand(
		newDiff(env), newPlan(env), newApply(env), newDestroy(env), newStatus(env), newBuild(env), newCheck(env), newChart(env), newInit(env), newTags(env), newSecretToGenesisSecret(env),
		newState(env), newConfig(env), newVersion(env), newOptions(env),
	)
	addOldLevelLetter(root)
	root.AddCommand(newPackages(env)) // the original has nothing of the kind
	addCompletionForKubectl(root, env)
	addCompletions(root, env)
	root.SetFlagErrorFunc(flagError)
	return root
}

// addGlobalFlags puts kubectl's connection flags on every command: kubectl
// passes none of its own flags on to a plugin.
func addGlobalFlags(root *cobra.Command, env *Env) {
	env.flags = cluster.Flags()
	env.flags.AddFlags(root.PersistentFlags())
	root.PersistentFlags().StringVar(&env.color, "color", "auto", "Colour the output: auto, always or never")
	root.PersistentFlags().IntVarP(&env.verbosity, "v", "v", 0, "Log level: 6 shows each request with its duration, 7 and 8 headers, 9 a curl command; never a body that could hold a secret")
	env.profile.addFlags(root.PersistentFlags())
	env.tracing.addFlags(root.PersistentFlags())
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		klog.SetOutput(env.ErrOut)
		setVerbosity(env.verbosity)
		if err := env.profile.start(); err != nil {
			return flagError(cmd, err)
		}
		env.tracing.start(env, cmd)
		return nil
	}
}

// noArgs refuses arguments with the code that means an error for the command.
func noArgs(cmd *cobra.Command, args []string) error {
	if err := cobra.NoArgs(cmd, args); err != nil {
		return flagError(cmd, fmt.Errorf("unexpected argument %q: files are given with -f or -k", args[0]))
	}
	return nil
}

// flagError gives wrong flags of diff and plan the code that means an error,
// since 1 means differences there; kubectl diff does the same.
func flagError(cmd *cobra.Command, err error) error {
	code := ExitFailed
	if cmd.Name() == "diff" || cmd.Name() == "plan" {
		code = ExitDiffFailed
	}
	return &ExitError{Code: code, Err: err}
}
