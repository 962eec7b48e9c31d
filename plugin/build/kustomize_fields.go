package build

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// kustomization goes through the fields of one kustomization file.
type kustomization struct {
	*reading
	dir, file string
}

// read looks at every field that names files. What it doesn't know it leaves to
// kustomize, which refuses unknown fields.
func (k kustomization) read(root *yaml.Node) {
	for i := 0; root.Kind == yaml.MappingNode && i+1 < len(root.Content); i += 2 {
		key, value := root.Content[i].Value, root.Content[i+1]
		switch key {
		case "resources", "bases", "components":
			k.each(value, k.resource)
		case "generators", "transformers", "validators":
			k.each(value, k.plugin)
		case "helmCharts", "helmChartInflationGenerator", "helmGlobals":
			k.refuse(root.Content[i], key+": Helm charts in a kustomization are not supported; render the chart into files")
		case "patches", "patchesStrategicMerge", "patchesJson6902":
			k.each(value, k.patch)
		case "secretGenerator":
			k.paths(value)
			k.each(value, k.secret)
		case "configMapGenerator", "replacements", "openapi":
			k.paths(value)
		case "crds", "configurations":
			k.each(value, k.local)
		}
	}
}

func (k kustomization) refuse(n *yaml.Node, text string) {
	k.errs = append(k.errs, fmt.Errorf("%s:%d: %s", k.file, n.Line, text))
}

// each calls read for the elements of a list.
func (k kustomization) each(list *yaml.Node, read func(*yaml.Node)) {
	for _, n := range list.Content {
		if n.Kind == yaml.AliasNode {
			n = n.Alias
		}
		read(n)
	}
}

// local refuses a path that kustomize would fetch; it tells whether the path may
// be used.
func (k kustomization) local(n *yaml.Node) { k.isLocal(n, n.Value) }

func (k kustomization) isLocal(n *yaml.Node, path string) bool {
	if !remote(path) {
		return true
	}
	k.refuse(n, fmt.Sprintf("%s: remote files and bases are not fetched; copy it beside the kustomization", withoutPassword(path)))
	return false
}

// withoutPassword takes the credentials out of a URL.
func withoutPassword(url string) string {
	scheme, rest, found := strings.Cut(url, "://")
	host, path, _ := strings.Cut(rest, "/")
	if at := strings.LastIndex(host, "@"); found && at >= 0 {
		return scheme + "://" + host[at+1:] + "/" + path
	}
	return url
}

// resource reads a resource file, or the kustomization in a directory.
func (k kustomization) resource(n *yaml.Node) {
	if n.Kind != yaml.ScalarNode || !k.isLocal(n, n.Value) {
		return
	}
	path := k.join(n.Value)
	info, err := os.Stat(path)
	switch {
	case err != nil:
		k.refuse(n, fmt.Sprintf("%s: no such file or directory", path))
	case info.IsDir():
		k.directory(path)
	default:
		k.objects(path)
	}
}

func (k kustomization) join(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(k.dir, path)
}

// objects reads a resource file strictly.
func (k kustomization) objects(path string) {
	set, err := loadFile(path)
	k.failed(err)
	k.sources = append(k.sources, set.Objects...)
	k.warnings = append(k.warnings, set.Warnings...)
	for _, o := range set.Objects {
		k.keep(o.Body)
	}
}

// keep remembers the values of a Secret.
func (k kustomization) keep(body map[string]any) {
	if body["kind"] == "Secret" {
		k.secrets = append(k.secrets, body)
	}
}

// plugin looks into the configuration of a built-in plugin, which may be inline
// or in a file. Other plugins are refused by kustomize.
func (k kustomization) plugin(n *yaml.Node) {
	if strings.Contains(n.Value, "\n") {
		k.configuration(k.file, []byte(n.Value))
		return
	}
	if !k.isLocal(n, n.Value) {
		return
	}
	path := k.join(n.Value)
	info, err := os.Stat(path)
	switch {
	case err != nil:
		k.refuse(n, fmt.Sprintf("%s: no such file or directory", path))
	case info.IsDir():
		k.directory(path)
	default:
		data, err := os.ReadFile(path)
		k.failed(err)
		k.configuration(path, data)
	}
}

// configuration looks for paths in the text of a plugin's configuration.
func (k kustomization) configuration(file string, data []byte) {
	roots, err := documentRoots(data)
	if err != nil {
		k.errs = append(k.errs, fmt.Errorf("%s: %w", file, err))
	}
	inner := kustomization{reading: k.reading, dir: k.dir, file: file}
	for _, n := range roots {
		inner.twice(file, n)
		inner.paths(n)
	}
}

// paths looks for keys that name files, at any depth.
func (k kustomization) paths(n *yaml.Node) {
	for i, c := range n.Content {
		k.paths(c)
		if n.Kind == yaml.MappingNode && i%2 == 1 && slices.Contains(pathKeys(), n.Content[i-1].Value) {
			k.path(c)
		}
	}
}

// pathKeys are the keys under which kustomize and its built-in plugins look for
// files.
func pathKeys() []string {
	return []string{"path", "paths", "files", "env", "envs", "valuesFile", "additionalValuesFiles"}
}

// path checks a path or a list of them; generators write KEY=PATH.
func (k kustomization) path(n *yaml.Node) {
	for _, c := range n.Content {
		k.path(c)
	}
	if n.Kind != yaml.ScalarNode {
		return
	}
	_, path, keyed := strings.Cut(n.Value, "=")
	if remote(n.Value) || !keyed {
		path = n.Value
	}
	k.isLocal(n, path)
}

// patch checks a patch, which is inline text, a path, or a mapping with either.
func (k kustomization) patch(n *yaml.Node) {
	if n.Kind == yaml.ScalarNode {
		k.patchText(n)
		return
	}
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		switch n.Content[i].Value {
		case "patch":
			k.inline(n.Content[i+1].Value)
		case "path":
			k.patchText(n.Content[i+1])
		}
	}
}

// patchText reads a patch from the file that the node names, or from the node
// itself.
func (k kustomization) patchText(n *yaml.Node) {
	if strings.Contains(n.Value, "\n") {
		k.inline(n.Value)
		return
	}
	if !k.isLocal(n, n.Value) {
		return
	}
	path := k.join(n.Value)
	data, err := os.ReadFile(path)
	if err != nil {
		return // kustomize says it better: it knows whether this is a patch
	}
	roots, err := documentRoots(data)
	if err != nil {
		k.errs = append(k.errs, fmt.Errorf("%s: %w", path, err))
	}
	for _, root := range roots {
		k.twice(path, root)
	}
	k.inline(string(data))
}

// inline remembers the Secrets of a patch text.
func (k kustomization) inline(text string) {
	roots, err := documentRoots([]byte(text))
	if err != nil {
		return // kustomize has the message
	}
	for _, root := range roots {
		var body map[string]any
		if root.Decode(&body) == nil {
			k.keep(body)
		}
	}
}

// secret remembers what a secretGenerator puts into its Secret.
func (k kustomization) secret(n *yaml.Node) {
	values := map[string]any{}
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i].Value, n.Content[i+1]
		for _, c := range append(value.Content, value) {
			switch {
			case key == "literals":
				values[fmt.Sprint(len(values))] = c.Value
				_, literal, _ := strings.Cut(c.Value, "=")
				values[fmt.Sprint(len(values))] = literal
			case key == "files" || key == "env" || key == "envs":
				k.secretFile(c.Value, values)
			}
		}
	}
	k.secrets = append(k.secrets, map[string]any{"apiVersion": "v1", "kind": "Secret", "stringData": values})
}

// secretFile adds the content of a generator's file, as a whole and by its lines,
// since the error about an env file quotes a line.
func (k kustomization) secretFile(entry string, values map[string]any) {
	if _, path, keyed := strings.Cut(entry, "="); keyed {
		entry = path
	}
	data, err := os.ReadFile(k.join(entry))
	if entry == "" || err != nil {
		return
	}
	values[fmt.Sprint(len(values))] = string(data)
	for line := range strings.Lines(string(data)) {
		values[fmt.Sprint(len(values))] = strings.TrimSpace(line)
		_, value, _ := strings.Cut(line, "=")
		values[fmt.Sprint(len(values))] = strings.TrimSpace(value)
	}
}

// origin is where an object of kustomize's output was written: the source of the
// same kind whose name is in the object's name, the longest if there are several,
// since kustomize adds to names. Objects of generators, and those that can't be
// told apart, get the kustomization.
func (r *reading) origin(o object.Object) object.Origin {
	var best object.Object
	equals := 0
	for _, s := range r.sources {
		if s.Ref().GroupKind() != o.Ref().GroupKind() || !strings.Contains(o.Name(), s.Name()) {
			continue
		}
		switch length := len(s.Name()); {
		case equals == 0 || length > len(best.Name()):
			best, equals = s, 1
		case length == len(best.Name()):
			equals++
		}
	}
	if equals != 1 {
		return object.Origin{File: r.file}
	}
	return best.Origin
}
