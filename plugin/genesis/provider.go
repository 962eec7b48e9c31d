package genesis

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
)

// Provider gives the fields of items.
type Provider interface {
	// Check says what is wrong with a source without asking for its values.
	Check(s Source) error
	// Fetch gives the fields of the source's item. No error holds a value.
	Fetch(ctx context.Context, s Source) (Fields, error)
}

// Fields are the fields of an item by the name that the source uses. A name that
// several fields have is in Ambiguous and has no value.
type Fields struct {
	Values    Values
	Ambiguous []string
}

// Providers are the sources of values by name.
type Providers struct {
	named map[string]Provider
	op    *onePassword
}

// NewProviders makes the declared providers and the one that is always there. run
// starts programs.
func NewProviders(declared []config.Provider, run Command) *Providers {
	op := &onePassword{run: run}
	all := &Providers{op: op, named: map[string]Provider{config.DefaultProvider: op}}
	for _, d := range declared {
		all.named[d.Name] = all.newProvider(d)
	}
	return all
}

func (p *Providers) newProvider(d config.Provider) Provider {
	switch d.Type {
	case config.ProviderEnvFile:
		return envFile{path: d.Path}
	default: // config.ProviderOnePassword: what the file may say was checked
		return p.op
	}
}

// get finds a provider by its name.
func (p *Providers) get(s *Secret) (Provider, error) {
	found, ok := p.named[s.Provider]
	if !ok {
		var names []string
		for name := range p.named {
			names = append(names, name)
		}
		slices.Sort(names)
		return nil, fmt.Errorf("%s: no provider named %q; known: %s", s.Path, s.Provider, strings.Join(names, ", "))
	}
	return found, nil
}

// Check says what is wrong with a file's provider and sources, without asking for
// any value.
func (p *Providers) Check(s *Secret) error {
	provider, err := p.get(s)
	if err != nil {
		return err
	}
	for _, source := range s.Sources {
		if err := provider.Check(source); err != nil {
			return fmt.Errorf("%s:%d: %w", s.Path, source.Line, err)
		}
	}
	return nil
}

// Resolve asks the provider for all values of a file.
func (p *Providers) Resolve(ctx context.Context, s *Secret) (Values, error) {
	if err := p.Check(s); err != nil {
		return nil, err
	}
	provider, err := p.get(s)
	if err != nil {
		return nil, err
	}
	values := Values{}
	for key, value := range s.Static {
		values[key] = value
	}
	for _, source := range s.Sources {
		fields, err := provider.Fetch(ctx, source)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: provider %s: %w", s.Path, source.Line, s.Provider, err)
		}
		if err := take(values, s, source, fields); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// take puts the wanted fields of a source into the values.
func take(values Values, s *Secret, source Source, fields Fields) error {
	for _, item := range source.Items {
		place := fmt.Sprintf("%s:%d: provider %s", s.Path, item.Line, s.Provider)
		value, found := fields.Values[item.Field]
		switch _, static := s.Static[item.MapTo]; {
		case static:
			return fmt.Errorf("%s: key %q is in static too", place, item.MapTo)
		case slices.Contains(fields.Ambiguous, item.Field):
			return fmt.Errorf("%s: %s has several fields named %q: name it by its id", place, named(source), item.Field)
		case !found:
			return fmt.Errorf("%s: %s has no field %q", place, named(source), item.Field)
		}
		values[item.MapTo] = value
	}
	return nil
}

func named(s Source) string {
	if s.URI == "" {
		return "the source"
	}
	return s.URI
}

// OnePasswordField gives one field of an item of 1Password, by its id or, if
// label, by its label.
func (p *Providers) OnePasswordField(ctx context.Context, vault, item, field string, label bool) (string, error) {
	fields, err := p.op.fields(ctx, vaultItem{vault: vault, item: item}, label)
	if err != nil {
		return "", err
	}
	value, found := fields.Values[field]
	switch {
	case slices.Contains(fields.Ambiguous, field):
		return "", fmt.Errorf("item %q of vault %q has several fields named %q", item, vault, field)
	case !found:
		return "", fmt.Errorf("item %q of vault %q has no field %q", item, vault, field)
	}
	return value, nil
}
