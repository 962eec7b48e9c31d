package genesis

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// managedLabel is on the outputs of exported Secrets, as the original tool has it.
const managedLabel = "tazuna.pepabo.com/managed-by"

// Exporter puts values of live Secrets into items of 1Password, an item a Secret, and
// describes how to make the Secrets of them again. Existing items are never changed.
type Exporter struct {
	// Run starts op; values go to its standard input only.
	Run CommandInput
	// Host and Vault are for the addresses of the items, Note is the text of new ones.
	Host, Vault, Note string
}

// Export is one Secret on its way into an item.
type Export struct {
	// Title is NAMESPACE.NAME: a namespace has no dot, so no two Secrets share it.
	Title string
	// File is the GenesisSecret, without any value.
	File []byte
	// Exists tells that the vault has an item of the title already.
	Exists bool

	values Values
}

// Prepare describes a live Secret. titles are those that Titles returned. The error
// says why the Secret can't be exported, and holds no value.
func (e *Exporter) Prepare(secret map[string]any, titles map[string]int) (Export, error) {
	o := object.Object{Body: secret}
	out := Export{Title: o.Namespace() + "." + o.Name(), values: Values{}}
	data, _ := secret["data"].(map[string]any)
	if len(data) == 0 {
		return out, errors.New("it has no values")
	}
	for key, value := range data {
		text, _ := value.(string)
		raw, err := base64.StdEncoding.DecodeString(text)
		if err != nil || !utf8.Valid(raw) || strings.ContainsRune(string(raw), 0) {
			return out, fmt.Errorf("the value of %q is binary: an item holds text", key)
		}
		out.values[key] = string(raw)
	}
	switch count := titles[out.Title]; {
	case count > 1:
		return out, fmt.Errorf("vault %s has %d items of the title %q", e.Vault, count, out.Title)
	default:
		out.Exists = count == 1
	}
	var err error
	out.File, err = e.describe(o, out)
	return out, err
}

// describe writes the GenesisSecret and reads it again, so that what is written works.
func (e *Exporter) describe(o object.Object, out Export) ([]byte, error) {
	items := map[string]any{}
	for key := range out.values {
		items[key] = map[string]any{"mapTo": key}
	}
	secretType, _ := o.Body["type"].(string)
	if secretType == "" {
		secretType = opaque
	}
	labels := map[string]any{}
	for key, value := range o.Unstructured().GetLabels() {
		if key != applySetLabel {
			labels[key] = value
		}
	}
	labels[managedLabel] = "tazuna"
	text, err := object.EncodeYAML(map[string]any{
		"apiVersion": config.APIVersion, "kind": "GenesisSecret",
		"spec": map[string]any{
			"provider": config.DefaultProvider,
			"secrets": []any{map[string]any{
				"uri": "op://" + e.Host + "/" + e.Vault + "/" + out.Title, "preferLabel": true, "items": items,
			}},
			"outputs": []any{map[string]any{"kubernetesSecret": map[string]any{
				"namespace": o.Namespace(), "name": o.Name(), "type": secretType, "labels": labels,
			}}},
		},
	})
	if err != nil {
		return nil, err
	}
	s, _, err := Parse(text, out.Title+".yaml", false)
	if err != nil {
		return nil, err
	}
	return text, (&onePassword{}).Check(s.Sources[0])
}

// applySetLabel names the record of an object; a new one gets its own.
const applySetLabel = "applyset.kubernetes.io/part-of"

// Titles counts the items of the vault by title.
func (e *Exporter) Titles(ctx context.Context) (map[string]int, error) {
	if err := checkWord(e.Vault); err != nil {
		return nil, fmt.Errorf("vault %q: %w", e.Vault, err)
	}
	answer, err := e.Run(ctx, nil, "op", "--format", "json", "item", "list", "--vault", e.Vault)
	if err != nil {
		return nil, fmt.Errorf("list the items of vault %s: %w", e.Vault, err)
	}
	var items []struct {
		Title string `json:"title"`
	}
	if err := json.Unmarshal(answer, &items); err != nil {
		return nil, fmt.Errorf("list the items of vault %s: the answer of op is no JSON list of items", e.Vault)
	}
	titles := map[string]int{}
	for _, i := range items {
		titles[i.Title]++
	}
	return titles, nil
}

// Store makes the item, unless there is one, and reads it to see that each value is
// found again. What differs is named by its keys.
func (e *Exporter) Store(ctx context.Context, x Export) error {
	if !x.Exists {
		if err := e.create(ctx, x); err != nil {
			return fmt.Errorf("make the item %q in vault %s: %w", x.Title, e.Vault, err)
		}
	}
	op := &onePassword{run: func(ctx context.Context, name string, args ...string) ([]byte, error) {
		return e.Run(ctx, nil, name, args...)
	}}
	fields, err := op.fields(ctx, vaultItem{vault: e.Vault, item: x.Title}, true)
	if err != nil {
		return err
	}
	var wrong []string
	for _, key := range slices.Sorted(maps.Keys(x.values)) {
		if have, ok := fields.Values[key]; !ok || have != x.values[key] || slices.Contains(fields.Ambiguous, key) {
			wrong = append(wrong, key)
		}
	}
	if len(wrong) > 0 {
		return fmt.Errorf("item %q of vault %s has other values than the Secret, or several fields, for %s", x.Title, e.Vault, strings.Join(wrong, ", "))
	}
	return nil
}

// create makes the item. op's complaint is scrubbed: it was given values.
func (e *Exporter) create(ctx context.Context, x Export) error {
	type field struct {
		ID      string `json:"id"`
		Label   string `json:"label"`
		Type    string `json:"type"`
		Purpose string `json:"purpose,omitempty"`
		Value   string `json:"value"`
	}
	fields := []field{{ID: "notesPlain", Label: "notesPlain", Type: "STRING", Purpose: "NOTES", Value: e.Note}}
	var values []string
	for _, key := range slices.Sorted(maps.Keys(x.values)) {
		fields = append(fields, field{ID: key, Label: key, Type: "CONCEALED", Value: x.values[key]})
		values = append(values, x.values[key])
	}
	item, err := json.Marshal(map[string]any{"title": x.Title, "category": "SECURE_NOTE", "fields": fields})
	if err != nil {
		return errors.New("its values are no JSON")
	}
	if _, err := e.Run(ctx, item, "op", "--format", "json", "item", "create", "--vault", e.Vault, "-"); err != nil {
		return errors.New(scrubbed(err.Error(), values))
	}
	return nil
}

// scrubbed takes values out of a text, the longest first.
func scrubbed(text string, values []string) string {
	slices.SortFunc(values, func(a, b string) int { return len(b) - len(a) })
	for _, value := range values {
		if value = strings.TrimSpace(value); value != "" {
			text = strings.ReplaceAll(text, value, "***")
		}
	}
	return text
}
