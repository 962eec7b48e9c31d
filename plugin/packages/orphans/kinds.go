package orphans

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Kind is one item of the list: a kind, and where it is served.
type Kind struct {
	Kind string
	// Group counts only where AnyGroup is false; empty is the core group.
	Group    string
	AnyGroup bool
	Version  string
}

// String gives the item as it was written.
func (k Kind) String() string {
	if k.AnyGroup {
		return k.Kind + " (" + k.Version + " of any group)"
	}
	return k.Kind + " (" + k.Group + "/" + k.Version + ")"
}

// Parse reads the value orphanResources: a list of {kind, version}. A version is
// GROUP/VERSION, or VERSION for every group that serves the kind at it. The error says
// which item is wrong, and why.
func Parse(value any) ([]Kind, error) {
	list, ok := value.([]any)
	if !ok {
		return nil, fmt.Errorf("wanted a list of {kind, version}, found %T", value)
	}
	out := make([]Kind, 0, len(list))
	for i, item := range list {
		fields, ok := item.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("item %d: wanted {kind, version}, found %T", i+1, item)
		}
		kind, _ := fields["kind"].(string)
		version, _ := fields["version"].(string)
		if kind == "" || version == "" {
			return nil, fmt.Errorf("item %d: wanted the texts kind and version", i+1)
		}
		k := Kind{Kind: kind, Version: version, AnyGroup: true}
		if group, rest, qualified := strings.Cut(version, "/"); qualified {
			if group == "" || rest == "" || strings.Contains(rest, "/") {
				return nil, fmt.Errorf("item %d: version: wanted GROUP/VERSION or VERSION, found %q", i+1, version)
			}
			k.Group, k.Version, k.AnyGroup = group, rest, false
		}
		out = append(out, k)
	}
	return out, nil
}

// serves finds the kinds that an item means among what a cluster serves, written as
// GROUP/VERSION/KIND.
func (k Kind) serves(served []string) []schema.GroupVersionKind {
	var out []schema.GroupVersionKind
	for _, s := range served {
		at := strings.LastIndex(s, "/")
		if at < 0 || s[at+1:] != k.Kind {
			continue
		}
		gv, err := schema.ParseGroupVersion(s[:at])
		if err == nil && gv.Version == k.Version && (k.AnyGroup || gv.Group == k.Group) {
			out = append(out, gv.WithKind(k.Kind))
		}
	}
	return out
}

// unknown reports whether the item may be served by what could not be read: groups, or
// group versions.
func (k Kind) unknown(unread []string) bool {
	for _, u := range unread {
		if !k.AnyGroup && (u == k.Group || u == k.Group+"/"+k.Version) {
			return true
		}
	}
	return false
}
