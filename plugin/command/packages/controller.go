package packages

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	goruntime "runtime"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/klog/v2"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/controller"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/debug"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/drift"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/instance"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/journal"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/release"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/serve"
)

// timeoutVariable is how Deckhouse bounds an apply.
const timeoutVariable = "PACKAGE_NELM_TIMEOUT"

// controllerOptions are those of the controller.
type controllerOptions struct {
	hooks           hookOptions
	namespaces      []string
	platformVersion string
	systemNamespace string
	leaderElect     bool
	definitions     bool
	metrics, health string
	dir, socket     string
	applyTimeout    time.Duration
	drift           time.Duration
	election        controller.Timing
	webhook         webhookOptions
	logFormat       string
	logLevel        string
}

func newController(env *Env) *cobra.Command {
	o := &controllerOptions{}
	cmd := &cobra.Command{
		Use:   "controller",
		Short: "Run the applications of a cluster",
		Long: `Runs in the foreground and looks after the Applications of the selected cluster:
scans PackageRepositories, downloads packages, runs their hooks, applies what they
render, and removes it again. The first interrupt ends it in an orderly way, and what
is installed stays. Of several controllers one works and the others stand by.

It writes the definitions of its kinds into the cluster, its log to stderr, and
answers packages dump, queue, scheduler, snapshots and render of the same user on a
socket. It refuses to start where Deckhouse itself runs. See docs/packages-controller.md.`,
		Args: noArg,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), env) },
	}
	o.addFlags(cmd)
	return cmd
}

func (o *controllerOptions) addFlags(cmd *cobra.Command) {
	f, timing := cmd.Flags(), controller.DefaultTiming()
	f.StringSliceVar(&o.namespaces, "namespaces", nil, "Look after the Applications of these namespaces only (default all)")
	f.StringVar(&o.platformVersion, "platform-version", "", "The version that requirements on deckhouse are held against; without it none of them is met")
	f.StringVar(&o.systemNamespace, "system-namespace", controller.DefaultSystemNamespace, "The namespace of the leader's Lease and of the ConfigMap platform")
	f.BoolVar(&o.leaderElect, "leader-elect", true, "Work only while no other controller of this cluster does")
	f.BoolVar(&o.definitions, "install-crds", true, "Write the CustomResourceDefinitions of our kinds into the cluster; without it they have to be there")
	f.StringVar(&o.metrics, "metrics-bind-address", "", "Where /metrics is served, such as 127.0.0.1:8080 (default nowhere)")
	f.StringVar(&o.health, "health-probe-bind-address", "", "Where /healthz and /readyz are served, such as :8081 (default nowhere)")
	f.StringVar(&o.dir, "packages-dir", "", "The directory that bundles are kept in (default one of this cluster in the user's cache directory)")
	f.StringVar(&o.socket, "socket", "", "The socket that questions are answered on (default one of this cluster in the user's runtime directory)")
	f.DurationVar(&o.applyTimeout, "apply-timeout", release.DefaultLimit, "How long one apply of an application may take (before this flag: "+timeoutVariable+")")
	f.DurationVar(&o.drift, "drift-interval", drift.Period, "The least time between two looks for objects of applications that are missing; up to a quarter more is added at random")
	f.DurationVar(&o.election.Lease, "leader-elect-lease-duration", timing.Lease, "For how long a leader counts as one after its last renewal: a controller that stands by waits so long for one that was killed")
	f.DurationVar(&o.election.Renew, "leader-elect-renew-deadline", timing.Renew, "For how long a leader tries to renew before it gives up and ends")
	f.DurationVar(&o.election.RetryLease, "leader-elect-retry-period", timing.RetryLease, "The time between two tries to become or stay the leader")
	f.StringVar(&o.logFormat, "log-format", "text", "How the log is written: text or json")
	f.StringVar(&o.logLevel, "log-level", "info", "What is logged: debug, info, warn or error and above")
	o.webhook.addFlags(cmd)
	o.hooks.addFlags(cmd)
	o.hooks.addTimeout(cmd)
	_ = cmd.MarkFlagDirname("packages-dir") // an error is only that there is no such flag
	completeFlag(cmd, "log-format", cobra.FixedCompletions([]string{"text", "json"}, cobra.ShellCompDirectiveNoFileComp))
	completeFlag(cmd, "log-level", cobra.FixedCompletions([]string{"debug", "info", "warn", "error"}, cobra.ShellCompDirectiveNoFileComp))
}

func (o *controllerOptions) run(ctx context.Context, env *Env) error {
	if goruntime.GOOS == "windows" {
		return errors.New("packages controller: hooks need process groups and the socket file modes, which Windows has not; run it on Linux or macOS")
	}
	lines := journal.New(journal.DefaultLimits())
	log, err := o.logger(env, lines)
	if err != nil {
		return err
	}
	s, err := o.options(ctx, env, log)
	if err != nil {
		return err
	}
	s.Lines = lines
	// The log of the libraries goes the same way.
	klog.SetSlogLogger(log)
	return serve.Run(ctx, s)
}

// logger writes to stderr, and keeps what is about applications.
func (o *controllerOptions) logger(env *Env, lines *journal.Journal) (*slog.Logger, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(o.logLevel)); err != nil {
		return nil, fmt.Errorf("--log-level: wanted debug, info, warn or error, found %q", o.logLevel)
	}
	options := &slog.HandlerOptions{Level: level}
	switch o.logFormat {
	case "text":
		return slog.New(lines.Handler(slog.NewTextHandler(env.ErrOut, options))), nil
	case "json":
		return slog.New(lines.Handler(slog.NewJSONHandler(env.ErrOut, options))), nil
	}
	return nil, fmt.Errorf("--log-format: wanted text or json, found %q", o.logFormat)
}

// check refuses flags that would do something else than is meant.
func (o *controllerOptions) check() error {
	for _, name := range append([]string{o.systemNamespace}, o.namespaces...) {
		if reasons := validation.IsDNS1123Label(name); len(reasons) > 0 {
			return fmt.Errorf("namespace %q: %s", name, reasons[0])
		}
	}
	if o.platformVersion != "" && !bundle.IsVersion(o.platformVersion) {
		return fmt.Errorf("--platform-version: wanted a version such as v1.70.0, found %q", o.platformVersion)
	}
	if o.applyTimeout <= 0 {
		return fmt.Errorf("--apply-timeout: wanted more than 0, found %s", o.applyTimeout)
	}
	if o.drift < time.Second {
		return fmt.Errorf("--drift-interval: wanted at least 1s, found %s", o.drift)
	}
	return o.checkElection()
}

// checkElection refuses times by which a leader would lose its lease while it renews it.
func (o *controllerOptions) checkElection() error {
	e := o.election
	switch {
	case e.RetryLease < 100*time.Millisecond:
		return fmt.Errorf("--leader-elect-retry-period: wanted at least 100ms, found %s", e.RetryLease)
	case e.Renew < 2*e.RetryLease:
		return fmt.Errorf("--leader-elect-renew-deadline: wanted at least twice the retry period of %s, found %s", e.RetryLease, e.Renew)
	case e.Lease <= e.Renew:
		return fmt.Errorf("--leader-elect-lease-duration: wanted more than the renew deadline of %s, found %s", e.Renew, e.Lease)
	case e.Lease%time.Second != 0:
		return fmt.Errorf("--leader-elect-lease-duration: wanted whole seconds, as a Lease has them, found %s", e.Lease)
	}
	return nil
}

// options are what flags, environment and cluster say.
func (o *controllerOptions) options(ctx context.Context, env *Env, log *slog.Logger) (serve.Options, error) {
	if err := o.check(); err != nil {
		return serve.Options{}, err
	}
	rule, err := o.hooks.rule()
	if err != nil {
		return serve.Options{}, err
	}
	limits, err := o.hooks.limits()
	if err != nil {
		return serve.Options{}, err
	}
	if text := env.Getenv(timeoutVariable); text != "" && o.applyTimeout == release.DefaultLimit {
		o.applyTimeout = release.ParseLimit(text)
	}
	admission, err := o.webhook.admission()
	if err != nil {
		return serve.Options{}, err
	}
	client, err := env.Connect()
	if err != nil {
		return serve.Options{}, err
	}
	config, err := env.RESTConfig()
	if err != nil {
		return serve.Options{}, fmt.Errorf("read the kubeconfig: %w", err)
	}
	config.UserAgent = env.UserAgent()
	config.QPS = -1 // the server has its own priorities and fairness
	cache, err := o.places(ctx, env)
	if err != nil {
		return serve.Options{}, err
	}
	return serve.Options{
		Client: client, Config: config, Dir: o.dir, CacheDir: cache, Socket: o.socket,
		Namespaces: o.namespaces, PlatformVersion: o.platformVersion, SystemNamespace: o.systemNamespace,
		LeaderElection: o.leaderElect, InstallDefinitions: o.definitions, MetricsAddress: o.metrics, HealthAddress: o.health,
		DriftInterval: o.drift, Timing: o.election,
		Admission: admission, ApplyLimit: o.applyTimeout, UserAgent: env.UserAgent(), Version: env.Version, Pod: env.Getenv(controller.PodVariable), Log: log,
		Hooks: instance.HookOptions{
			Namespaces: rule, Env: hook.BaseEnv(env.Environ()), LogLevel: o.logLevel, Limits: limits,
		},
	}, nil
}

// places fills in where files are, and returns where registries' answers are kept.
func (o *controllerOptions) places(ctx context.Context, env *Env) (cache string, err error) {
	if dir, err := os.UserCacheDir(); err == nil {
		cache = filepath.Join(dir, "kubectl-tazuna", "registry")
	}
	if o.dir != "" && o.socket != "" {
		return cache, nil
	}
	uid, err := clusterUID(ctx, env)
	if err != nil {
		return "", err
	}
	if o.socket == "" {
		o.socket = debug.SocketPath(env.Getenv, uid)
	}
	if o.dir != "" {
		return cache, nil
	}
	if cache == "" {
		return "", errors.New("there is no cache directory of this user: give --packages-dir")
	}
	o.dir = filepath.Join(filepath.Dir(cache), "packages", uid)
	return cache, nil
}
