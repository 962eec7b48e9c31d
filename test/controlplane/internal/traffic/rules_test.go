package traffic

import (
	"os"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// fired tells on which of n like requests the rules fire.
func fired(t *testing.T, n int, rulesToAdd ...Rule) []int {
	t.Helper()
	var list rules
	for _, rule := range rulesToAdd {
		if _, err := list.add(rule); err != nil {
			t.Fatal(err)
		}
	}
	var on []int
	for i := range n {
		if list.pick(patchOf("c")) != nil {
			on = append(on, i+1)
		}
	}
	return on
}

func TestRuleFires(t *testing.T) {
	tests := map[string]struct {
		rules []Rule
		want  []int
	}{
		"none":               {want: nil},
		"always":             {rules: []Rule{{Cut: true}}, want: []int{1, 2, 3, 4, 5}},
		"so many times":      {rules: []Rule{{Cut: true, Times: 2}}, want: []int{1, 2}},
		"on the nth alone":   {rules: []Rule{{Match: "nth=3", Cut: true}}, want: []int{3}},
		"from the nth on":    {rules: []Rule{{Match: "nth=3", Cut: true, Times: 2}}, want: []int{3, 4}},
		"not on others":      {rules: []Rule{{Match: "name=other", Cut: true}}, want: nil},
		"each counts itself": {rules: []Rule{{Match: "nth=2", Cut: true}, {Match: "nth=4", Status: 500}}, want: []int{2, 4}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := fired(t, 5, test.rules...); !slices.Equal(got, test.want) {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

func TestRulesCountAndClear(t *testing.T) {
	var list rules
	for _, rule := range []Rule{{Status: 409, Times: 1}, {Status: 500}} {
		if _, err := list.add(rule); err != nil {
			t.Fatal(err)
		}
	}
	first, second := list.pick(patchOf("c")), list.pick(patchOf("c"))
	if first.Status != 409 || second.Status != 500 {
		t.Errorf("got %d and %d, want the first rule until it is used up", first.Status, second.Status)
	}
	states := list.states()
	if states[0].Matched != 2 || states[0].Fired != 1 || states[1].Matched != 2 || states[1].Fired != 1 {
		t.Errorf("got %+v", states)
	}
	list.clear()
	if list.pick(patchOf("c")) != nil || len(list.states()) != 0 {
		t.Error("rules are left after clear")
	}
}

func TestRuleValidate(t *testing.T) {
	hour := metav1.Duration{Duration: time.Hour}
	tests := map[string]struct {
		rule Rule
		ok   bool
	}{
		"status":               {rule: Rule{Status: 429, RetryAfter: 1}, ok: true},
		"delay alone":          {rule: Rule{Delay: metav1.Duration{Duration: time.Second}}, ok: true},
		"delay and cut":        {rule: Rule{Delay: metav1.Duration{Duration: time.Second}, Cut: true}, ok: true},
		"kill after":           {rule: Rule{KillPID: 4_000_000, When: After}, ok: true},
		"nothing":              {rule: Rule{}},
		"two actions":          {rule: Rule{Status: 500, Cut: true}},
		"strange status":       {rule: Rule{Status: 200}},
		"too long":             {rule: Rule{Delay: hour}},
		"too late":             {rule: Rule{CutIn: hour}},
		"init":                 {rule: Rule{KillPID: 1}},
		"a group of processes": {rule: Rule{KillPID: -5}},
		"itself":               {rule: Rule{KillPID: os.Getpid()}},
		"strange moment":       {rule: Rule{Cut: true, When: "later"}},
		"negative times":       {rule: Rule{Cut: true, Times: -1}},
		"bad match":            {rule: Rule{Cut: true, Match: "x"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if err := test.rule.Validate(); (err == nil) != test.ok {
				t.Errorf("got %v, want ok=%v", err, test.ok)
			}
		})
	}
}

func TestLatencies(t *testing.T) {
	var list latencies
	set := func(agent string, add time.Duration) {
		t.Helper()
		if err := list.set(Latency{UserAgent: agent, Add: metav1.Duration{Duration: add}}); err != nil {
			t.Fatal(err)
		}
	}
	own := &Request{UserAgent: Scheduler + "/v1", Own: true}
	check := func(request *Request, want time.Duration) {
		t.Helper()
		if got := list.of(request); got != want {
			t.Errorf("%s: got %s, want %s", request.UserAgent, got, want)
		}
	}
	check(patchOf("c"), 0)
	set("", 10*time.Millisecond)
	set("tool", 20*time.Millisecond)
	check(patchOf("c"), 20*time.Millisecond)
	check(&Request{UserAgent: "other"}, 10*time.Millisecond)
	check(own, 0)
	set(Scheduler, time.Millisecond)
	check(own, time.Millisecond)
	set("tool", 0)
	check(patchOf("c"), 10*time.Millisecond)
	set("", 0)
	check(own, 0)
	if err := list.set(Latency{Add: metav1.Duration{Duration: time.Hour}}); err == nil {
		t.Error("an hour was taken")
	}
}
