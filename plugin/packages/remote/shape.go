package remote

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/document"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/report"
)

// This file makes our shapes of what either generation of Deckhouse prints: the same
// keys in the same places, and lists and maps that are empty rather than missing.

// read reads the one document that a command printed; nil is that there is no such
// application.
func read(data []byte) (map[string]any, error) {
	value, err := document.One(data)
	if errors.Is(err, document.ErrEmpty) {
		return nil, nil //nolint:nilnil // the older commands print nothing, the newer null
	}
	if err != nil {
		return nil, fmt.Errorf("its answer can't be read: %w", err)
	}
	found, ok := value.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("its answer can't be read: wanted a map, found %s", document.KindOf(value))
	}
	return found, nil
}

// decode puts a value into a type of ours. Keys may be in another case: an older version
// printed names of Go fields.
func decode[T any](value any) (*T, error) {
	data, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("its answer can't be read: %w", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	into := new(T)
	err = decoder.Decode(into)
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) { // its own text has the value
		return nil, fmt.Errorf("its answer can't be read: %s: wanted %s", kind.Field, kind.Type)
	}
	return into, err
}

// under gives the map below a key that has to be there.
func under(of map[string]any, key string) (map[string]any, error) {
	inner, ok := of[key].(map[string]any)
	if !ok && of[key] != nil || of == nil {
		return nil, fmt.Errorf("its answer can't be read: wanted a map at %s, found %s", key, document.KindOf(of[key]))
	}
	if _, there := of[key]; !there {
		return nil, fmt.Errorf("its answer can't be read: wanted the key %s", key)
	}
	return inner, nil
}

func instancesOf(data []byte) (*report.Instances, error) {
	found, err := read(data)
	if err != nil {
		return nil, err
	}
	apps, err := under(found, "apps")
	if err != nil {
		return nil, err
	}
	all := &report.Instances{Apps: map[string]report.Instance{}}
	for name, value := range apps {
		one, err := instance(value)
		if err != nil {
			return nil, fmt.Errorf("application %s: %w", name, err)
		}
		all.Apps[name] = *one
	}
	return all, nil
}

// instanceOf is nil where there is none.
func instanceOf(data []byte) (*report.Instance, error) {
	found, err := read(data)
	if found == nil || err != nil {
		return nil, err
	}
	return instance(found)
}

func instance(value any) (*report.Instance, error) {
	of, ok := value.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("wanted a map, found %s", document.KindOf(value))
	}
	if definition, ok := of["definition"].(map[string]any); ok {
		of["definition"] = definitionOf(definition)
	}
	i, err := decode[report.Instance](withStatus(of))
	if err != nil {
		return nil, err
	}
	i.Digests, i.Values, i.Status.Settings = filled(i.Digests), filled(i.Values), filled(i.Status.Settings)
	i.Hooks, i.Status.Conditions, i.Status.URLs = listed(i.Hooks), listed(i.Status.Conditions), listed(i.Status.URLs)
	return i, nil
}

func filled[T any](m map[string]T) map[string]T {
	if m == nil {
		return map[string]T{}
	}
	return m
}

func listed[T any](l []T) []T {
	if l == nil {
		return []T{}
	}
	return l
}

// withStatus moves what an older version has beside the name to below "status".
func withStatus(of map[string]any) map[string]any {
	if _, there := of["status"]; there {
		return of
	}
	moved, status := maps.Clone(of), map[string]any{}
	for _, key := range []string{"version", "conditions", "tracking", "settings", "urls"} {
		if value, there := moved[key]; there {
			status[key] = value
			delete(moved, key)
		}
	}
	moved["status"] = status
	return moved
}

// definitionOf writes constraints as texts, where a version has them as in package.yaml.
func definitionOf(definition map[string]any) map[string]any {
	requirements, ok := definition["requirements"].(map[string]any)
	if !ok {
		return definition
	}
	plain := maps.Clone(requirements)
	for key, value := range plain {
		if of, ok := value.(map[string]any); ok && of["constraint"] != nil && key != "modules" {
			plain[key] = of["constraint"]
		}
	}
	if modules, ok := plain["modules"].(map[string]any); ok {
		plain["modules"] = modulesOf(modules)
	}
	definition = maps.Clone(definition)
	definition["requirements"] = plain
	return definition
}

// modulesOf reads modules that an older version has right below "modules" as mandatory.
func modulesOf(modules map[string]any) map[string]any {
	for key, value := range modules {
		if text, ok := value.(string); !ok && value != nil || slices.Contains([]string{"mandatory", "conditional", "anyOf", "noneOf"}, key) && text == "" {
			return modules
		}
	}
	if len(modules) == 0 {
		return modules
	}
	return map[string]any{"mandatory": modules}
}

func queuesOf(data []byte) (*report.Queues, error) {
	found, err := read(data)
	if err != nil {
		return nil, err
	}
	queues, err := under(found, "queues")
	if err != nil {
		return nil, err
	}
	all, err := decode[map[string]report.Queue](queues)
	if err != nil {
		return nil, err
	}
	shown := &report.Queues{Queues: map[string]report.Queue{}}
	for name, q := range *all {
		q.Tasks = listed(q.Tasks)
		q.Length = len(q.Tasks)
		shown.Queues[name] = q
	}
	return shown, nil
}

// snapshotsOf is nil where there is no such application.
func snapshotsOf(data []byte) (*report.Snapshots, error) {
	found, err := read(data)
	if found == nil || err != nil {
		return nil, err
	}
	all, err := decode[report.Snapshots](found)
	if err != nil {
		return nil, err
	}
	for _, bindings := range *all {
		for name, s := range bindings {
			s.Snapshot = listed(s.Snapshot)
			bindings[name] = s
		}
	}
	return all, nil
}

func schedulerOf(data []byte) (*report.Scheduler, error) {
	found, err := read(data)
	if err != nil {
		return nil, err
	}
	nodes, err := under(found, "nodes")
	if err != nil {
		return nil, err
	}
	all := &report.Scheduler{Nodes: map[string]report.Node{}}
	for name, value := range nodes {
		one, err := node(value)
		if err != nil {
			return nil, fmt.Errorf("node %s: %w", name, err)
		}
		all.Nodes[name] = *one
	}
	return all, nil
}

// nodeOf is nil where there is none.
func nodeOf(data []byte) (*report.Node, error) {
	found, err := read(data)
	if found == nil || err != nil {
		return nil, err
	}
	return node(found)
}

// olderNode is what a node had before it had a decision.
type olderNode struct {
	Status *struct {
		Enabled bool   `json:"enabled"`
		Reason  string `json:"reason"`
	} `json:"status"`
	// Followees are what it follows, Followers those that follow it.
	Followees []string `json:"followees"`
	Followers []string `json:"followers"`
}

func node(value any) (*report.Node, error) {
	of, ok := value.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("wanted a map, found %s", document.KindOf(value))
	}
	older, err := decode[olderNode](map[string]any{"status": of["status"], "followees": of["followees"], "followers": of["followers"]})
	if err != nil {
		return nil, err
	}
	n, err := decode[report.Node](of)
	if err != nil {
		return nil, err
	}
	if older.Status != nil {
		n.Decision = report.Decision{Kind: "forbid", Message: older.Status.Reason}
		if older.Status.Enabled {
			n.Decision.Kind = "enable"
		}
	}
	if _, there := of["effectiveOrder"]; !there {
		n.EffectiveOrder = n.Order
	}
	n.Subscriptions, n.Subscribers = sorted(n.Subscriptions, older.Followees), sorted(n.Subscribers, older.Followers)
	n.Dependencies = filled(n.Dependencies)
	return n, nil
}

func sorted(newer, older []string) []string {
	all := listed(slices.Concat(newer, older))
	slices.Sort(all)
	return all
}
