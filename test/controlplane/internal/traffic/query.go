package traffic

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Filter selects requests. Its zero value takes all of them.
type Filter struct {
	// UserAgent is a prefix.
	UserAgent string
	Verb      string
	// Resource is "deployments", "deployments.apps", "pods/log", "pods/*" (with
	// any subresource or none) or a path such as "/openapi/v3".
	Resource string
	// Writes takes only requests that change the cluster.
	Writes bool
	// Clients leaves out the control plane's own components.
	Clients bool
}

// Snapshot is what the recorder held at one instant.
type Snapshot struct {
	Since    time.Time `json:"since"`
	Dropped  int       `json:"dropped"`
	Requests []Request `json:"requests"`
}

// Count is a number of like requests.
type Count struct {
	Verb      string `json:"verb"`
	Group     string `json:"group,omitempty"`
	Resource  string `json:"resource"`
	UserAgent string `json:"userAgent"`
	DryRun    bool   `json:"dryRun"`
	Count     int    `json:"count"`
}

func (f Filter) takes(r *Request) bool {
	switch {
	case f.Clients && r.Own,
		f.Writes && !r.Write(),
		f.Verb != "" && f.Verb != r.Verb,
		!strings.HasPrefix(r.UserAgent, f.UserAgent):
		return false
	default:
		return f.Resource == "" || takesResource(f.Resource, r)
	}
}

func takesResource(want string, r *Request) bool {
	if strings.HasPrefix(want, "/") {
		return r.Route == want
	}
	want, subresource, _ := strings.Cut(want, "/")
	resource, group, grouped := strings.Cut(want, ".")
	if resource != r.resource || grouped && group != r.Group {
		return false
	}
	return subresource == "*" || subresource == r.subresource
}

// Counts groups the requests and sorts the groups.
func (s Snapshot) Counts() []Count {
	counts := map[Count]int{}
	for i := range s.Requests {
		r := &s.Requests[i]
		counts[Count{
			Verb: r.Verb, Group: r.Group, Resource: cmp.Or(r.Resource, r.Route), UserAgent: r.UserAgent, DryRun: r.DryRun,
		}]++
	}
	groups := make([]Count, 0, len(counts))
	for group, n := range counts {
		group.Count = n
		groups = append(groups, group)
	}
	slices.SortFunc(groups, func(a, b Count) int {
		return cmp.Or(
			cmp.Compare(a.UserAgent, b.UserAgent), cmp.Compare(a.Group, b.Group),
			cmp.Compare(a.Resource, b.Resource), cmp.Compare(a.Verb, b.Verb),
			cmp.Compare(strconv.FormatBool(a.DryRun), strconv.FormatBool(b.DryRun)),
		)
	})
	return groups
}

// Values encodes the filter for the control endpoint.
func (f Filter) Values() url.Values {
	values := url.Values{}
	set := func(key, value string) {
		if value != "" {
			values.Set(key, value)
		}
	}
	set("userAgent", f.UserAgent)
	set("verb", f.Verb)
	set("resource", f.Resource)
	if f.Writes {
		set("writes", "true")
	}
	if f.Clients {
		set("clients", "true")
	}
	return values
}

// ParseFilter is the reverse of Values.
func ParseFilter(values url.Values) Filter {
	return Filter{
		UserAgent: values.Get("userAgent"),
		Verb:      values.Get("verb"),
		Resource:  values.Get("resource"),
		Writes:    values.Get("writes") == "true",
		Clients:   values.Get("clients") == "true",
	}
}
