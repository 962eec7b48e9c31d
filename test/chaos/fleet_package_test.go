package chaos

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// fleetDefinition is that of both packages; the first has no version of its own.
const fleetDefinition = `apiVersion: v1
type: Application
name: %s
%sdescriptions: {en: One of many}
versionCompatibilityRules:
  upgrade: {from: ">= 1.0", allowSkipMinor: true}
  downgrade: {from: ">= 1.0"}
`

// fleetTemplate has VERSION in it: an object that changes with it, one that only this
// version has, and two that stay.
const fleetTemplate = `{{- $name := .Application.Instance.Name }}
apiVersion: v1
kind: ConfigMap
metadata: {name: d8a-{{ $name }}-version}
data: {version: VERSION}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: "d8a-{{ $name }}-VERSION"}
---
apiVersion: v1
kind: Service
metadata: {name: d8a-{{ $name }}-web}
spec: {selector: {app: {{ $name }}}, ports: [{port: 80}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: d8a-{{ $name }}-web}
spec:
  selector: {matchLabels: {app: {{ $name }}}}
  template:
    metadata: {labels: {app: {{ $name }}}, annotations: {version: VERSION}}
    spec: {terminationGracePeriodSeconds: 0, containers: [{name: web, image: web}]}
`

// stuckTemplate has a Job whose Pod waits for ever.
const stuckTemplate = `
apiVersion: batch/v1
kind: Job
metadata: {name: d8a-{{ .Application.Instance.Name }}-never}
spec:
  template:
    metadata: {annotations: {standin.tazuna.dev/waiting: ImagePullBackOff}}
    spec: {restartPolicy: Never, containers: [{name: never, image: never}]}
`

// repository makes a directory with a layout, which has the versions of one package,
// and with the sources of the other.
func (f *fleet) repository(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(f.home, "repository")
	for _, version := range fleetVersions() {
		sources := filepath.Join(f.home, "sources-"+version)
		writePackage(t, sources, fmt.Sprintf(fleetDefinition, "notes", ""), strings.ReplaceAll(fleetTemplate, "VERSION", version))
		f.must(t, "packages", "build", sources, "-t", "oci:"+filepath.Join(dir, "notes")+":"+version)
	}
	writePackage(t, filepath.Join(dir, stuckName), fmt.Sprintf(fleetDefinition, stuckName, "version: "+fleetVersions()[0]+"\n"), stuckTemplate)
	return dir
}

func writePackage(t *testing.T, dir, definition, template string) {
	t.Helper()
	for name, text := range map[string]string{"package.yaml": definition, "templates/all.yaml": template} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o750))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
}
