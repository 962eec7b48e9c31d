package hook

import (
	"slices"
	"strings"
)

// BaseEnv takes from an environment what hooks may see of it: how to find programs,
// language, time zone, proxies, certificates, and how to reach the API server
// from within a cluster. Credentials and whatever else this program was started
// with stay behind.
func BaseEnv(environ []string) []string {
	var kept []string
	for _, entry := range environ {
		key, _, ok := strings.Cut(entry, "=")
		if ok && passes(key) {
			kept = append(kept, entry)
		}
	}
	return kept
}

func passes(key string) bool {
	if strings.HasPrefix(key, "LC_") {
		return true
	}
	return slices.Contains([]string{
		"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ",
		"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy",
		"SSL_CERT_FILE", "SSL_CERT_DIR",
		"KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT",
	}, key)
}

// identityEnv tells a hook whose it is, also while it is loaded: the SDK puts the
// namespace into the configuration.
func identityEnv(i Instance, logLevel string) []string {
	if logLevel == "" {
		logLevel = "info"
	}
	return []string{
		"APPLICATION_NAME=" + i.Name,
		"APPLICATION_NAMESPACE=" + i.Namespace,
		"MODULE_NAME=" + i.String(),
		"LOG_LEVEL=" + logLevel,
	}
}

// merged puts environments after one another; of a key that is there twice, the
// later counts.
func merged(environments ...[]string) []string {
	var all []string
	for _, env := range environments {
		for _, entry := range env {
			key, _, _ := strings.Cut(entry, "=")
			all = slices.DeleteFunc(all, func(e string) bool { return strings.HasPrefix(e, key+"=") })
			all = append(all, entry)
		}
	}
	return all
}
