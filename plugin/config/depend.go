package config

import (
	"slices"
	"strconv"
	"strings"
)

// dependencies checks the names in dependsOn and refuses circles.
func (l *loader) dependencies() {
	if len(l.findings) > 0 {
		return // names may be missing because of them
	}
	known := map[string]*entry{}
	var names []string
	for _, m := range l.manifests {
		known[m.Name] = m
		names = append(names, m.Name)
	}
	for _, m := range l.manifests {
		for _, need := range m.needs {
			l.depend(m, need, known, names)
		}
	}
	if len(l.findings) == 0 {
		l.refuseCircle(known)
	}
}

func (l *loader) depend(m *entry, need needed, known map[string]*entry, names []string) {
	fault := func(text string) {
		l.findings = append(l.findings, m.from.finding(need.line, need.at, "%s", text))
	}
	children, isParallel := l.parallel[need.name]
	switch {
	case need.name == m.Name:
		fault("manifest " + strconv.Quote(m.Name) + " depends on itself")
	case isParallel && need.name != "" && known[need.name] == nil:
		m.DependsOn = append(m.DependsOn, children...)
	case known[need.name] == nil:
		fault("no manifest named " + strconv.Quote(need.name) + didYouMean(need.name, names))
	case !slices.Contains(m.DependsOn, need.name):
		m.DependsOn = append(m.DependsOn, need.name)
	}
}

// refuseCircle looks for manifests that wait for each other.
func (l *loader) refuseCircle(known map[string]*entry) {
	const onTrack, done = 1, 2
	state := map[string]int{}
	var track []string
	var visit func(name string) []string
	visit = func(name string) []string {
		switch state[name] {
		case onTrack:
			return append(slices.Clone(track[slices.Index(track, name):]), name)
		case done:
			return nil
		}
		state[name] = onTrack
		track = append(track, name)
		for _, next := range known[name].DependsOn {
			if circle := visit(next); circle != nil {
				return circle
			}
		}
		state[name] = done
		track = track[:len(track)-1]
		return nil
	}
	for _, m := range l.manifests {
		if circle := visit(m.Name); circle != nil {
			first := known[circle[0]]
			l.findings = append(l.findings, Finding{
				File: first.File, Line: first.Line, Field: first.at + ".dependsOn",
				Text: "these manifests wait for each other in a circle: " + strings.Join(circle, " -> "),
			})
			return
		}
	}
}

// Dependencies gives, by name, the manifests that each manifest waits for. In a
// file without dependsOn a manifest with tests, or one that wants to be waited
// for, holds up those that follow it, as a run in the order of the file would.
func (f *File) Dependencies() map[string][]string {
	all, explicit := map[string][]string{}, false
	for _, m := range f.Tazuna.Spec.Manifests {
		all[m.Name] = m.DependsOn
		explicit = explicit || len(m.DependsOn) > 0
	}
	if explicit {
		return all
	}
	holding := ""
	for _, m := range f.Tazuna.Spec.Manifests {
		if holding != "" {
			all[m.Name] = []string{holding}
		}
		if len(m.Tests) > 0 || m.Wait {
			holding = m.Name
		}
	}
	return all
}
