package build

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// kustomization goes through the fields of one kustomization file.
type kustomization struct {
	*reading
	dir, file string
	// plugins says that its resources configure plugins of another kustomization
	// instead of being objects.
	plugins bool
}

// fields looks at every field that names files. What it doesn't know it leaves to
// kustomize, which refuses unknown fields but takes keys in any case.
func (k kustomization) fields(root *yaml.Node) {
	entries(root, func(key, value *yaml.Node) {
		switch folded(key.Value) {
		case "nameprefix":
			k.prefixes = append(k.prefixes, value.Value)
		case "namesuffix":
			k.suffixes = append(k.suffixes, value.Value)
		case "resources", "bases", "components":
			each(value, k.resource)
		case "generators", "transformers", "validators":
			each(value, k.plugin)
		case "helmcharts", "helmchartinflationgenerator", "helmglobals":
			k.refuse(key, key.Value+": Helm charts in a kustomization are not supported; render the chart into files")
		case "patches", "patchesstrategicmerge", "patchesjson6902":
			each(value, k.patch)
		case "secretgenerator":
			k.paths(value)
			each(value, k.secret)
		case "configmapgenerator", "replacements", "openapi":
			k.paths(value)
		case "crds", "configurations":
			k.path(value)
		}
	})
}

func (k kustomization) refuse(n *yaml.Node, text string) {
	k.errs = append(k.errs, fmt.Errorf("%s:%d: %s", k.file, n.Line, text))
}

// join gives a path as the process sees it.
func (k kustomization) join(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(k.dir, path)
}

// resource reads a resource file, or the kustomization in a directory.
func (k kustomization) resource(n *yaml.Node) {
	path, info, ok := k.find(n)
	switch {
	case !ok:
	case info.IsDir():
		k.directory(path, k.plugins)
	case k.plugins:
		k.pluginFile(path)
	default:
		k.objects(path)
	}
}

// find gives what a resource entry refers to; not ok after a refusal.
func (k kustomization) find(n *yaml.Node) (path string, info os.FileInfo, ok bool) {
	if n.Kind != yaml.ScalarNode || !k.local(n, n.Value) {
		return "", nil, false
	}
	path = k.join(n.Value)
	info, err := os.Stat(path)
	if err != nil {
		k.refuse(n, fmt.Sprintf("%s: no such file or directory", path))
	}
	return path, info, err == nil
}

// objects notes what a resource file holds.
func (k kustomization) objects(path string) {
	data, err := os.ReadFile(path)
	k.failed(err)
	for i, root := range k.documents(path, data) {
		k.source(root, object.Origin{File: path, Document: i + 1})
		k.keepSecrets(root)
	}
}

// plugin looks into the configuration of a built-in plugin, which may be inline,
// in a file or made by a kustomization. Other plugins are refused by kustomize.
func (k kustomization) plugin(n *yaml.Node) {
	if isInline(n) {
		k.configuration(k.file, []byte(n.Value))
		return
	}
	path, info, ok := k.find(n)
	switch {
	case !ok:
	case info.IsDir():
		k.directory(path, true)
	default:
		k.pluginFile(path)
	}
}

func (k kustomization) pluginFile(path string) {
	data, err := os.ReadFile(path)
	k.failed(err)
	k.configuration(path, data)
}

// configuration looks for paths in the text of a plugin's configuration.
func (k kustomization) configuration(file string, data []byte) {
	k.file = file
	for _, root := range k.documents(file, data) {
		k.paths(root)
	}
}

// patch checks a patch, which is inline text, a path, or a mapping with either.
func (k kustomization) patch(n *yaml.Node) {
	entries(n, func(key, value *yaml.Node) {
		switch folded(key.Value) {
		case "patch":
			k.patchSecrets(value.Value)
		case "path":
			k.patchFile(value)
		}
	})
	switch {
	case n.Kind != yaml.ScalarNode:
	case isInline(n):
		k.patchSecrets(n.Value)
	default:
		k.patchFile(n)
	}
}

func (k kustomization) patchFile(n *yaml.Node) {
	if !k.local(n, n.Value) {
		return
	}
	path := k.join(n.Value)
	data, err := os.ReadFile(path)
	if err != nil {
		return // kustomize has the better message
	}
	for _, root := range k.documents(path, data) {
		k.keepSecrets(root)
	}
}

// folded gives a key as kustomize compares it: encoding/json takes it in any case,
// with the few letters outside of ASCII that have an ASCII twin.
func folded(key string) string { return strings.ToLower(strings.ToUpper(key)) }

// isInline tells the text of a document from a path, where kustomize takes both.
func isInline(n *yaml.Node) bool { return strings.Contains(n.Value, "\n") }
