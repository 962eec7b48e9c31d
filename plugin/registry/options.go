package registry

import (
	"errors"
	"net/http"
	"path/filepath"
	"runtime"
	"time"
)

// Options say how registries are reached. The zero value reaches public ones over
// TLS without credentials or cache.
type Options struct {
	// Credentials are used before those of CredentialFiles.
	Credentials Credentials
	// CredentialFiles are configuration files as docker writes them, the first
	// that knows a host wins. A file that doesn't exist knows none. Helpers that
	// a file names are run.
	CredentialFiles []string
	// DockerConfig is the content of such a file, and counts before them. Helpers
	// that it names are not run: it may come from somebody else.
	DockerConfig []byte

	// CAFile holds PEM certificates that are trusted besides the system's.
	CAFile string
	// CA holds such certificates itself.
	CA []byte
	// Insecure leaves the certificate of the server unchecked.
	Insecure bool
	// PlainHTTP talks to every registry without TLS.
	PlainHTTP bool

	// CacheDir keeps blobs between runs; empty: nothing is kept.
	CacheDir string
	// CacheAge is for how long an entry is kept that nobody uses; zero: 30 days.
	CacheAge time.Duration
	// Offline asks no server: what is not in the cache is ErrOffline. Layouts are
	// read as ever.
	Offline bool
	// TempDir is where temporary directories are made; empty: the system's.
	TempDir string

	// Platform picks from an index: "linux/amd64". Empty: linux and the
	// architecture of this program.
	Platform string
	// Limits bound what is fetched; zero fields take those of DefaultLimits.
	Limits Limits
	// Retry says how failures are repeated; zero fields take DefaultRetry's.
	Retry Retry

	// UserAgent is what servers are told.
	UserAgent string
	// Transport sends the requests instead of the standard one, whose settings
	// (proxy, timeouts) CAFile and Insecure change.
	Transport http.RoundTripper
	// Warn is told what went wrong beside the matter; nil: nobody is.
	Warn func(text string)
	// Now is the clock that ages the cache; nil: time.Now.
	Now func() time.Time
}

// Credentials prove who asks. They go to Host only.
type Credentials struct {
	// Host is the registry they are for, with its port: "ghcr.io". Empty: every
	// registry this client is used with.
	Host string
	// Username and Password, or a Token: an identity token as "docker login"
	// keeps it, instead of both.
	Username, Password, Token string
}

func (c Credentials) empty() bool { return c.Username == "" && c.Password == "" && c.Token == "" }

// Limits bound an artifact. All are checked against what the manifest says before
// anything is fetched, and what is fetched is held to what the manifest says.
type Limits struct {
	// Manifest and Config are sizes in bytes.
	Manifest, Config int64
	// Layer is the size of one layer as it is transferred, Total of all.
	Layer, Total int64
	// Layers is how many there may be.
	Layers int
	// Tags is how many a listing may have.
	Tags int
}

// DefaultLimits fit packages and charts, with room: layers of 512 MiB, 1 GiB in
// all, 128 layers.
func DefaultLimits() Limits {
	return Limits{
		Manifest: 4 << 20, Config: 4 << 20,
		Layer: 512 << 20, Total: 1 << 30,
		Layers: 128, Tags: 100_000,
	}
}

// Retry bounds how often a request or a transfer is tried.
type Retry struct {
	// Attempts is how often at most, the first included; 1 repeats nothing.
	Attempts int
	// MinWait is the pause after the first failure; it doubles up to MaxWait.
	MinWait, MaxWait time.Duration
	// Stall is for how long a transfer may give no byte.
	Stall time.Duration
}

// DefaultRetry is what command lines use: five attempts within some seconds.
func DefaultRetry() Retry {
	return Retry{Attempts: 5, MinWait: 200 * time.Millisecond, MaxWait: 5 * time.Second, Stall: time.Minute}
}

// defaultCacheAge is long enough for the packages that are rolled out once a
// month.
const defaultCacheAge = 30 * 24 * time.Hour

func (o Options) withDefaults() Options {
	limits, retry := DefaultLimits(), DefaultRetry()
	o.Limits.Manifest = or(o.Limits.Manifest, limits.Manifest)
	o.Limits.Config = or(o.Limits.Config, limits.Config)
	o.Limits.Layer = or(o.Limits.Layer, limits.Layer)
	o.Limits.Total = or(o.Limits.Total, limits.Total)
	o.Limits.Layers = or(o.Limits.Layers, limits.Layers)
	o.Limits.Tags = or(o.Limits.Tags, limits.Tags)
	o.Retry.Attempts = or(o.Retry.Attempts, retry.Attempts)
	o.Retry.MinWait = or(o.Retry.MinWait, retry.MinWait)
	o.Retry.MaxWait = or(o.Retry.MaxWait, retry.MaxWait)
	o.Retry.Stall = or(o.Retry.Stall, retry.Stall)
	o.CacheAge = or(o.CacheAge, defaultCacheAge)
	o.Platform = or(o.Platform, "linux/"+runtime.GOARCH)
	o.UserAgent = or(o.UserAgent, "kubectl-tazuna")
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

func or[T comparable](value, fallback T) T {
	var zero T
	if value == zero {
		return fallback
	}
	return value
}

// Environment variables that FromEnvironment reads.
const (
	HostVariable     = "TAZUNA_REGISTRY_HOST"
	UsernameVariable = "TAZUNA_REGISTRY_USERNAME"
	PasswordVariable = "TAZUNA_REGISTRY_PASSWORD"
	TokenVariable    = "TAZUNA_REGISTRY_TOKEN"
	CAFileVariable   = "TAZUNA_REGISTRY_CA_FILE"
)

// FromEnvironment gives the options that the environment means: credentials of
// the TAZUNA_REGISTRY_… variables, and the files in which docker, podman and
// Helm keep theirs. home is the user's home directory, cache the directory for
// caches ("" for none).
//
// Credentials without HostVariable are an error: they would be sent to every
// registry that a file names.
func FromEnvironment(getenv func(string) string, home, cache string) (Options, error) {
	o := Options{
		Credentials: Credentials{
			Host:     getenv(HostVariable),
			Username: getenv(UsernameVariable),
			Password: getenv(PasswordVariable),
			Token:    getenv(TokenVariable),
		},
		CAFile:          getenv(CAFileVariable),
		CredentialFiles: credentialFiles(getenv, home),
	}
	if !o.Credentials.empty() && o.Credentials.Host == "" {
		return Options{}, errors.New("credentials for a registry are in the environment, but not for which: set " + HostVariable)
	}
	if cache != "" {
		o.CacheDir = filepath.Join(cache, "kubectl-tazuna", "registry")
	}
	return o, nil
}

// credentialFiles lists where "docker login", "podman login" and "helm registry
// login" keep credentials.
func credentialFiles(getenv func(string) string, home string) []string {
	var files []string
	add := func(dir string, name ...string) {
		if dir != "" {
			files = append(files, filepath.Join(append([]string{dir}, name...)...))
		}
	}
	add(getenv("REGISTRY_AUTH_FILE"))
	if dir := getenv("DOCKER_CONFIG"); dir != "" {
		add(dir, "config.json")
	} else {
		add(home, ".docker", "config.json")
	}
	add(getenv("XDG_RUNTIME_DIR"), "containers", "auth.json")
	switch {
	case getenv("HELM_REGISTRY_CONFIG") != "":
		add(getenv("HELM_REGISTRY_CONFIG"))
	case getenv("XDG_CONFIG_HOME") != "":
		add(getenv("XDG_CONFIG_HOME"), "helm", "registry", "config.json")
	default:
		add(home, ".config", "helm", "registry", "config.json")
	}
	return files
}
