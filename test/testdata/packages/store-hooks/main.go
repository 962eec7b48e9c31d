// Command store-hooks is the batch binary of the package "store": its hooks, its
// settings check, and the answer to whether it is ready. It is written against the
// protocol of batch hooks alone ("hook list", "hook config", "hook run N", "hook
// check", "hook ready") and uses no library.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
)

// hook is one hook of the binary; its number is its place in hooks.
type hook struct {
	config map[string]any
	run    func(input) error
}

// input is what a hook is told.
type input struct {
	instance  string
	values    map[string]any
	snapshots map[string][]map[string]any
}

func main() {
	if err := answer(os.Args[1:]); err != nil {
		data, _ := json.Marshal(map[string]any{"message": err.Error(), "code": 1})
		fmt.Fprintln(os.Stderr, string(data))
		os.Exit(1)
	}
}

func answer(args []string) error {
	if len(args) < 2 || args[0] != "hook" {
		return errors.New("wanted hook list, config, run, check or ready")
	}
	switch args[1] {
	case "list":
		return list()
	case "config":
		return config()
	case "run":
		return run(args[2:])
	case "check":
		return check()
	case "ready":
		return ready()
	}
	return fmt.Errorf("unknown command %q", args[1])
}

func hooks() []hook {
	return []hook{
		{config: named("batch/state", map[string]any{
			"beforeHelm": 10, "kubernetes": []any{map[string]any{
				"name": "members", "apiVersion": "v1", "kind": "Pod", "queue": "members",
				"labelSelector": map[string]any{"matchLabels": map[string]any{"app.kubernetes.io/name": "store"}},
				"jqFilter":      `{name: .metadata.name, ready: ([.status.conditions[]? | select(.type == "Ready").status] == ["True"])}`,
				"namespace":     map[string]any{"nameSelector": map[string]any{"matchNames": []string{os.Getenv("APPLICATION_NAMESPACE")}}},
			}},
		}), run: state},
		{config: named("batch/backups", map[string]any{
			"schedule": []any{map[string]any{"name": "count", "crontab": "*/10 * * * *", "queue": "members"}},
			"kubernetes": []any{map[string]any{
				"name": "backups", "apiVersion": "batch/v1", "kind": "Job", "executeHookOnEvent": false,
				"labelSelector": map[string]any{"matchLabels": map[string]any{"packages.deckhouse.io/instance": os.Getenv("APPLICATION_NAME")}},
				"jqFilter":      `.status.succeeded // 0`,
			}},
			"settings": map[string]any{"executionMinInterval": "1m", "executionBurst": 1},
		}), run: backups},
		{config: named("batch/farewell", map[string]any{"afterDeleteHelm": 10}), run: farewell},
	}
}

func named(name string, config map[string]any) map[string]any {
	config["configVersion"] = "v1"
	config["metadata"] = map[string]any{"name": name, "path": "hooks"}
	return config
}

func list() error {
	all := hooks()
	fmt.Printf("Found %d items:\n", len(all))
	for i, h := range all {
		fmt.Printf("%d - %s\n", i, h.config["metadata"].(map[string]any)["name"])
	}
	return nil
}

func config() error {
	var configs []map[string]any
	for _, h := range hooks() {
		configs = append(configs, h.config)
	}
	return json.NewEncoder(os.Stdout).Encode(map[string]any{
		"version": "v1", "hooks": configs, "has_settings_check": true,
		"readiness": map[string]any{"configVersion": "v1", "metadata": map[string]any{"name": "ready", "path": "hooks"}},
	})
}

func run(args []string) error {
	if len(args) != 1 {
		return errors.New("wanted hook run NUMBER")
	}
	number, err := strconv.Atoi(args[0])
	if all := hooks(); err == nil && number >= 0 && number < len(all) {
		in, err := read()
		if err != nil {
			return err
		}
		return all[number].run(in)
	}
	return fmt.Errorf("there is no hook %q", args[0])
}

// read reads what the hook is told. All contexts of a run tell of the same
// present, so the snapshots of the last one count.
func read() (input, error) {
	in := input{instance: os.Getenv("APPLICATION_NAME")}
	var contexts []struct {
		Snapshots map[string][]map[string]any
	}
	if err := readJSON("BINDING_CONTEXT_PATH", &contexts); err != nil {
		return in, err
	}
	if len(contexts) > 0 {
		in.snapshots = contexts[len(contexts)-1].Snapshots
	}
	return in, readJSON("VALUES_PATH", &in.values)
}

func readJSON(variable string, into any) error {
	data, err := os.ReadFile(os.Getenv(variable))
	if err != nil {
		return fmt.Errorf("%s: %w", variable, err)
	}
	return json.Unmarshal(data, into)
}

// write appends a document to an output file. One that nobody asked for is left
// out, so that the hook can be run by hand.
func write(variable string, document any) error {
	path := os.Getenv(variable)
	if path == "" {
		return nil
	}
	out, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer out.Close()
	return json.NewEncoder(out).Encode(document)
}

func setValue(path string, value any) error {
	return write("VALUES_JSON_PATCH_PATH", []any{map[string]any{"op": "add", "path": path, "value": value}})
}

// state writes which members are ready: into the values, and into a ConfigMap that
// outlives the release and goes with the Application.
func state(in input) error {
	members := []string{}
	for _, entry := range in.snapshots["members"] {
		pod, _ := entry["filterResult"].(map[string]any)
		if name, _ := pod["name"].(string); pod["ready"] == true {
			members = append(members, name)
		}
	}
	list, _ := json.Marshal(members)
	return errors.Join(
		setValue("/internal/members", members),
		write("KUBERNETES_PATCH_PATH", map[string]any{"operation": "CreateOrUpdate", "object": map[string]any{
			"apiVersion": "v1", "kind": "ConfigMap",
			"metadata": map[string]any{"name": "state", "labels": map[string]any{"packages.deckhouse.io/instance": in.instance}},
			"data":     map[string]any{"members": string(list)},
		}}),
	)
}

// backups counts the Jobs that made one.
func backups(in input) error {
	count := 0
	for _, entry := range in.snapshots["backups"] {
		if succeeded, _ := entry["filterResult"].(float64); succeeded > 0 {
			count++
		}
	}
	return errors.Join(
		setValue("/internal/backups", count),
		write("METRICS_PATH", map[string]any{"name": "store_backups", "group": "backups", "action": "set", "value": count, "labels": map[string]any{}}),
	)
}

// farewell removes what the servers wrote into the namespace.
func farewell(input) error {
	return write("KUBERNETES_PATCH_PATH", map[string]any{
		"operation": "DeleteInBackground", "apiVersion": "v1", "kind": "ConfigMap", "name": "members",
	})
}

// check judges settings beyond what a schema can say. A verdict goes to standard
// error with exit code 1, also one that only remarks on something.
func check() error {
	var settings struct {
		Replicas int
		Backup   struct{ Enabled bool }
	}
	if err := readJSON("SETTINGS_PATH", &settings); err != nil {
		return err
	}
	verdict := map[string]any{"valid": true, "message": "", "warnings": []string{}}
	switch {
	case settings.Replicas > 7:
		verdict = map[string]any{"valid": false, "message": "more than 7 replicas never agree in time"}
	case settings.Replicas == 1 && !settings.Backup.Enabled:
		verdict["warnings"] = []string{"one replica and no backup: a lost volume is lost data"}
	default:
		return nil
	}
	data, err := json.Marshal(verdict)
	if err == nil {
		fmt.Fprintln(os.Stderr, string(data))
		os.Exit(1)
	}
	return err
}

// ready fails until the cluster is made.
func ready() error {
	in, err := read()
	if err != nil {
		return err
	}
	internal, _ := in.values["internal"].(map[string]any)
	if internal["initialised"] != true {
		return errors.New("the cluster is not made yet")
	}
	return nil
}
