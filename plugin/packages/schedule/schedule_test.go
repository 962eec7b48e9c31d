package schedule

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle"
)

func constraint(t *testing.T, text string) bundle.Constraint {
	t.Helper()
	c, err := bundle.ParseConstraint(text)
	require.NoError(t, err)
	return c
}

func required(t *testing.T, texts ...string) []bundle.ModuleRequirement {
	t.Helper()
	var all []bundle.ModuleRequirement
	for _, text := range texts {
		name, wanted, _ := strings.Cut(text, " ")
		all = append(all, bundle.ModuleRequirement{Name: name, Constraint: constraint(t, wanted)})
	}
	return all
}

func app(name string, r bundle.Requirements) Node {
	return Node{Kind: Application, Name: name, Version: "v1.0.0", Order: ApplicationOrder, Requirements: r}
}

// up is a scheduler of a cluster that is up, with modules "name" or "name version".
func up(t *testing.T, modules ...string) *Scheduler {
	t.Helper()
	s := New()
	s.SetFacts(Facts{Kubernetes: "v1.37.2", Deckhouse: "v1.70.0", Bootstrapped: true})
	setModules(t, s, modules...)
	s.Resume()
	return s
}

func setModules(t *testing.T, s *Scheduler, modules ...string) []string {
	t.Helper()
	var nodes []Node
	for _, m := range modules {
		name, version, _ := strings.Cut(m, " ")
		nodes = append(nodes, Node{Name: name, Version: version})
	}
	events, err := s.SetModules(nodes)
	require.NoError(t, err)
	return texts(events)
}

func put(t *testing.T, s *Scheduler, n Node) []string {
	t.Helper()
	events, err := s.Put(n)
	require.NoError(t, err)
	return texts(events)
}

// texts writes events short: "schedule ns.a RequirementsMet".
func texts(events []Event) []string {
	var all []string
	for _, e := range events {
		text := string(e.Kind) + " " + e.Name
		switch e.Kind {
		case Decided:
			text += " " + string(e.Decision.Kind)
		case Run, TakeAway:
			text += " " + e.Reason
		}
		all = append(all, text)
	}
	return all
}

// TestP2Requirements: each kind of requirement, held and not, with its reason and
// which, wanted and found in the message.
func TestP2Requirements(t *testing.T) {
	facts := Facts{Kubernetes: "v1.30.2-gke.100", Deckhouse: "v1.70.0", Bootstrapped: true}
	modules := map[string]string{"ingress": "v1.2.0", "dev": "dev", "blank": ""}
	group := func(name string, texts ...string) []bundle.ModuleGroup {
		return []bundle.ModuleGroup{{Name: name, Modules: required(t, texts...)}}
	}
	for name, tt := range map[string]struct {
		r       bundle.Requirements
		reason  string
		message string
	}{
		"nothing":                 {bundle.Requirements{}, "", ""},
		"kubernetes fits":         {bundle.Requirements{Kubernetes: constraint(t, ">= 1.29, < 1.31")}, "", ""},
		"kubernetes":              {bundle.Requirements{Kubernetes: constraint(t, ">= 1.31")}, ReasonKubernetes, "kubernetes: wanted >= 1.31, found v1.30.2-gke.100"},
		"platform fits":           {bundle.Requirements{Deckhouse: constraint(t, ">= 1.60")}, "", ""},
		"platform":                {bundle.Requirements{Deckhouse: constraint(t, ">= 1.71")}, ReasonDeckhouse, "deckhouse: wanted >= 1.71, found v1.70.0"},
		"mandatory fits":          {bundle.Requirements{Mandatory: required(t, "ingress >= 1.2.0")}, "", ""},
		"mandatory, dev":          {bundle.Requirements{Mandatory: required(t, "dev >= 1.9")}, "", ""},
		"mandatory missing":       {bundle.Requirements{Mandatory: required(t, "cert-manager")}, ReasonNotEnabled, "dependency 'cert-manager' not enabled"},
		"mandatory, its range":    {bundle.Requirements{Mandatory: required(t, "cert-manager >= 1")}, ReasonNotEnabled, "dependency 'cert-manager' not enabled (wanted >= 1)"},
		"mandatory, too old":      {bundle.Requirements{Mandatory: required(t, "ingress >= 2")}, ReasonVersionMismatch, "module ingress: wanted >= 2, found v1.2.0"},
		"mandatory, no version":   {bundle.Requirements{Mandatory: required(t, "blank >= 2")}, ReasonVersionMismatch, "module blank: wanted >= 2, found an unknown version"},
		"conditional absent":      {bundle.Requirements{Conditional: required(t, "other >= 9")}, "", ""},
		"conditional, too old":    {bundle.Requirements{Conditional: required(t, "ingress >= 2")}, ReasonVersionMismatch, "module ingress: wanted >= 2, found v1.2.0"},
		"anyOf fits":              {bundle.Requirements{AnyOf: group("net", "x", "ingress >= 1")}, "", ""},
		"anyOf":                   {bundle.Requirements{AnyOf: group("net", "x", "ingress >= 2")}, ReasonAnyOf, `modules of the group "net": wanted one of x, ingress >= 2, found ingress v1.2.0`},
		"noneOf fits":             {bundle.Requirements{NoneOf: group("old", "x", "ingress < 1")}, "", ""},
		"noneOf":                  {bundle.Requirements{NoneOf: group("old", "x", "ingress")}, ReasonNoneOf, `modules of the group "old": wanted none of x, ingress, found ingress v1.2.0`},
		"the first of two counts": {bundle.Requirements{Kubernetes: constraint(t, ">= 9"), Mandatory: required(t, "x")}, ReasonKubernetes, "kubernetes: wanted >= 9, found v1.30.2-gke.100"},
	} {
		t.Run(name, func(t *testing.T) {
			want := Decision{Kind: Enable}
			if tt.reason != "" {
				want = Decision{Forbid, tt.reason, tt.message}
			}
			assert.Equal(t, want, Decide(tt.r, facts, modules))
		})
	}
	facts.Bootstrapped = false
	assert.Equal(t, ReasonBootstrap, Decide(bundle.Requirements{}, facts, nil).Reason)
	assert.Equal(t, ReasonDeckhouse, Decide(bundle.Requirements{Deckhouse: constraint(t, ">= 1")}, Facts{Bootstrapped: true}, nil).Reason,
		"an unknown version meets no constraint")
}

func TestFold(t *testing.T) {
	enable, disable := Decision{Kind: Enable}, Decision{Disable, "d", ""}
	one, two := Decision{Forbid, "1", ""}, Decision{Forbid, "2", ""}
	assert.Equal(t, one, Fold(enable, one, disable, two))
	assert.Equal(t, disable, Fold(enable, disable, Decision{}))
	assert.Equal(t, enable, Fold(disable, enable))
	assert.Equal(t, Decision{}, Fold())
}

func TestLife(t *testing.T) {
	s := up(t)
	shop := app("demo.shop", bundle.Requirements{Mandatory: required(t, "ingress >= 1.2.0")})
	assert.Equal(t, []string{"decided demo.shop forbid", "disable demo.shop DependencyNotEnabled"}, put(t, s, shop))
	assert.Empty(t, setModules(t, s, "ingress v1.1.0")[1:], "only its decision is another")
	assert.Equal(t, []string{"decided demo.shop enable", "schedule demo.shop RequirementsMet"}, setModules(t, s, "ingress v1.2.0"))
	assert.Empty(t, texts(s.Complete("demo.shop")))
	assert.Equal(t, Active, s.Dump().Nodes["demo.shop"].State)
	assert.Empty(t, setModules(t, s, "ingress v1.2.0", "other"), "the same again, and what it doesn't depend on")
	assert.Equal(t, []string{"schedule demo.shop DependencyChanged"}, setModules(t, s, "ingress v1.3.0"))
	s.Complete("demo.shop")
	assert.Equal(t, []string{"decided demo.shop forbid", "disable demo.shop DependencyNotEnabled"}, setModules(t, s), "suspension")
	assert.Empty(t, texts(s.Complete("demo.shop")), "a run that ends after that makes nothing active")
	assert.Equal(t, Idle, s.Dump().Nodes["demo.shop"].State)
	assert.Equal(t, []string{"decided demo.shop enable", "schedule demo.shop RequirementsMet"}, setModules(t, s, "ingress v1.2.0"))
	events, ok := s.Again("demo.shop", "HookValuesChanged")
	assert.True(t, ok)
	assert.Equal(t, []string{"schedule demo.shop HookValuesChanged"}, texts(events))
	assert.Equal(t, []string{"decided demo.shop enable", "schedule demo.shop RequirementsMet"}, put(t, s, shop), "another version begins anew")
	assert.Empty(t, s.Remove("demo.shop"))
	_, ok = s.Again("demo.shop", "x")
	assert.False(t, ok)
	assert.Empty(t, texts(s.Remove(RootName)))
}

func TestPausedUntilEverythingIsThere(t *testing.T) {
	s := New()
	assert.Empty(t, put(t, s, app("ns.a", bundle.Requirements{})))
	assert.Empty(t, put(t, s, app("ns.b", bundle.Requirements{Mandatory: required(t, "m")})))
	assert.Empty(t, setModules(t, s, "m"))
	assert.Empty(t, s.SetFacts(Facts{Bootstrapped: true}))
	assert.Equal(t, []string{
		"decided ns.a enable", "schedule ns.a RequirementsMet", "decided ns.b enable", "schedule ns.b RequirementsMet",
	}, texts(s.Resume()))
	s.Pause()
	assert.Empty(t, setModules(t, s))
	assert.Equal(t, []string{"decided ns.b forbid", "disable ns.b DependencyNotEnabled"}, texts(s.Resume()))
}

func TestP2Bootstrap(t *testing.T) {
	s := New()
	s.Resume()
	assert.Equal(t, []string{"decided ns.a forbid", "disable ns.a RequirementsBootstrap"}, put(t, s, app("ns.a", bundle.Requirements{})))
	assert.Equal(t, []string{"decided ns.a enable", "schedule ns.a RequirementsMet"}, texts(s.SetFacts(Facts{Bootstrapped: true})))
}

// TestComplaint14ApplicationsNeverWaitForEachOther: one that is stuck while it is
// scheduled holds up none, whatever the orders are.
func TestComplaint14ApplicationsNeverWaitForEachOther(t *testing.T) {
	s := up(t)
	events, err := s.SetModules([]Node{{Name: "late", Order: 2000, Version: "v1.0.0"}})
	require.NoError(t, err)
	require.Empty(t, events)
	assert.Contains(t, put(t, s, app("ns.stuck", bundle.Requirements{})), "schedule ns.stuck RequirementsMet")
	assert.Contains(t, put(t, s, app("ns.late", bundle.Requirements{Mandatory: required(t, "late")})), "schedule ns.late RequirementsMet")
	assert.Equal(t, 2000, s.Dump().Nodes["ns.late"].EffectiveOrder)
	assert.Equal(t, ApplicationOrder, s.Dump().Nodes["ns.stuck"].EffectiveOrder)
}

// TestComplaint24CycleIsRefusedWithItsPath, and nothing has changed by it.
func TestComplaint24CycleIsRefusedWithItsPath(t *testing.T) {
	s := up(t)
	module := func(name string, needs ...string) Node {
		return Node{Kind: Module, Name: name, Requirements: bundle.Requirements{Mandatory: required(t, needs...)}}
	}
	put(t, s, module("b", "c"))
	put(t, s, module("c", "a"))
	before := s.Dump()
	_, err := s.Put(module("a", "b"))
	var cycle *CycleError
	require.ErrorAs(t, err, &cycle)
	require.EqualError(t, err, "requirements form a circle: a → b → c → a")
	require.EqualError(t, s.Check(module("a", "a")), "requirements form a circle: a → a")
	assert.Equal(t, before, s.Dump())
	require.NoError(t, s.Check(module("a", "d")))

	_, err = s.SetModules([]Node{module("a", "b"), module("b", "a"), module("d")})
	require.EqualError(t, err, "modules: requirements form a circle: b → a → b")
	assert.Contains(t, s.Dump().Nodes, "d", "the others count")
	const circle = "requirements form a circle: b → a → b"
	assert.Equal(t, Decision{Disable, ReasonModule, circle}, s.Dump().Nodes["b"].Decision, "it is there, and says why it can't be had")
	assert.Equal(t, Decision{Forbid, ReasonNotEnabled, "dependency 'b' not enabled: " + circle}, s.Dump().Nodes["a"].Decision)
	_, err = s.Put(app("demo.shop", bundle.Requirements{Mandatory: required(t, "d", "a")}))
	require.NoError(t, err)
	assert.Equal(t, Decision{Forbid, ReasonNotEnabled, "dependency 'a' not enabled: dependency 'b' not enabled: " + circle}, s.Dump().Nodes["demo.shop"].Decision)
	require.ErrorContains(t, s.Check(app("d", bundle.Requirements{})), "there is a module of that name")
}

// TestCaseA09Graph: a diamond, a circle, and something that isn't there, in ten starts
// and whatever order they come in.
func TestCaseA09Graph(t *testing.T) {
	for seed := range uint64(10) {
		var nodes []Node
		for name, needs := range map[string][]string{
			"a": {"b", "c"}, "b": {"d"}, "c": {"d"}, "d": nil, "x": {"y"}, "y": {"x"}, "lonely": {"not-there"},
		} {
			nodes = append(nodes, Node{Name: name, Version: "v1.0.0", Requirements: bundle.Requirements{Mandatory: required(t, needs...)}})
		}
		rand.New(rand.NewPCG(seed, 2)).Shuffle(len(nodes), func(i, j int) { nodes[i], nodes[j] = nodes[j], nodes[i] })
		s := up(t)
		_, err := s.SetModules(nodes)
		require.EqualError(t, err, "modules: requirements form a circle: y → x → y", "named, and the others count")
		all := s.Dump().Nodes
		for _, name := range []string{"a", "b", "c", "d"} {
			assert.Equal(t, Active, all[name].State, name)
		}
		assert.Equal(t, Decision{Forbid, ReasonNotEnabled, "dependency 'not-there' not enabled"}, all["lonely"].Decision)
		assert.Equal(t, Idle, all["x"].State, "it needs one that was refused")
		events := append(setLater(t, s, nodes), put(t, s, app("ns.top", bundle.Requirements{Mandatory: required(t, "a")}))...)
		assert.Equal(t, []string{"decided ns.top enable", "schedule ns.top RequirementsMet"}, events)
	}
}

// setLater adds what was missing.
func setLater(t *testing.T, s *Scheduler, nodes []Node) []string {
	t.Helper()
	events, err := s.SetModules(append(nodes, Node{Name: "not-there", Version: "v1.0.0"}))
	require.Error(t, err)
	assert.Equal(t, Active, s.Dump().Nodes["lonely"].State)
	return texts(events)
}

func TestModulesOfModules(t *testing.T) {
	s := up(t)
	a := Node{Name: "a", Order: 10, Version: "v1.0.0", Requirements: bundle.Requirements{Mandatory: required(t, "b")}}
	b := Node{Name: "b", Order: 20, Version: "v1.0.0"}
	put(t, s, app("ns.x", bundle.Requirements{Mandatory: required(t, "a")}))
	events, err := s.SetModules([]Node{a, b})
	require.NoError(t, err)
	assert.Equal(t, []string{"decided ns.x enable", "schedule ns.x RequirementsMet"}, texts(events))
	assert.Equal(t, 20, s.Dump().Nodes["a"].EffectiveOrder)
	b.Disabled = "its phase is Downloading, wanted Ready"
	events, err = s.SetModules([]Node{a, b})
	require.NoError(t, err)
	assert.Equal(t, []string{"decided ns.x forbid", "disable ns.x DependencyNotEnabled"}, texts(events))
	assert.Equal(t, Decision{Disable, ReasonModule, b.Disabled}, s.Dump().Nodes["b"].Decision)
	assert.Equal(t, ReasonNotEnabled, s.Dump().Nodes["a"].Decision.Reason)
}

func TestDump(t *testing.T) {
	s := up(t)
	shop := app("demo.shop", bundle.Requirements{
		Mandatory: required(t, "ingress >= 1.2.0"), Conditional: required(t, "monitoring >= 1"),
		AnyOf: []bundle.ModuleGroup{{Name: "g", Modules: required(t, "cilium", "ingress")}},
	})
	shop.Version = "v1.4.0"
	put(t, s, shop)
	text, err := json.Marshal(s.Dump().Nodes["demo.shop"])
	require.NoError(t, err)
	assert.JSONEq(t, `{"version":"v1.4.0","order":999,"effectiveOrder":999,"state":"idle","scheduleReason":"",
		"decision":{"kind":"forbid","reason":"DependencyNotEnabled","message":"dependency 'ingress' not enabled (wanted >= 1.2.0)"},
		"dependencies":{"ingress":{"constraint":">= 1.2.0","optional":false},"monitoring":{"constraint":">= 1","optional":true}},
		"subscriptions":["cilium","ingress","monitoring"],"subscribers":[]}`, string(text))
	setModules(t, s, "ingress v1.2.0", "cilium v1.0.0")
	assert.Equal(t, []string{"demo.shop"}, s.Dump().Nodes["ingress"].Subscribers)
	assert.Equal(t, "RequirementsMet", s.Dump().Nodes["demo.shop"].ScheduleReason)
	facts, modules := s.Facts()
	assert.True(t, facts.Bootstrapped)
	assert.Equal(t, map[string]string{"ingress": "v1.2.0", "cilium": "v1.0.0"}, modules)
}

// TestNeverBothEnabledAndTakenAway walks at random: what events told of an application
// always agrees with its requirements, and one that runs is told to run once per reason.
func TestNeverBothEnabledAndTakenAway(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 1))
		s, told := up(t), map[string]EventKind{}
		take := func(events []Event) {
			for _, e := range events {
				if e.Kind == Decided {
					continue
				}
				if e.Kind == TakeAway {
					assert.NotEqual(t, TakeAway, told[e.Name], "seed %d", seed)
				}
				told[e.Name] = e.Kind
			}
		}
		for i := range 5 {
			events, err := s.Put(app(fmt.Sprintf("ns.a%d", i), bundle.Requirements{Mandatory: required(t, fmt.Sprintf("m%d", i%3))}))
			require.NoError(t, err)
			take(events)
		}
		for range 30 {
			var modules []Node
			for m := range 3 {
				if random.IntN(2) == 0 {
					modules = append(modules, Node{Name: fmt.Sprintf("m%d", m), Version: "v1.0.0"})
				}
			}
			events, err := s.SetModules(modules)
			require.NoError(t, err)
			take(events)
			take(s.Complete(fmt.Sprintf("ns.a%d", random.IntN(5))))
			for name, n := range s.Dump().Nodes {
				if strings.HasPrefix(name, "ns.") {
					assert.Equal(t, n.Decision.Enabled(), told[name] == Run, "seed %d: %s", seed, name)
				}
			}
		}
	}
}
