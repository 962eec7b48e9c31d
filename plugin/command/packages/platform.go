package packages

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/chart"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/render"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/trial"
)

// platformOptions say what templates find beside their values.
type platformOptions struct {
	file        string
	kubeVersion string
	repository  string
}

func (o *platformOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.file, "platform", "", "A file (YAML or JSON) with what .Platform has besides its defaults; - is standard input")
	f.StringVar(&o.kubeVersion, "kube-version", chart.DefaultKubeVersion, "The version of Kubernetes that templates see")
	f.StringVar(&o.repository, "repository", "", "The repository that images are in (default registry.example.com/packages)")
	_ = cmd.MarkFlagFilename("platform", "yaml", "yml", "json") // an error is only that there is no such flag
}

// request is for the instance that is spoken of.
func (o *platformOptions) request(env *Env, of *packageOptions) (render.Request, error) {
	instance, err := of.identity(env)
	if err != nil {
		return render.Request{}, err
	}
	r := render.Request{
		Instance:     render.Instance{Namespace: instance.Namespace, Name: instance.Name},
		Registry:     render.Registry{Repository: o.repository},
		Capabilities: chart.Capabilities{KubeVersion: o.kubeVersion},
	}
	if o.file == "" {
		return r, nil
	}
	data, err := env.readFile(o.file)
	if err != nil {
		return r, fmt.Errorf("--platform: %w", err)
	}
	r.Platform, err = parseMapping(data, "--platform "+o.file)
	return r, err
}

// shownObjects masks objects.
func shownObjects(objects []object.Object, m object.Masker, secrets []map[string]any) []object.Object {
	shown := make([]object.Object, len(objects))
	for i, o := range objects {
		shown[i] = object.Object{Body: trial.Scrub(m, m.One(o.Body), secrets...), Origin: o.Origin}
	}
	return shown
}

// writeObjects writes a stream of documents, each with its template.
func writeObjects(out io.Writer, objects []object.Object) error {
	text, err := render.Stream(objects)
	if err != nil {
		return err
	}
	_, err = io.WriteString(out, text)
	return err
}
