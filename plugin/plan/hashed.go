package plan

import (
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

// Hashed tells what it can of an object whose record holds nothing but the hash of
// what was applied, as the original tool's does.
type Hashed struct {
	Reader Reader
	Hasher object.Hasher
	// Manager is the field manager that the objects were applied with.
	Manager string
}

// AsApplied reports whether the live object is as it was applied: what the manager,
// and those that are taken over, own of it has the recorded hash. What others changed
// is theirs, so that it wouldn't fit. That it doesn't fit proves nothing: the server
// writes some values in other words. The reason says then what else is known.
func (h Hashed) AsApplied(ctx context.Context, m cluster.Mapping, live *unstructured.Unstructured, e state.Entry) (same bool, reason string, err error) {
	if e.ContentHash == "" {
		return false, "an apply of it was begun, and its end isn't known", nil
	}
	s, err := h.Reader.Schema(ctx, m.GVK)
	if err != nil {
		return false, "", fmt.Errorf("read the schema of kind %s: %w", m.GVK.Kind, err)
	}
	entries, err := owners(live.Object)
	if err != nil {
		return false, "", err
	}
	own := ownership{manager: h.Manager, adopted: adoptedByDefault, entries: entries, puts: m.OnlyPut()}
	for _, candidate := range asBuilt(s, live.Object, own, e.Key) {
		if same, err := h.Hasher.Matches(candidate, e.ContentHash); same && err == nil {
			return true, "", nil
		}
	}
	return false, "the record has only its hash; " + own.writtenSince(), nil
}

// asBuilt are the objects that a build may have had, from what is owned.
func asBuilt(s *cluster.Schema, live map[string]any, own ownership, k state.Key) []map[string]any {
	set := own.wanted()
	if set.Empty() {
		return nil
	}
	owned, _ := extract(s, withoutStatus(comparable(live)), set).(map[string]any)
	body := withKindAndName(owned, live)
	if k.Namespace != "" && mapAt(body, "metadata")["namespace"] == nil {
		body = with(body, fieldpath.MakePathOrDie("metadata", "namespace"), k.Namespace)
	}
	body["apiVersion"] = k.APIVersion()
	all := []map[string]any{body}
	if text := asText(body); text != nil {
		all = append(all, text)
	}
	return all
}

// asText is a Secret with its values in stringData; nil for what isn't one.
func asText(body map[string]any) map[string]any {
	data, _ := body["data"].(map[string]any)
	if !isSecret(body) || len(data) == 0 {
		return nil
	}
	texts := map[string]any{}
	for key, value := range data {
		text, _ := value.(string)
		raw, err := base64.StdEncoding.DecodeString(text)
		if err != nil || !utf8.Valid(raw) {
			return nil
		}
		texts[key] = string(raw)
	}
	out := copyMap(body)
	delete(out, "data")
	out["stringData"] = texts
	return out
}

// mostPaths bounds how many fields a sentence names.
const mostPaths = 3

// writtenSince says which managers wrote the object after ours did, and what.
func (o ownership) writtenSince() string {
	var last time.Time
	for _, e := range o.entries {
		if at := e.author.Time; at != nil && (o.ours(e.author) || o.adopted(e.author)) && at.After(last) {
			last = *at
		}
	}
	var parts []string
	for _, e := range o.entries {
		at := e.author.Time
		if o.ours(e.author) || o.adopted(e.author) || e.author.Subresource != "" || at == nil || at.Before(last) {
			continue
		}
		parts = append(parts, fmt.Sprintf("%s, at or before %s: %s", e.author.Manager, at.Format(time.RFC3339), pathsOf(e.fields)))
	}
	switch {
	case last.IsZero():
		return "nothing of the object says that it was applied by this manager"
	case len(parts) == 0:
		return "nobody else is known to have written it since " + last.Format(time.RFC3339)
	default:
		return "written since by " + strings.Join(parts, "; ")
	}
}

// pathsOf names the first leaves of a set.
func pathsOf(set *fieldpath.Set) string {
	var paths []string
	for p := range set.Leaves().All() {
		paths = append(paths, p.String())
	}
	slices.Sort(paths)
	if more := len(paths) - mostPaths; more > 0 {
		paths = append(paths[:mostPaths], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(paths, ", ")
}
