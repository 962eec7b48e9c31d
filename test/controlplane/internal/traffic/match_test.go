package traffic

import (
	"testing"
)

func patchOf(name string) *Request {
	return &Request{
		Method: "PATCH", Path: "/api/v1/namespaces/a/configmaps/" + name, Verb: "patch", Resource: "configmaps",
		resource: "configmaps", Namespace: "a", Name: name, UserAgent: "tool/1 (linux)",
	}
}

func TestMatchTakes(t *testing.T) {
	status := &Request{
		Method: "PUT", Verb: "update", Resource: "deployments/status", resource: "deployments", subresource: "status",
		Group: "apps", Namespace: "a", Name: "d", UserAgent: ControllerManager + "/v1", Own: true,
	}
	dry := patchOf("c")
	dry.DryRun = true
	tests := map[string]struct {
		match   string
		request *Request
		want    bool
	}{
		"nothing asked":                 {match: "", request: patchOf("c"), want: true},
		"all fields":                    {match: "verb=patch,group=,resource=configmaps,subresource=,namespace=a,name=c", request: patchOf("c"), want: true},
		"other name":                    {match: "name=d", request: patchOf("c")},
		"name is not a prefix":          {match: "name=c", request: patchOf("cc")},
		"user agent is a prefix":        {match: "user-agent=tool", request: patchOf("c"), want: true},
		"user agent of another":         {match: "user-agent=other", request: patchOf("c")},
		"path is a prefix":              {match: "path=/api/v1/", request: patchOf("c"), want: true},
		"method in any case":            {match: "method=patch", request: patchOf("c"), want: true},
		"writes":                        {match: "writes=true", request: patchOf("c"), want: true},
		"a dry run is no write":         {match: "writes=true", request: dry},
		"dry runs":                      {match: "dry-run=true", request: dry, want: true},
		"components are spared":         {match: "verb=update", request: status},
		"unless named":                  {match: "user-agent=kube-controller-manager,verb=update", request: status, want: true},
		"an empty subresource is asked": {match: "user-agent=kube,subresource=", request: status},
		"the resource alone":            {match: "user-agent=kube,resource=deployments", request: status, want: true},
		"spaces":                        {match: " verb=patch , name=c ", request: patchOf("c"), want: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			match, err := ParseMatch(test.match)
			if err != nil {
				t.Fatal(err)
			}
			if got := match.takes(test.request); got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

func TestParseMatchRefuses(t *testing.T) {
	for _, text := range []string{"verb", "colour=red", "nth=0", "nth=x", "writes=maybe"} {
		if _, err := ParseMatch(text); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
}

func TestMatchString(t *testing.T) {
	match, err := ParseMatch("nth=3,name=,verb=patch")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := match.String(), "verb=patch,name=,nth=3"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
