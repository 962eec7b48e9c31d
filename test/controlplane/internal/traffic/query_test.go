package traffic

import (
	"reflect"
	"testing"
)

func recorded(limit int, requests ...*Request) *recorder {
	r := newRecorder(limit)
	for _, request := range requests {
		r.begin(request)
	}
	return r
}

func TestFilter(t *testing.T) {
	log := &Request{Verb: "get", Resource: "pods/log", resource: "pods", subresource: "log", UserAgent: "tool/1"}
	pods := &Request{Verb: "list", Resource: "pods", resource: "pods", UserAgent: "tool/1"}
	metrics := &Request{Verb: "list", Resource: "pods", resource: "pods", Group: "metrics", UserAgent: "tool/2"}
	version := &Request{Verb: "get", Route: "/version", UserAgent: "tool/1"}
	own := &Request{Verb: "create", Resource: "pods", resource: "pods", UserAgent: "kube", Own: true}
	r := recorded(10, log, pods, metrics, version, own)
	tests := map[string]struct {
		filter Filter
		want   int
	}{
		"all":                {filter: Filter{}, want: 5},
		"clients":            {filter: Filter{Clients: true}, want: 4},
		"writes":             {filter: Filter{Writes: true}, want: 1},
		"verb":               {filter: Filter{Verb: "list"}, want: 2},
		"user agent":         {filter: Filter{UserAgent: "tool/1"}, want: 3},
		"resource":           {filter: Filter{Resource: "pods"}, want: 3},
		"subresource":        {filter: Filter{Resource: "pods/log"}, want: 1},
		"any subresource":    {filter: Filter{Resource: "pods/*"}, want: 4},
		"resource of group":  {filter: Filter{Resource: "pods.metrics"}, want: 1},
		"route":              {filter: Filter{Resource: "/version"}, want: 1},
		"route is no prefix": {filter: Filter{Resource: "/ver"}, want: 0},
		"several":            {filter: Filter{Resource: "pods", UserAgent: "tool", Verb: "list"}, want: 2},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := len(r.read(test.filter, false).Requests); got != test.want {
				t.Errorf("got %d, want %d", got, test.want)
			}
			if back := ParseFilter(test.filter.Values()); back != test.filter {
				t.Errorf("got %+v back from its encoding", back)
			}
		})
	}
}

func TestRecorderIsBounded(t *testing.T) {
	r := recorded(3, patchOf("a"), patchOf("b"), patchOf("c"), patchOf("d"), patchOf("e"))
	snapshot := r.read(Filter{}, true)
	var names []string
	for _, request := range snapshot.Requests {
		names = append(names, request.Name)
	}
	if want := []string{"c", "d", "e"}; !reflect.DeepEqual(names, want) || snapshot.Dropped != 2 {
		t.Errorf("got %v and %d dropped, want %v and 2", names, snapshot.Dropped, want)
	}
	r.begin(patchOf("f"))
	if again := r.read(Filter{}, false); len(again.Requests) != 1 || again.Dropped != 0 {
		t.Errorf("after a reset: got %+v", again)
	}
}

func TestCounts(t *testing.T) {
	dry := patchOf("c")
	dry.DryRun = true
	version := &Request{Verb: "get", Route: "/version", UserAgent: "a"}
	got := recorded(10, patchOf("a"), dry, patchOf("b"), version).read(Filter{}, false).Counts()
	agent := patchOf("").UserAgent
	want := []Count{
		{Verb: "get", Resource: "/version", UserAgent: "a", Count: 1},
		{Verb: "patch", Resource: "configmaps", UserAgent: agent, Count: 2},
		{Verb: "patch", Resource: "configmaps", UserAgent: agent, DryRun: true, Count: 1},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
