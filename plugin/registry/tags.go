package registry

import (
	"context"
	"fmt"
	"slices"
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
		return l.tags(), l.Close()
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
	return slices.Compact(all), nil
}
