package registry

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	orasregistry "oras.land/oras-go/v2/registry"
)

// Tags lists the tags of a repository or layout, sorted. A repository that
// doesn't exist is ErrNotFound.
func (c *Client) Tags(ctx context.Context, ref Reference) ([]string, error) {
	tags, err := c.tags(ctx, ref)
	if err != nil {
		return nil, c.fail(ctx, "list tags of", ref, err)
	}
	return tags, nil
}

func (c *Client) tags(ctx context.Context, ref Reference) ([]string, error) {
	if ref.IsLayout() {
		l, err := openLayout(ref.Layout)
		if err != nil {
			return nil, err
		}
		tags := l.tags()
		return tags, errors.Join(check(tags, isName), l.Close())
	}
	repository, err := c.repository(ref)
	if err != nil {
		return nil, err
	}
	var all []string
	err = repository.Tags(ctx, "", func(tags []string) error {
		all = append(all, tags...)
		if limit := c.options.Limits.Tags; len(all) > limit {
			return fmt.Errorf("%w: more than %d tags", ErrTooLarge, limit)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.Sort(all)
	all = slices.Compact(all)
	return all, check(all, isTag)
}

// check refuses names that can't be what they are said to be: others print them.
func check(names []string, good func(string) bool) error {
	for _, name := range names {
		if !good(name) {
			return fmt.Errorf("it lists a tag that is none: %.200q", name)
		}
	}
	return nil
}

// isTag knows the tags of registries.
func isTag(name string) bool {
	return orasregistry.Reference{Reference: name}.ValidateReferenceAsTag() == nil
}

// isName knows the names in layouts, which may have slashes and more.
func isName(name string) bool {
	return !strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsGraphic(r) || unicode.IsSpace(r) })
}
