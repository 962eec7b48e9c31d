package helmfile

import (
	"encoding/json"
	"text/template"

	"github.com/Masterminds/sprig/v3"
	"sigs.k8s.io/yaml"
)

// variables are the names that a helmfile's template has.
func variables(o Options) map[string]any {
	environment := o.Environment
	if environment == "" {
		environment = "default"
	}
	return map[string]any{
		"Values": o.Vars.all, "StateValues": o.Vars.all,
		"Environment": map[string]any{"Name": environment},
	}
}

// base has the functions of a helmfile: sprig's without those that look at the
// machine, and the encodings. A missing key is a zero value.
func base() *template.Template {
	functions := sprig.TxtFuncMap()
	for _, outside := range []string{"env", "expandenv", "getHostByName"} {
		delete(functions, outside)
	}
	functions["toYaml"] = toYAML
	functions["fromYaml"] = func(text string) (out map[string]any, err error) {
		err = yaml.Unmarshal([]byte(text), &out)
		return out, err
	}
	functions["toJson"] = func(value any) (string, error) {
		text, err := json.Marshal(value)
		return string(text), err
	}
	functions["fromJson"] = func(text string) (out map[string]any, err error) {
		err = json.Unmarshal([]byte(text), &out)
		return out, err
	}
	return template.New("").Funcs(functions).Option("missingkey=zero")
}

// toYAML has no line end, as in Helm.
func toYAML(value any) (string, error) {
	text, err := yaml.Marshal(value)
	if n := len(text); n > 0 {
		text = text[:n-1]
	}
	return string(text), err
}
