package config

import (
	"errors"
	"io/fs"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// rules reads the files of kapp configuration that a tazuna.yaml names. Their rules
// hold for the whole file, those of an included one too; what is wrong with them
// comes with what is wrong with the tazuna.yaml.
func (d *document) rules(n *yaml.Node, at string) {
	d.list(n, at, func(v *yaml.Node, at string) {
		before := d.Findings()
		path := d.Path(v, at)
		if path == "" || d.Findings() > before {
			return
		}
		data, err := d.loader.options.ReadFile(path)
		var system *fs.PathError
		switch {
		case errors.As(err, &system):
			d.found(v.Line, at, "%s can't be read: %v", path, system.Err)
			return
		case err != nil:
			d.found(v.Line, at, "%s can't be read: %v", path, err)
			return
		}
		found, err := ParseKappConfig(data, path)
		var wrong *Error
		if errors.As(err, &wrong) {
			d.loader.findings = append(d.loader.findings, wrong.Findings...)
			return
		}
		s := &d.loader.file.Tazuna.Spec
		s.Rules = s.Rules.With(found)
	})
}
