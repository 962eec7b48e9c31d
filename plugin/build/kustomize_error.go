package build

import (
	"errors"
	"regexp"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// explain gives kustomize's error in fewer words, without secrets, and with the
// places of two objects that kustomize found to be the same.
func (r *reading) explain(err error) error {
	text := shorter(r.discreet(err).Error())
	if places := r.places(text); len(places) > 1 {
		text += "; written at " + strings.Join(places, "; and ")
	}
	return errors.New(text)
}

// discreet makes kustomize's errors fit to be shown: they may quote whole
// generator and patch texts, and with them the values of Secrets.
func (r *reading) discreet(err error) error {
	text := regexp.MustCompile("(?s)with config: `.*`").ReplaceAllString(err.Error(), "(config not shown)")
	for _, c := range r.credentials {
		text = strings.ReplaceAll(text, c, "")
	}
	return errors.New(object.Scrub(text, r.secrets...))
}

// shorter takes out what kustomize tells of its attempts: that a directory was no
// file, and that a file it could not use was no directory.
func shorter(text string) string {
	directory := regexp.MustCompile(`accumulation err='accumulating resources from '[^']*': '[^']*' must resolve to a file': `)
	text = directory.ReplaceAllString(text, "")
	file := regexp.MustCompile(`(?s)accumulating resources: accumulation err='accumulating resources from '([^']*)': (.*)': must build at directory: [^\n]*: file is not directory`)
	return file.ReplaceAllString(text, "resource $1: $2")
}

// places are the positions of the object that an error calls registered already:
// "id: Kind.version.group/name.namespace".
func (r *reading) places(text string) []string {
	id := regexp.MustCompile(`already registered id: (\w+)\.\S*/(\S+)\.`).FindStringSubmatch(text)
	if id == nil {
		return nil
	}
	var all []string
	for _, s := range r.sources {
		if s.kind.Kind == id[1] && strings.Contains(id[2], s.name) {
			all = append(all, s.origin.String())
		}
	}
	return all
}
