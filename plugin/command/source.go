package command

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/build"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

// defaultFile is used when neither -f nor -k is given.
const defaultFile = "tazuna.yaml"

// sourceOptions say what to build: a tazuna.yaml, or plain manifests.
type sourceOptions struct {
	files      []string
	kustomize  string
	recursive  bool
	manifests  []string
	tags       []string
	allowEmpty bool
	// environment, lenient, offline and noCache are for a tazuna.yaml.
	environment      string
	lenient          bool
	offline, noCache bool
	// own, if set, are manifests that a command makes itself; no file is looked at.
	// Where only records are read, their names are those of manifests.
	own  bool
	made []madeManifest
	// remote lets kustomizations fetch.
	remote bool
	// streams is what was read of files that can be read once: standard input, pipes.
	streams map[string][]byte
}

func (o *sourceOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringSliceVarP(&o.files, "filename", "f", nil, "A tazuna.yaml, or files and directories with objects; - is standard input (default ./tazuna.yaml)")
	f.StringVarP(&o.kustomize, "kustomize", "k", "", "A directory with a kustomization")
	f.BoolVarP(&o.recursive, "recursive", "R", false, "Read directories of -f with their subdirectories")
	f.StringSliceVar(&o.manifests, "manifest", nil, "The record's name for plain objects; with a tazuna.yaml, only these manifests")
	f.StringSliceVarP(&o.tags, "tags", "t", nil, "Only manifests with one of these tags")
	f.BoolVar(&o.allowEmpty, "allow-empty", false, "Accept a manifest without objects")
	o.addFileFlags(cmd)
	f.BoolVar(&o.offline, "offline", false, "Fetch nothing: charts and artifacts come from the cache")
	f.BoolVar(&o.remote, "remote-bases", false, "Let kustomizations fetch remote files and bases on every run, with the program git for repositories")
	f.BoolVar(&o.noCache, "no-cache", false, "Fetch charts and artifacts anew, and keep nothing of them")
}

// addFileFlags adds those that say how a tazuna.yaml is read.
func (o *sourceOptions) addFileFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVarP(&o.environment, "environment", "e", "", "The environment: the variable of templates in a tazuna.yaml, and whose contexts may be used")
	f.BoolVar(&o.lenient, "lenient", false, "Make warnings of what only older versions let pass in a tazuna.yaml, such as unknown fields")
}

// source is what to build, before anything of it is built.
type source struct {
	// file is nil for plain objects.
	file *config.File
	// all are the manifests of the invocation; selected tells which of them the
	// run is about. The others are built too, so that an object that moved
	// between manifests is not taken for removed.
	all      []build.Manifest
	selected map[string]bool
	// recorded is false for plain objects without a name for their record.
	recorded bool
	options  sourceOptions
	// client is the cluster that charts are rendered for; nil is none.
	client *cluster.Client
	// records are those of the manifests, as far as they were read; namespaceGiven
	// tells that the user chose another namespace than theirs.
	records        map[string]*state.Record
	namespaceGiven bool
	// unresolved leaves values of generated Secrets out.
	unresolved bool
	// unbuilt are the manifests that don't build and that the run is not about.
	unbuilt []string
}

// read finds out what the flags mean.
func (o *sourceOptions) read(env *Env) (*source, error) {
	if o.offline && o.noCache {
		return nil, errors.New("--offline and --no-cache can't be used together: nothing would be found")
	}
	if o.offline && o.remote {
		return nil, errors.New("--offline and --remote-bases can't be used together: what kustomize fetches is not cached")
	}
	s, err := o.find(env)
	if err != nil {
		return nil, err
	}
	s.options = *o
	return s, nil
}

// madeManifest is objects that a command makes itself, to be applied under one record.
type madeManifest struct {
	name string
	// origin is what messages call them.
	origin string
	yaml   []byte
}

// ownManifests are those that a command makes itself.
func (o *sourceOptions) ownManifests() *source {
	s := &source{selected: map[string]bool{}, recorded: true}
	for _, m := range o.made {
		s.selected[m.name] = true
		s.all = append(s.all, build.Manifest{
			Name: m.name, Type: "yaml", Path: m.origin, Inline: bytes.NewReader(m.yaml),
			DefaultNamespace: "default", // all have one; without this, that of the context would be recorded
		})
	}
	return s
}

// find finds the files.
func (o *sourceOptions) find(env *Env) (*source, error) {
	if o.own {
		return o.ownManifests(), nil
	}
	if len(o.files) > 0 && o.kustomize != "" {
		return nil, errors.New("-f and -k can't be used together")
	}
	if o.kustomize != "" {
		return o.plain(build.Manifest{Type: "kustomize", Path: o.kustomize}, nil)
	}
	if len(o.files) == 0 {
		if _, err := os.Stat(defaultFile); err != nil {
			return nil, fmt.Errorf("nothing to work on: no -f or -k is given and there is no ./%s", defaultFile)
		}
		return o.tazunaFile(env, defaultFile)
	}
	if len(o.files) == 1 && !isStream(o.files[0]) {
		is, err := isTazunaFile(o.files[0])
		if err != nil {
			return nil, err
		}
		if is {
			return o.tazunaFile(env, o.files[0])
		}
	}
	return o.plainFiles(env)
}

// isTazunaFile looks into a file; a directory with a tazuna.yaml is not one.
func isTazunaFile(path string) (bool, error) {
	info, err := os.Stat(path)
	if err != nil {
		return false, fmt.Errorf("read -f %s: %w", path, err)
	}
	if info.IsDir() {
		return false, nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return false, fmt.Errorf("read -f %s: %w", path, err)
	}
	return config.IsTazunaFile(data), nil
}

func (o *sourceOptions) tazunaFile(env *Env, path string) (*source, error) {
	file, err := config.Load(path, config.LoadOptions{
		Version: env.Version, Environment: o.environment, Lenient: o.lenient, Types: build.ConfigTypes(),
	})
	if err != nil {
		return nil, lenientHint(err)
	}
	env.warnOfFile(file)
	picked, err := file.Select(o.manifests, o.tags)
	if err != nil {
		return nil, err
	}
	s := &source{file: file, selected: map[string]bool{}, recorded: true}
	for _, m := range picked {
		s.selected[m.Name] = true
	}
	for _, m := range file.Tazuna.Spec.Manifests {
		b := build.FromConfig(m)
		b.AllowEmpty = o.allowEmpty
		s.all = append(s.all, b)
	}
	return s, nil
}

// stream is the content of standard input or of a pipe, as a shell makes of <(…). It is
// kept, since a plan may have to be made again and it can be read once.
func (o *sourceOptions) stream(env *Env, path string) ([]byte, error) {
	if data, ok := o.streams[path]; ok {
		return data, nil
	}
	var data []byte
	var err error
	if path == "-" {
		data, err = io.ReadAll(env.In)
	} else {
		data, err = os.ReadFile(path)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", streamName(path), err)
	}
	if o.streams == nil {
		o.streams = map[string][]byte{}
	}
	o.streams[path] = data
	return data, nil
}

func streamName(path string) string {
	if path == "-" {
		return "standard input"
	}
	return path
}

// isStream tells what can be read once.
func isStream(path string) bool {
	if path == "-" {
		return true
	}
	info, err := os.Stat(path)
	return err == nil && !info.IsDir() && !info.Mode().IsRegular()
}

// plainFiles makes one manifest of all files of the command line.
func (o *sourceOptions) plainFiles(env *Env) (*source, error) {
	var parts []build.Manifest
	for _, path := range o.files {
		m := build.Manifest{Type: "yaml", Path: path, Recursive: o.recursive}
		if isStream(path) {
			data, err := o.stream(env, path)
			if err != nil {
				return nil, err
			}
			m.Path, m.Inline = streamName(path), bytes.NewReader(data)
		} else {
			m.Path = filepath.Clean(path)
		}
		parts = append(parts, m)
	}
	return o.plain(parts[0], parts[1:])
}

func (o *sourceOptions) plain(first build.Manifest, rest []build.Manifest) (*source, error) {
	if len(o.tags) > 0 {
		return nil, errors.New("--tags selects manifests of a tazuna.yaml and means nothing for plain objects")
	}
	if len(o.manifests) > 1 {
		return nil, errors.New("plain objects have one record: give one --manifest")
	}
	s := &source{selected: map[string]bool{}}
	if len(o.manifests) == 1 {
		s.recorded = true
		first.Name = o.manifests[0]
		if err := config.CheckName(first.Name); err != nil {
			return nil, err
		}
	}
	s.selected[first.Name] = true
	for _, m := range append([]build.Manifest{first}, rest...) {
		m.Name, m.AllowEmpty = first.Name, o.allowEmpty
		s.all = append(s.all, m)
	}
	return s, nil
}

// needRecord refuses plain objects without a name where a record is written.
func (s *source) needRecord() error {
	if s.recorded {
		return nil
	}
	return errors.New("plain objects need --manifest NAME: the name of the record in the cluster that says what was applied")
}
