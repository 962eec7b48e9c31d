package render

import (
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// Registry is where the images of a package are, and what Pods need to pull them.
type Registry struct {
	// Repository holds packages: HOST/PATH. Images are at Repository/PACKAGE@DIGEST.
	Repository string
	// DockerConfig is a docker configuration in base64; "" is made of Login and
	// Password, or is one without credentials.
	DockerConfig    string
	Login, Password string
	// Scheme is HTTP or HTTPS in any case; "" is HTTPS.
	Scheme string
	// CA is a certificate in PEM, "" is none.
	CA string
}

// offlineRepository is where images seem to be when nobody says where.
const offlineRepository = "registry.example.com/packages"

func (r Registry) repository() string {
	if r.Repository == "" {
		return offlineRepository
	}
	return strings.TrimSuffix(r.Repository, "/")
}

// image is the reference of one of the package's images.
func (r Registry) image(name, digest string) string {
	return r.repository() + "/" + name + "@" + digest
}

// template is .Application.Package.Registry.
func (r Registry) template() (map[string]any, error) {
	scheme := strings.ToUpper(r.Scheme)
	switch scheme {
	case "":
		scheme = "HTTPS"
	case "HTTP", "HTTPS":
	default:
		return nil, fmt.Errorf("scheme of the registry: wanted HTTP or HTTPS, found %q", r.Scheme)
	}
	config, err := r.dockerConfig()
	if err != nil {
		return nil, err
	}
	return map[string]any{
		"repository": r.repository(), "dockercfg": config, "scheme": scheme, "ca": r.CA,
	}, nil
}

func (r Registry) dockerConfig() (string, error) {
	if r.DockerConfig != "" {
		return r.DockerConfig, nil
	}
	host, _, _ := strings.Cut(r.repository(), "/")
	entry := map[string]any{}
	if r.Login != "" || r.Password != "" {
		entry["auth"] = base64.StdEncoding.EncodeToString([]byte(r.Login + ":" + r.Password))
	}
	data, err := object.EncodeJSON(map[string]any{"auths": map[string]any{host: entry}})
	if err != nil {
		return "", fmt.Errorf("docker configuration: %w", err)
	}
	return base64.StdEncoding.EncodeToString([]byte(strings.TrimSpace(string(data)))), nil
}

// secrets are the parts that no text may tell: passwords and tokens, and the whole
// configuration where it can't be understood.
func (r Registry) secrets() []any {
	secrets := []any{r.Password}
	data, err := base64.StdEncoding.DecodeString(r.DockerConfig)
	if err != nil {
		return append(secrets, r.DockerConfig)
	}
	if len(data) == 0 {
		return secrets
	}
	config, err := object.DecodeJSON(data)
	if err != nil {
		return append(secrets, r.DockerConfig, string(data))
	}
	auths, _ := config["auths"].(map[string]any)
	for _, entry := range auths {
		of, _ := entry.(map[string]any)
		for key, value := range of {
			if key != "username" && key != "email" {
				secrets = append(secrets, value)
			}
		}
	}
	return secrets
}

// withoutConfig hides the configuration as a whole: a password in it can't be found
// once it is encoded.
func (r Registry) withoutConfig(text string) string {
	config, err := r.dockerConfig()
	if err != nil || config == "" {
		return text
	}
	return strings.ReplaceAll(text, config, "<hidden>")
}
