package scan

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle/repository"
)

// Known is what the cluster knows of a repository.
type Known struct {
	// Packages are those of its status.
	Packages []string
	// Versions are those that there are objects of, by package.
	Versions map[string][]string
}

// Version names a version of a package.
type Version struct{ Package, Version string }

// Result is what follows from a scan.
type Result struct {
	// New are versions that there is no object of yet. Present are known ones that
	// are there, Gone known ones that are not: only a full scan knows those.
	New, Present, Gone []Version
	// Packages are all that are known now.
	Packages []api.PackageInfo
	// Channels are versions by release channel, of each package whose channels could
	// be read.
	Channels map[string]map[string]string
	// Report is what the operation tells.
	Report api.OperationPackages
}

// Decide says what follows from what was found.
func Decide(known Known, found Found, full bool) Result {
	d := &decision{known: known, full: full, seen: map[string]bool{}}
	d.Channels = map[string]map[string]string{}
	names := []string{}
	for _, p := range found.Packages {
		names = append(names, p.Name)
		d.of(p)
	}
	for _, i := range found.Ignored {
		d.fail("", api.VersionError{Version: i.Tag, Message: i.Reason})
	}
	if full {
		d.gone()
	}
	all := repository.Merge(known.Packages, names, full)
	for _, name := range all {
		d.Packages = append(d.Packages, api.PackageInfo{Name: name, Type: bundle.TypeApplication})
	}
	for _, name := range names {
		d.Report.Discovered = append(d.Report.Discovered, api.PackageInfo{Name: name, Type: bundle.TypeApplication})
	}
	d.Report.Total, d.Report.NewVersionsOverall = len(names), len(d.New)
	d.cut()
	return d.Result
}

type decision struct {
	Result
	known Known
	full  bool
	// seen are packages that were listed, or that couldn't be.
	seen map[string]bool
}

// of takes one package in.
func (d *decision) of(p PackageFound) {
	d.seen[p.Name] = true
	d.Report.ProcessedOverall++
	known := d.known.Versions[p.Name]
	if p.Err != nil && (d.full || len(known) == 0 || !errors.Is(p.Err, repository.ErrNoVersions)) {
		d.fail(p.Name, append([]api.VersionError{{Message: p.Err.Error()}}, ignored(p.Versions)...)...)
		return
	}
	fresh := 0
	for _, version := range p.Versions.Names {
		if slices.Contains(known, version) {
			d.Present = append(d.Present, Version{p.Name, version})
			continue
		}
		d.New = append(d.New, Version{p.Name, version})
		fresh++
	}
	if d.full {
		for _, version := range known {
			if !slices.Contains(p.Versions.Names, version) {
				d.Gone = append(d.Gone, Version{p.Name, version})
			}
		}
	}
	d.Report.Processed = append(d.Report.Processed, api.ProcessedPackage{
		Name: p.Name, Type: bundle.TypeApplication, FoundVersions: len(p.Versions.Names), NewVersions: fresh,
	})
	d.notes(p)
}

// notes are faults that leave a package processed: tags that are ignored, channels that
// can't be read.
func (d *decision) notes(p PackageFound) {
	faults := ignored(p.Versions)
	if p.ChannelsErr != nil {
		faults = append(faults, api.VersionError{Version: "release-channel", Message: p.ChannelsErr.Error()})
	} else if len(p.Channels) > 0 {
		d.Channels[p.Name] = maps.Clone(p.Channels)
	}
	if len(faults) > 0 {
		d.fail(p.Name, faults...)
	}
}

// A report is the status of an object, so it names some of very many faults only.
const (
	// mostFaults is how many are named of a package, mostFailed of how many packages.
	mostFaults, mostFailed = 10, 50
	// longestFault bounds each text, in bytes.
	longestFault = 512
)

func (d *decision) fail(name string, faults ...api.VersionError) {
	if name == "" {
		name = "(repository)"
	}
	last := len(d.Report.Failed) - 1
	if last >= 0 && d.Report.Failed[last].Name == name {
		faults = append(d.Report.Failed[last].Errors, faults...)
	} else {
		d.Report.Failed = append(d.Report.Failed, api.FailedPackage{Name: name})
		last++
	}
	if len(faults) > mostFaults {
		faults = append(slices.Clone(faults[:mostFaults-1]), api.VersionError{Message: "and more, which are not listed"})
	}
	for i := range faults {
		if text := faults[i].Message; len(text) > longestFault {
			faults[i].Message = strings.ToValidUTF8(text[:longestFault], "") + "…"
		}
	}
	d.Report.Failed[last].Errors = faults
}

// cut leaves out of a report what it has no room for: first of all packages that were
// processed in spite of their faults.
func (d *decision) cut() {
	if len(d.Report.Failed) <= mostFailed {
		return
	}
	broken := map[string]bool{}
	for _, f := range d.Broken() {
		broken[f.Name] = true
	}
	slices.SortStableFunc(d.Report.Failed, func(a, b api.FailedPackage) int {
		switch {
		case broken[a.Name] == broken[b.Name]:
			return 0
		case broken[a.Name]:
			return -1
		}
		return 1
	})
	d.Report.Failed = d.Report.Failed[:mostFailed]
}

// gone finds packages that aren't listed any more.
func (d *decision) gone() {
	for _, name := range slices.Sorted(maps.Keys(d.known.Versions)) {
		if d.seen[name] {
			continue
		}
		for _, version := range d.known.Versions[name] {
			d.Gone = append(d.Gone, Version{name, version})
		}
	}
}

func ignored(o repository.Offer) []api.VersionError {
	var all []api.VersionError
	for _, i := range o.Ignored {
		all = append(all, api.VersionError{Version: i.Tag, Message: "ignored: " + i.Reason})
	}
	return all
}

// Refuse takes back new versions that there can be no object of, with why.
func (r *Result) Refuse(versions map[Version]string) {
	if len(versions) == 0 {
		return
	}
	d := &decision{Result: *r}
	for _, v := range r.New {
		if why, ok := versions[v]; ok {
			d.fail(v.Package, api.VersionError{Version: v.Version, Message: why})
		}
	}
	d.New = slices.DeleteFunc(slices.Clone(r.New), func(v Version) bool { _, ok := versions[v]; return ok })
	d.Report.NewVersionsOverall = len(d.New)
	for i := range d.Report.Processed {
		p := &d.Report.Processed[i]
		for v := range versions {
			if v.Package == p.Name {
				p.NewVersions--
			}
		}
	}
	d.cut()
	*r = d.Result
}

// Broken are packages without which the scan didn't go well: those that could not be
// processed.
func (r Result) Broken() []api.FailedPackage {
	processed := map[string]bool{"(repository)": true}
	for _, p := range r.Report.Processed {
		processed[p.Name] = true
	}
	var broken []api.FailedPackage
	for _, f := range r.Report.Failed {
		if !processed[f.Name] {
			broken = append(broken, f)
		}
	}
	return broken
}
