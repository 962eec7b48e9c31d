package command

import (
	"fmt"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

// project names the file among those that use one cluster; empty without a name.
func (s *source) project() string {
	if s == nil || s.file == nil {
		return ""
	}
	return s.file.Tazuna.Spec.Project
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
