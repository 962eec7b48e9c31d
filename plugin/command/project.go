package command

import (
	"fmt"
	"slices"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

// project names the file among those that use one cluster; empty without a name.
func (s *source) project() string {
	if s == nil || s.file == nil {
		return ""
	}
	return s.file.Tazuna.Spec.Project
}

// namesOrOwns refuses to destroy a record that is none of the file's: one of a manifest
// that the file doesn't name, unless it says itself that it is of the file's project.
func (s *source) namesOrOwns(rec *state.Record) error {
	if s.file == nil || s.project() != "" && s.project() == rec.Project {
		return nil
	}
	if slices.ContainsFunc(s.file.Tazuna.Spec.Manifests, func(m config.Manifest) bool { return m.Name == rec.Manifest }) {
		return nil
	}
	whose := "and its record is of no project"
	if rec.Project != "" {
		whose = "and its record is of project " + rec.Project
	}
	return exit(ExitRefused, fmt.Errorf("%s doesn't name manifest %s, %s: it may be another file's. Nothing was deleted. "+
		"destroy --manifest %s deletes it by its record alone in a directory without a %s, and without -f", s.file.Path, rec.Manifest, whose, rec.Manifest, defaultFile))
}

// ofProject refuses a record that another file's project has: what it lists would look
// left over here.
func (s *source) ofProject(rec *state.Record) error {
	if s.project() == "" || rec.Project == "" || rec.Project == s.project() {
		return nil
	}
	return exit(ExitRefused, fmt.Errorf("%s: the record of manifest %s is of project %s, and this file is of project %s: rename the manifest, or if the project has another name now: state migrate --project %s %s",
		s.file.Path, rec.Manifest, rec.Project, s.project(), s.project(), rec.Manifest))
}
