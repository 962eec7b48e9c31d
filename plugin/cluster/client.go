package cluster

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/utils/clock"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// Options say which cluster, and as whom.
type Options struct {
	// Getter is kubectl's view of kubeconfig and flags; see Flags.
	Getter genericclioptions.RESTClientGetter
	// Plugins says which of the programs that a kubeconfig names for credentials may be
	// started; empty: all.
	Plugins clientcmdapi.PluginPolicy
	// UserAgent is sent with every request of this client.
	UserAgent string
	// FieldManager is used by writes that name none.
	FieldManager string
	// CacheDir holds schemas between runs; empty keeps them in memory only.
	CacheDir string
	// Warn receives the server's Warning headers, each text once. nil drops them.
	Warn func(string)
	// Clock times back-offs; nil is the real one.
	Clock clock.WithTicker
	// Limiter hears about 429 answers; nil makes one of 16.
	Limiter *Limiter
	// RetryFor bounds the repetition of one request when the server is broken or
	// out of reach; 0 means 30 s. A server that only asks for patience gets four
	// times as long.
	RetryFor time.Duration
	// Scrub takes what is secret in the bodies out of a server's text about them;
	// nil is object.Scrub.
	Scrub func(text string, bodies ...map[string]any) string
}

// Client talks to one API server. It is safe for concurrent use.
type Client struct {
	getter       genericclioptions.RESTClientGetter
	http         *http.Client
	base         *url.URL
	timeout      time.Duration
	fieldManager string
	clock        clock.WithTicker
	limiter      *Limiter
	throttle     *throttle
	outage       *outage
	warnings     *Warnings
	retryFor     time.Duration
	jitter       func() float64
	scrub        func(text string, bodies ...map[string]any) string

	catalogue *catalogue
	schemas   *schemaStore

	once struct {
		sync.Mutex
		clusterUID    string
		clusterUIDset bool
	}
}

// Connect reads the kubeconfig and prepares a client. It sends no request.
func Connect(o Options) (*Client, error) {
	warnings := NewWarnings(o.Warn)
	if flags, ok := o.Getter.(*genericclioptions.ConfigFlags); ok && flags.WrapConfigFn == nil {
		// Discovery's client is made by the flags: it should look like ours.
		flags.WrapConfigFn = func(cfg *rest.Config) *rest.Config {
			cfg = dress(cfg, o, warnings)
			cfg.Wrap(func(next http.RoundTripper) http.RoundTripper { return revalidated{next} })
			return cfg
		}
	}
	cfg, err := o.Getter.ToRESTConfig()
	if err != nil {
		return nil, fmt.Errorf("read the kubeconfig: %w", err)
	}
	cached, err := o.Getter.ToDiscoveryClient()
	if err != nil {
		return nil, fmt.Errorf("prepare discovery: %w", err)
	}
	c, err := newClient(cfg, o, warnings)
	if err != nil {
		return nil, err
	}
	c.catalogue = newCatalogue(discovery.ToCachedDiscoveryInterfaceWithContext(cached))
	return c, nil
}

// dress puts the user agent, the handler of warnings and the policy for credential
// plugins on a copy of a config.
func dress(cfg *rest.Config, o Options, warnings *Warnings) *rest.Config {
	cfg = Restrict(cfg, o.Plugins)
	cfg.WarningHandlerWithContext = warnings
	if o.UserAgent != "" {
		cfg.UserAgent = o.UserAgent
	}
	return cfg
}

// Restrict is a copy of a config whose credential plugin is started only where the
// policy allows that.
func Restrict(cfg *rest.Config, policy clientcmdapi.PluginPolicy) *rest.Config {
	cfg = rest.CopyConfig(cfg)
	if cfg.ExecProvider != nil {
		restricted := *cfg.ExecProvider
		restricted.PluginPolicy = policy
		cfg.ExecProvider = &restricted
	}
	return cfg
}

// newClient sets everything up but discovery.
func newClient(cfg *rest.Config, o Options, warnings *Warnings) (*Client, error) {
	cfg = dress(cfg, o, warnings)
	base, _, err := rest.DefaultServerUrlFor(cfg)
	if err != nil {
		return nil, fmt.Errorf("server address %q: %w", cfg.Host, err)
	}
	timeout := cfg.Timeout
	cfg.Timeout = 0 // applied to each attempt instead: a watch outlives it
	cfg.Wrap(func(next http.RoundTripper) http.RoundTripper { return cleanHeaders{next} })
	httpClient, err := rest.HTTPClientFor(cfg)
	if err != nil {
		return nil, fmt.Errorf("prepare the connection to %s: %w", cfg.Host, err)
	}
	o = withDefaults(o)
	httpClient.CheckRedirect = sameServer
	return &Client{
		getter:       o.Getter,
		http:         httpClient,
		base:         base,
		timeout:      timeout,
		fieldManager: o.FieldManager,
		clock:        o.Clock,
		limiter:      o.Limiter,
		throttle:     newThrottle(),
		outage:       &outage{},
		warnings:     warnings,
		retryFor:     o.RetryFor,
		jitter:       rand.Float64,
		scrub:        o.Scrub,
		schemas:      newSchemaStore(o.CacheDir, cfg.Host),
	}, nil
}

// sameServer follows no redirect to another server: it would get the credentials
// and the body.
func sameServer(next *http.Request, before []*http.Request) error {
	first := before[0].URL
	if next.URL.Scheme != first.Scheme || next.URL.Host != first.Host || len(before) > 5 {
		return http.ErrUseLastResponse
	}
	return nil
}

func withDefaults(o Options) Options {
	if o.Clock == nil {
		o.Clock = clock.RealClock{}
	}
	if o.Limiter == nil {
		o.Limiter = NewLimiter(0, o.Clock)
	}
	if o.RetryFor == 0 {
		o.RetryFor = defaultRetryFor
	}
	if o.Scrub == nil {
		o.Scrub = object.Scrub
	}
	return o
}

// Flags are kubectl's connection flags with kubectl's discovery limits.
func Flags() *genericclioptions.ConfigFlags {
	return genericclioptions.NewConfigFlags(true).WithDiscoveryBurst(300).WithDiscoveryQPS(50)
}

// Limiter is the window of requests in flight that this client reports 429
// answers to.
func (c *Client) Limiter() *Limiter { return c.limiter }

// FieldManager is the manager of writes that name none.
func (c *Client) FieldManager() string { return c.fieldManager }

// manager picks the field manager of one write.
func (c *Client) manager(wanted string) string {
	if wanted != "" {
		return wanted
	}
	return c.fieldManager
}

// noGroupKind marks requests that are about the server, not about an object.
var noGroupKind = schema.GroupKind{}
