package config

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Tag is a tag with the names of the manifests that carry it.
type Tag struct {
	// Name is the tag.
	Name string
	// Manifests are in the order of the file.
	Manifests []string
}

// Tags lists the tags of the file by name.
func (f *File) Tags() []Tag {
	var tags []Tag
	for _, m := range f.Tazuna.Spec.Manifests {
		for _, name := range m.Tags {
			i := slices.IndexFunc(tags, func(t Tag) bool { return t.Name == name })
			if i < 0 {
				i, tags = len(tags), append(tags, Tag{Name: name})
			}
			if !slices.Contains(tags[i].Manifests, m.Name) {
				tags[i].Manifests = append(tags[i].Manifests, m.Name)
			}
		}
	}
	slices.SortFunc(tags, func(a, b Tag) int { return strings.Compare(a.Name, b.Name) })
	return tags
}

// Select gives the manifests that have one of the names or one of the tags, in
// the order of the file; all of them if neither is given. A name or tag that the
// file doesn't have is an error: a misspelt one must not look like a run with
// nothing to do.
func (f *File) Select(names, tags []string) ([]Manifest, error) {
	manifests := f.Tazuna.Spec.Manifests
	if len(names) == 0 && len(tags) == 0 {
		return slices.Clone(manifests), nil
	}
	if err := f.checkSelection(names, tags); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(manifests), func(m Manifest) bool {
		tagged := slices.ContainsFunc(m.Tags, func(t string) bool { return slices.Contains(tags, t) })
		return !tagged && !slices.Contains(names, m.Name)
	}), nil
}

func (f *File) checkSelection(names, tags []string) error {
	var knownNames, knownTags []string
	for _, m := range f.Tazuna.Spec.Manifests {
		knownNames = append(knownNames, m.Name)
	}
	for _, t := range f.Tags() {
		knownTags = append(knownTags, t.Name)
	}
	return errors.Join(
		f.allKnown("manifest named", names, knownNames),
		f.allKnown("manifest with tag", tags, knownTags),
	)
}

func (f *File) allKnown(what string, words, known []string) error {
	var all []error
	for _, w := range words {
		if !slices.Contains(known, w) {
			all = append(all, fmt.Errorf("%s: no %s %s%s", f.Path, what, strconv.Quote(w), didYouMean(w, known)))
		}
	}
	return errors.Join(all...)
}
