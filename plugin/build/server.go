package build

import (
	"fmt"

	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
)

// serverOptions say how a registry or a chart repository is reached.
type serverOptions struct {
	username, password string
	// usernameEnv and passwordEnv name environment variables instead.
	usernameEnv, passwordEnv string
	caFile                   string
	insecure, plainHTTP      bool
}

// serverFields are the keys of serverOptions.
func serverFields(r config.Reader, o *serverOptions) []config.Field {
	text := func(into *string) func(*yaml.Node, string) {
		return func(v *yaml.Node, at string) { *into = r.Text(v, at) }
	}
	return []config.Field{
		{Key: "plainHTTP", Read: func(v *yaml.Node, at string) { o.plainHTTP = r.Bool(v, at) }},
		{Key: "insecureSkipVerify", Read: func(v *yaml.Node, at string) { o.insecure = r.Bool(v, at) }},
		{Key: "caFile", Read: func(v *yaml.Node, at string) { o.caFile = r.Path(v, at) }},
		{Key: "auth", Read: func(v *yaml.Node, at string) {
			r.Mapping(v, at,
				config.Field{Key: "username", Read: text(&o.username)},
				config.Field{Key: "password", Read: func(v *yaml.Node, at string) {
					o.password = r.Text(v, at)
					r.Warn(v, at, "a password in a file is read by everybody who reads the file: passwordEnv names a variable instead")
				}},
				config.Field{Key: "usernameEnv", Read: text(&o.usernameEnv)},
				config.Field{Key: "passwordEnv", Read: text(&o.passwordEnv)},
			)
		}},
	}
}

// credentials are those of the options; empty where there are none.
func (o serverOptions) credentials(lookup func(string) (string, bool)) (username, password string, err error) {
	username, password = o.username, o.password
	for _, v := range []struct {
		name string
		into *string
	}{{o.usernameEnv, &username}, {o.passwordEnv, &password}} {
		if v.name == "" {
			continue
		}
		if *v.into, err = environment(lookup, v.name); err != nil {
			return "", "", fmt.Errorf("auth: %w", err)
		}
	}
	return username, password, nil
}

// environment reads a variable that has to be set; it may be empty.
func environment(lookup func(string) (string, bool), name string) (string, error) {
	if lookup != nil {
		if value, ok := lookup(name); ok {
			return value, nil
		}
	}
	return "", fmt.Errorf("the environment variable %s is not set", name)
}
