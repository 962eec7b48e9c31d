package lint

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/chart"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/binding"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/output"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/render"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/report"
	packageschema "github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/schema"
)

// Inspection is what Inspect needs besides the package.
type Inspection struct {
	// Dir is where the files of the package lie.
	Dir string
	// Findings are those of reading the bundle.
	Findings []bundle.Finding
	// Settings are those of a user; nil: they are guessed.
	Settings map[string]any
	// Loader asks the hooks for their configuration.
	Loader hook.Loader
	// Request says for which instance and platform it is rendered.
	Request render.Request
	// Namespaced tells the scope of a kind, as far as it is known.
	Namespaced func(gk schema.GroupKind) (namespaced, known bool)
}

// Inspect reads, renders and asks all that there is of a package, and tells what it
// finds, sorted. What can't be done is a finding, and what depends on it is left out.
// The error is the end of the context.
func Inspect(ctx context.Context, b *bundle.Bundle, in Inspection) (*report.Findings, error) {
	i := &inspector{in: in, looked: &Package{
		Files: b.FS, Instance: in.Request.Instance.Name, Images: b.Digests, Namespaced: in.Namespaced,
	}}
	i.ofFiles(in.Findings, "package")
	i.render(ctx, b)
	i.hooks(ctx)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	i.found = append(i.found, Check(i.looked)...)
	for n := range i.found {
		i.found[n].Text = object.DefaultMasker().Scrub(i.found[n].Text, i.secrets...)
	}
	return report.NewFindings(b.Definition.Name, i.found), nil
}

// inspector collects findings.
type inspector struct {
	in     Inspection
	looked *Package
	found  []report.Finding
	// secrets are what no text may hold: a template can put a setting anywhere.
	secrets []map[string]any
}

func (i *inspector) add(severity report.Severity, rule, file string, line int, text string) {
	i.found = append(i.found, report.Finding{Severity: severity, Rule: rule, File: file, Line: line, Text: text})
}

// ofFiles takes over findings about files.
func (i *inspector) ofFiles(findings []bundle.Finding, rule string) {
	for _, f := range findings {
		text := f.Text
		if f.Key != "" {
			text = f.Key + ": " + text
		}
		i.add(report.Severity(f.Severity), rule, f.File, f.Line, text)
	}
}

// render makes settings, values and objects.
func (i *inspector) render(ctx context.Context, b *bundle.Bundle) {
	p, findings, err := render.Prepare(ctx, b, render.Inputs{Settings: i.in.Settings, Complete: true})
	i.ofFiles(findings, "schema")
	if bundle.AsError(findings) != nil {
		return // the error is made of them
	}
	if bundle.LeadsOut(err) {
		i.linksOut(b.FS, err)
		return
	}
	if i.lacksFile() {
		return // with what would be made of the rest nothing is wrong
	}
	if err != nil {
		i.failed("settings", err)
		return
	}
	if s := p.Sources.Schemas.Settings; s != nil {
		i.looked.SettingsProperties = s.Properties()
	}
	i.looked.Values = p.Values
	if !p.Guessed {
		i.secretsOf(p)
	}
	if err := p.Sources.Check(ctx, p.Values, packageschema.Check{}); err != nil {
		i.failed("values", err)
	}
	if p.Template == nil || b.Definition.Name == "" {
		return // without the name, what is rendered isn't the package
	}
	rendered, err := p.Render(ctx, i.in.Request)
	if err != nil {
		i.failed("template", err)
		return
	}
	i.looked.Objects = rendered.All()
	for _, w := range rendered.Warnings {
		i.add(report.Warning, "template", inPackage(w.Origin.File), 0, withoutPlace(w))
	}
}

// lacksFile tells whether a file as a whole, other than package.yaml, couldn't be read.
func (i *inspector) lacksFile() bool {
	return slices.ContainsFunc(i.in.Findings, func(f bundle.Finding) bool {
		return f.Severity == bundle.Error && f.Line == 0 && f.Key == "" && f.File != bundle.DefinitionFile
	})
}

// linksOut tells of every link that leads out of the package, besides those that
// are told already, and of hooks and icons, which have rules of their own. err is
// that of the first.
func (i *inspector) linksOut(files fs.FS, err error) {
	var links []string
	walkErr := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name == "hooks" && entry.IsDir():
			return fs.SkipDir
		case entry.Type()&fs.ModeSymlink != 0:
			if _, err := fs.Stat(files, name); bundle.LeadsOut(err) {
				links = append(links, name)
			}
		}
		return nil
	})
	if walkErr != nil || len(links) == 0 {
		i.add(report.Error, "package", "templates", 0, errors.Join(err, walkErr).Error())
	}
	for _, link := range links {
		told := func(f report.Finding) bool { return f.File == link }
		if !isIcon(link) && !slices.ContainsFunc(i.found, told) {
			i.add(report.Error, "package", link, 0, bundle.LinkOut)
		}
	}
}

// secretsOf notes what the schemas mark as secret in settings that somebody gave.
func (i *inspector) secretsOf(p *render.Prepared) {
	for _, s := range []*packageschema.Schema{p.Sources.Schemas.Settings, p.Sources.Schemas.Values} {
		if s == nil {
			continue
		}
		for _, value := range s.Secrets(p.Settings) {
			i.secrets = append(i.secrets, output.SecretOf(value))
		}
	}
}

// failed takes an error apart into the places that it names.
func (i *inspector) failed(rule string, err error) {
	var invalid *packageschema.InvalidError
	var template *chart.TemplateError
	var objects *chart.OutputError
	switch {
	case errors.As(err, &invalid):
		for _, f := range invalid.Faults {
			i.add(report.Error, rule, f.File, f.Line, strings.TrimPrefix(f.Path+": "+f.Text, ": "))
		}
	case errors.As(err, &template) && template.File != "":
		i.add(report.Error, rule, inPackage(template.File), template.Line, template.Text)
	case errors.As(err, &objects):
		for _, f := range objects.Findings {
			i.add(report.Error, rule, inPackage(f.Origin.File), 0, outputText(f))
		}
	default:
		i.add(report.Error, rule, "templates", 0, err.Error())
	}
}

// outputText tells document and line in the text: they are of the output and not of
// the file.
func outputText(f object.Finding) string {
	origin := f.Origin
	origin.File = "its output"
	f.Origin = origin
	return f.String()
}

func withoutPlace(w object.Warning) string {
	w.Origin = object.Origin{}
	return w.String()
}

// inPackage takes the name of the chart off a path of Helm's.
func inPackage(file string) string {
	if _, inside, ok := strings.Cut(file, "/"); ok {
		return inside
	}
	return file
}

// hooks loads the hooks.
func (i *inspector) hooks(ctx context.Context) {
	set, err := i.in.Loader.Load(ctx, i.in.Dir)
	var load *hook.LoadError
	switch {
	case errors.As(err, &load):
		for _, f := range load.Failures {
			i.hookFailed(f)
		}
	case err != nil:
		i.add(report.Error, "hooks", "hooks", 0, err.Error())
	}
	if set == nil {
		return
	}
	for _, w := range set.Warnings {
		file, text, _ := strings.Cut(w, ": ")
		i.add(report.Warning, "hooks", file, 0, text)
	}
}

func (i *inspector) hookFailed(f hook.LoadFailure) {
	var config *binding.Error
	var failed *hook.Error
	switch {
	case errors.As(f.Err, &config):
		for _, finding := range config.Findings {
			i.add(report.Error, "hooks", f.File, 0, finding.String())
		}
	case errors.As(f.Err, &failed):
		text := failed.Err.Error()
		if failed.Doing != "" {
			text = failed.Doing + ": " + text
		}
		if failed.Stderr != "" {
			text += "\n" + failed.Stderr
		}
		i.add(report.Error, "hooks", f.File, 0, text)
	default:
		i.add(report.Error, "hooks", f.File, 0, f.Err.Error())
	}
}
