package command

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"github.com/Masterminds/semver/v3"
	"github.com/spf13/cobra"
)

// schemaAddress is where editors find the schema of a tazuna.yaml.
const schemaAddress = "https://raw.githubusercontent.com/kubectl-tazuna/kubectl-tazuna/main/docs/schemas/tazuna.v1.json"

// skeleton is a tazuna.yaml to begin with: the address of its schema, the version
// of the tool.
const skeleton = `# yaml-language-server: $schema=%s
apiVersion: tazuna.pepabo.com/v1
kind: Tazuna
spec:
  # An older kubectl-tazuna refuses this file.
  minimumSupportedTazunaVersion: %q

  # Names the records of this file in the cluster: those of other files there are not
  # taken for what left this one.
  project: %s

  # Only contexts with such a name may be used. Go's regular expressions; they match
  # any part of the name unless ^ and $ bind them.
  # context_matches:
  #   - ^kind-
  # context_match_mode: or

  # With -e NAME, the contexts of that environment may be used instead, and
  # {{ .Environment }} stands for NAME anywhere in this file.
  # environments:
  #   staging:
  #     context_matches: [-staging$]

  # What is installed. Each manifest has a record of its own in the cluster.
  manifests: []
  #   - name: cni
  #     type: kustomize          # also yaml, helm, helmfile, oras, genesissecret
  #     path: cni/overlays/base
  #     tags: [base]
  #     tests:
  #       - type: WaitUntil
  #         timeoutSeconds: 300
  #         waitUntil:
  #           resource: {apiVersion: apps/v1, kind: DaemonSet}
  #           namespace: kube-system
  #           name: cni
  #           condition: object.status.numberReady == object.status.desiredNumberScheduled
  #   - name: ingress
  #     type: helm
  #     dependsOn: [cni]
  #     helm:
  #       repository: https://charts.example.com
  #       chart: ingress
  #       version: ^1.2
  #       namespace: ingress
  #       createNamespace: true
`

type initOptions struct {
	file  string
	force bool
}

func newInit(env *Env) *cobra.Command {
	o := &initOptions{}
	cmd := &cobra.Command{
		Use:   "init [-f FILE]",
		Short: "Write a tazuna.yaml to begin with",
		Args:  cobra.NoArgs,
		RunE:  func(*cobra.Command, []string) error { return o.run(env) },
	}
	cmd.Flags().StringVarP(&o.file, "filename", "f", defaultFile, "The file to write")
	cmd.Flags().BoolVar(&o.force, "force", false, "Overwrite a file that is there")
	return cmd
}

func (o *initOptions) run(env *Env) error {
	flags := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if o.force {
		flags = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	}
	f, err := os.OpenFile(o.file, flags, 0o644)
	switch {
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("%s is there already; --force overwrites it", o.file)
	case err != nil:
		return err
	}
	_, err = fmt.Fprintf(f, skeleton, schemaAddress, pinned(env.Version), projectOf(o.file))
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write %s: %w", o.file, err)
	}
	fmt.Fprintf(env.Out, "created: %s\n", o.file)
	return nil
}

// projectOf is the name of the directory that the file is in, as far as it can be the
// value of a label, or "tazuna".
func projectOf(file string) string {
	path, err := filepath.Abs(file)
	name := filepath.Base(filepath.Dir(path))
	if err != nil || !regexp.MustCompile(`^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$`).MatchString(name) {
		return "tazuna"
	}
	return name
}

// pinned is the version that the file asks for: ours, if it is one.
func pinned(version string) string {
	v, err := semver.NewVersion(version)
	if err != nil {
		return "0.0.0"
	}
	return v.String()
}
