package genesis

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/sync/singleflight"
)

// onePassword asks 1Password's command op. It is safe for concurrent use: each
// item is asked for once.
type onePassword struct {
	run   Command
	calls singleflight.Group

	mu    sync.Mutex
	known map[vaultItem][]opField
}

// vaultItem names an item.
type vaultItem struct{ vault, item string }

// opField is what op says of a field, as far as it is used.
type opField struct {
	ID    string `json:"id"`
	Label string `json:"label"`
	Value string `json:"value"`
}

// Check implements Provider.
func (o *onePassword) Check(s Source) error {
	_, err := parseURI(s.URI)
	return err
}

// Fetch implements Provider.
func (o *onePassword) Fetch(ctx context.Context, s Source) (Fields, error) {
	of, err := parseURI(s.URI)
	if err != nil {
		return Fields{}, err
	}
	return o.fields(ctx, of, s.PreferLabel)
}

// parseURI reads op://HOST/VAULT/ITEM. The host is for people: op knows its
// account itself. op's own form without it would be read as another item.
func parseURI(uri string) (vaultItem, error) {
	wanted := func(reason string) error {
		return fmt.Errorf("uri: %s: wanted op://HOST/VAULT/ITEM, found %q", reason, uri)
	}
	u, err := url.Parse(uri)
	if err != nil {
		return vaultItem{}, wanted("not a URI")
	}
	parts := strings.Split(strings.TrimPrefix(u.Path, "/"), "/")
	switch {
	case uri == "":
		return vaultItem{}, errors.New("uri: missing: wanted op://HOST/VAULT/ITEM")
	case u.Scheme != "op":
		return vaultItem{}, wanted("another scheme")
	case u.Host == "":
		return vaultItem{}, wanted("no host")
	case len(parts) != 2:
		return vaultItem{}, wanted("other parts")
	}
	for _, part := range parts {
		if err := checkWord(part); err != nil {
			return vaultItem{}, wanted(err.Error())
		}
	}
	return vaultItem{vault: parts[0], item: parts[1]}, nil
}

// checkWord holds the name of a vault or item to letters that can't be an option
// of op or lead elsewhere.
func checkWord(word string) error {
	if word == "" {
		return errors.New("an empty name")
	}
	for _, c := range word {
		if !unicode.IsLetter(c) && !unicode.IsNumber(c) && !strings.ContainsRune("_.- ", c) {
			return fmt.Errorf("the character %q in a name", c)
		}
	}
	if strings.HasPrefix(word, "-") {
		return errors.New("a name that begins with '-'")
	}
	return nil
}

// fields gives the fields of an item under their ids or labels.
func (o *onePassword) fields(ctx context.Context, of vaultItem, label bool) (Fields, error) {
	for _, word := range []string{of.vault, of.item} {
		if err := checkWord(word); err != nil {
			return Fields{}, fmt.Errorf("item %q of vault %q: %w", of.item, of.vault, err)
		}
	}
	item, err := o.item(ctx, of)
	if err != nil {
		return Fields{}, fmt.Errorf("item %q of vault %q: %w", of.item, of.vault, err)
	}
	out := Fields{Values: Values{}}
	for _, f := range item {
		name := f.ID
		if label {
			name = f.Label
		}
		if _, twice := out.Values[name]; twice && !slices.Contains(out.Ambiguous, name) {
			out.Ambiguous = append(out.Ambiguous, name)
		}
		out.Values[name] = f.Value
	}
	return out, nil
}

// item asks for an item unless it is known. A failure is not kept.
func (o *onePassword) item(ctx context.Context, of vaultItem) ([]opField, error) {
	// What is known is looked up within the call: one that comes just after another
	// has ended must find what that brought.
	answer, err, _ := o.calls.Do(of.vault+"/"+of.item, func() (any, error) {
		if fields, known := o.recall(of); known {
			return fields, nil
		}
		fields, err := o.ask(ctx, of)
		if err == nil {
			o.keep(of, fields)
		}
		return fields, err
	})
	if err != nil {
		return nil, err
	}
	fields, _ := answer.([]opField)
	return fields, nil
}

func (o *onePassword) recall(of vaultItem) ([]opField, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	fields, known := o.known[of]
	return fields, known
}

func (o *onePassword) keep(of vaultItem, fields []opField) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.known == nil {
		o.known = map[vaultItem][]opField{}
	}
	o.known[of] = fields
}

func (o *onePassword) ask(ctx context.Context, of vaultItem) ([]opField, error) {
	out, err := o.run(ctx, "op", "--format", "json", "item", "get", "--vault", of.vault, of.item)
	if err != nil {
		return nil, err
	}
	var item struct {
		Fields []opField `json:"fields"`
	}
	if err := json.Unmarshal(out, &item); err != nil {
		return nil, errors.New("the answer of op is no JSON object of an item") // err may quote it
	}
	return item.Fields, nil
}
