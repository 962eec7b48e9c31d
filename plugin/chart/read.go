package chart

import (
	"cmp"
	"maps"
	"path"
	"slices"

	helm "helm.sh/helm/v4/pkg/chart/v2"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

const notesFile = "NOTES.txt"

// read makes objects and hooks of what the templates printed, by file.
func (r *Result) read(texts map[string]string, strictKeys bool) error {
	var findings []object.Finding
	var objects []object.Object
	for _, file := range slices.Sorted(maps.Keys(texts)) {
		if isRoots(file) || path.Base(file) == notesFile {
			continue
		}
		for _, d := range documents(file, texts[file]) {
			set, faults := d.load(strictKeys)
			findings = append(findings, faults...)
			objects = append(objects, set.Objects...)
			r.Warnings = append(r.Warnings, set.Warnings...)
		}
	}
	for _, o := range objects {
		hook, isHook, warnings := hookOf(o)
		r.Warnings = append(r.Warnings, warnings...)
		switch {
		case !isHook:
			r.Objects = append(r.Objects, o)
		case len(hook.Events) > 0:
			r.Hooks = append(r.Hooks, hook)
		}
	}
	if len(findings) > 0 {
		return &OutputError{Findings: findings}
	}
	slices.SortStableFunc(r.Objects, compareKinds)
	return nil
}

// readCRDs reads crds/ of the chart and its sub-charts. They are no templates.
func (r *Result) readCRDs(c *helm.Chart) error {
	files := c.CRDObjects()
	slices.SortFunc(files, func(a, b helm.CRD) int { return cmp.Compare(a.Filename, b.Filename) })
	var findings []object.Finding
	for _, f := range files {
		for _, d := range documents(f.Filename, string(f.File.Data)) {
			set, faults := d.load(false)
			findings = append(findings, faults...)
			r.CRDs = append(r.CRDs, set.Objects...)
			r.Warnings = append(r.Warnings, set.Warnings...)
		}
	}
	if len(findings) > 0 {
		return &OutputError{Findings: findings}
	}
	return nil
}
