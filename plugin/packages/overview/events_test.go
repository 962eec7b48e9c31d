package overview

import (
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/report"
)

// instanceOf is an Application with the objects of its last apply, as KIND, NAME.
func instanceOf(name string, objects ...string) *api.Application {
	a := &api.Application{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if len(objects) > 0 {
		a.Status.Tracking = &api.Tracking{}
	}
	for i := 0; i < len(objects); i += 2 {
		a.Status.Tracking.Report.Operations = append(a.Status.Tracking.Report.Operations, api.Operation{Kind: objects[i], Name: objects[i+1]})
	}
	return a
}

func about(kind, name string) map[string]any {
	return map[string]any{"involvedObject": map[string]any{"kind": kind, "name": name}}
}

// TestEventsOfOneApplication: names of applications may begin alike.
func TestEventsOfOneApplication(t *testing.T) {
	for name, c := range map[string]struct {
		event map[string]any
		all   []*api.Application
		want  string
	}{
		"its own":                             {about("Application", "a"), nil, "a"},
		"of another that begins alike":        {about("Application", "a-x"), nil, "a-x"},
		"its object":                          {about("Deployment", "d8a-a-web"), nil, "a"},
		"an object of another":                {about("Deployment", "d8a-a-x-web"), nil, "a-x"},
		"a Pod of another":                    {about("Pod", "d8a-a-x-web-5d8f-abcde"), nil, "a-x"},
		"an object that only looks like that": {about("Deployment", "d8a-a-x-web"), []*api.Application{instanceOf("a", "Deployment", "d8a-a-x-web"), instanceOf("a-x")}, "a"},
		"a Pod of such an object":             {about("Pod", "d8a-a-x-web-5d8f-abcde"), []*api.Application{instanceOf("a", "Deployment", "d8a-a-x-web"), instanceOf("a-x")}, "a"},
		"both know such objects":              {about("Pod", "d8a-a-x-web-5d8f-abcde"), []*api.Application{instanceOf("a", "Job", "d8a-a-x"), instanceOf("a-x", "Deployment", "d8a-a-x-web")}, "a-x"},
		"an object with a name of its own":    {about("ConfigMap", "plain"), []*api.Application{instanceOf("a", "ConfigMap", "plain"), instanceOf("a-x")}, "a"},
		"of a kind of its own":                {about("Secret", "plain"), []*api.Application{instanceOf("a", "ConfigMap", "plain"), instanceOf("a-x")}, ""},
		"about nobody's":                      {about("Pod", "d8a-b-web"), nil, ""},
		"about nothing":                       {map[string]any{}, []*api.Application{instanceOf("a", "", "main"), instanceOf("a-x")}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if c.all == nil {
				c.all = []*api.Application{instanceOf("a"), instanceOf("a-x")}
			}
			var owners []string
			for _, app := range c.all {
				if len(Events([]map[string]any{c.event}, app, c.all)) > 0 {
					owners = append(owners, app.Name)
				}
			}
			if c.want == "" {
				assert.Empty(t, owners)
				return
			}
			assert.Equal(t, []string{c.want}, owners)
		})
	}
}

func TestEventsAreSortedByTime(t *testing.T) {
	event := func(name, key, at string) map[string]any {
		e := about("Pod", "d8a-a-"+name)
		e[key] = at
		return e
	}
	lines := Events([]map[string]any{
		event("3", "eventTime", "2026-11-29T12:00:00.5Z"), event("2", "lastTimestamp", "2026-11-29T12:00:00Z"),
		event("1", "lastTimestamp", "noon"), event("4", "lastTimestamp", "2026-11-29T14:00:00+01:00"),
	}, instanceOf("a"), nil)
	assert.Equal(t, []report.EventLine{
		{Object: "Pod/d8a-a-1"},
		{Object: "Pod/d8a-a-2", Last: "2026-11-29T12:00:00Z"},
		{Object: "Pod/d8a-a-3", Last: "2026-11-29T12:00:00Z"},
		{Object: "Pod/d8a-a-4", Last: "2026-11-29T13:00:00Z"},
	}, lines)
}
