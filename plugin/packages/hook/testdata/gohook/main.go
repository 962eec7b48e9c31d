// Command gohook is a batch hook binary written against the protocol alone: "hook
// list", "hook config", "hook run N", "hook check", "hook ready". GOHOOK_MODE makes
// it misbehave in the ways that loaders have to notice.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
)

func main() {
	if len(os.Args) < 3 || os.Args[1] != "hook" {
		fail("unknown flag or command")
	}
	mode := os.Getenv("GOHOOK_MODE")
	switch command := os.Args[2]; {
	case mode == "crash":
		fmt.Fprintln(os.Stderr, "panic: the registry is broken")
		os.Exit(2)
	case command == "list":
		list(mode)
	case command == "config":
		config(mode)
	case command == "run" && len(os.Args) == 4:
		number, err := strconv.Atoi(os.Args[3])
		if err == nil {
			err = run(number)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "level=info msg=\"a line of the log\"")
			fail("execute: " + err.Error())
		}
	case command == "check":
		check()
	case command == "ready":
		ready()
	default:
		fail("unknown command " + command)
	}
}

// fail reports an error as the SDK does.
func fail(message string) {
	data, _ := json.Marshal(map[string]any{"message": message, "code": 1})
	fmt.Fprintln(os.Stderr, string(data)+"\n")
	os.Exit(1)
}

func list(mode string) {
	hooks := hooks()
	if mode == "empty" || mode == "check" {
		hooks = nil
	}
	count := len(hooks)
	if mode == "miscount" {
		count++
	}
	fmt.Printf("Found %d items:\n", count)
	for i, h := range hooks {
		fmt.Printf("%d - %s\n", i, h["metadata"].(map[string]any)["name"])
	}
}

func config(mode string) {
	whole := map[string]any{
		"version": "v1", "hooks": hooks(), "has_settings_check": true,
		"readiness": map[string]any{"configVersion": "v1", "metadata": map[string]any{"name": "readiness", "path": "common-hooks/readiness"}},
	}
	switch mode {
	case "empty":
		fail("can not print configs: no hooks registered")
	case "check":
		whole = map[string]any{"version": "v1", "hooks": nil, "has_settings_check": true}
	case "prefix":
		fmt.Println("starting up")
	case "legacy":
		printJSON(hooks())
		return
	}
	printJSON(whole)
}

func printJSON(value any) {
	data, err := json.Marshal(value)
	if err != nil {
		fail(err.Error())
	}
	fmt.Println(string(data))
}

func hooks() []map[string]any {
	metadata := func(name string) map[string]any { return map[string]any{"name": name, "path": "/src/" + name} }
	namespace := map[string]any{"nameSelector": map[string]any{"matchNames": []string{os.Getenv("APPLICATION_NAMESPACE")}}}
	return []map[string]any{
		{
			"configVersion": "v1", "metadata": metadata("batch/state"), "beforeHelm": 10,
			"kubernetes": []map[string]any{{
				"name": "credentials", "apiVersion": "v1", "kind": "Secret", "namespace": namespace,
				"jqFilter": "{name: .metadata.name, keys: (.data | keys)}", "keepFullObjectsInMemory": false,
				"executeHookOnEvent": true, "queue": "",
			}},
		},
		{
			"configVersion": "v1", "metadata": metadata("batch/nightly"),
			"schedule": []map[string]any{{"name": "nightly", "crontab": "0 3 * * *", "queue": "slow"}},
		},
		{"configVersion": "v1", "metadata": metadata("batch/early"), "onStartup": 3},
	}
}

func run(number int) error {
	contexts, err := read[[]map[string]any]("BINDING_CONTEXT_PATH")
	if err != nil {
		return err
	}
	values, err := read[map[string]any]("VALUES_PATH")
	if err != nil {
		return err
	}
	settings, err := read[map[string]any]("CONFIG_VALUES_PATH")
	if err != nil {
		return err
	}
	if settings["fail"] == true {
		return errors.New("settings say so")
	}
	switch number {
	case 0:
		return state(contexts, values)
	case 1:
		return nightly()
	case 2:
		return early(contexts)
	}
	return errors.New("hook index does not exist")
}

func read[T any](variable string) (value T, err error) {
	data, err := os.ReadFile(os.Getenv(variable))
	if err == nil {
		err = json.Unmarshal(data, &value)
	}
	return value, err
}

// write appends a line to an output file; a file that nobody asked for is left out.
func write(variable string, value any) error {
	path := os.Getenv(variable)
	if path == "" {
		return nil
	}
	out, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer out.Close()
	return json.NewEncoder(out).Encode(value)
}

// state counts the Secrets it sees and keeps the number in values and a ConfigMap.
func state(contexts []map[string]any, values map[string]any) error {
	last := contexts[len(contexts)-1]
	snapshots, _ := last["snapshots"].(map[string]any)
	credentials, _ := snapshots["credentials"].([]any)
	count := len(credentials)
	internal := "replace"
	if _, ok := values["internal"]; !ok {
		internal = "add"
	}
	return errors.Join(
		write("VALUES_JSON_PATCH_PATH", []map[string]any{{"op": internal, "path": "/internal", "value": map[string]any{"credentials": count}}}),
		write("CONFIG_VALUES_JSON_PATCH_PATH", []any{}),
		write("KUBERNETES_PATCH_PATH", map[string]any{"operation": "CreateOrUpdate", "object": map[string]any{
			"apiVersion": "v1", "kind": "ConfigMap",
			"metadata": map[string]any{"name": "state", "labels": map[string]any{"packages.deckhouse.io/instance": os.Getenv("APPLICATION_NAME")}},
			"data":     map[string]any{"count": strconv.Itoa(count), "why": fmt.Sprint(last["binding"], " ", last["type"])},
		}}),
		write("KUBERNETES_PATCH_PATH", map[string]any{
			"operation": "MergePatch", "apiVersion": "apps/v1", "kind": "Deployment", "name": "not-there",
			"ignoreMissingObjects": true, "mergePatch": map[string]any{"spec": map[string]any{"replicas": 1}},
		}),
	)
}

func nightly() error {
	return errors.Join(
		write("METRICS_PATH", map[string]any{"name": "backups", "group": "nightly", "action": "set", "value": 7, "labels": map[string]string{"kind": "full"}}),
		write("METRICS_PATH", map[string]any{"name": "runs", "add": 1}),
	)
}

func early(contexts []map[string]any) error {
	if len(contexts) != 1 || len(contexts[0]) != 1 {
		return fmt.Errorf("wanted the name of the binding only, found %v", contexts)
	}
	fmt.Println("early", os.Getenv("MODULE_NAME"), os.Getenv("LOG_LEVEL"))
	return nil
}

// check judges settings: no replicas are refused, an even number is remarked on.
func check() {
	settings, err := read[map[string]any]("SETTINGS_PATH")
	if err != nil {
		fail(err.Error())
	}
	replicas, _ := settings["replicas"].(float64)
	verdict := map[string]any{"valid": true, "message": "", "warnings": nil}
	switch {
	case settings["crash"] == true:
		fmt.Fprintln(os.Stderr, "panic: no verdict")
		os.Exit(2)
	case replicas == 0:
		verdict = map[string]any{"valid": false, "message": "replicas cannot be 0", "warnings": nil}
	case int(replicas)%2 == 0:
		verdict["warnings"] = []string{"an even number of replicas has no majority"}
	default:
		return
	}
	data, _ := json.Marshal(verdict)
	fmt.Fprintln(os.Stderr, "level=info msg=checking")
	fmt.Fprintln(os.Stderr, strings.TrimSpace(string(data))+"\n")
	os.Exit(1)
}

func ready() {
	values, err := read[map[string]any]("VALUES_PATH")
	if err != nil {
		fail(err.Error())
	}
	if values["ready"] != true {
		fail("the store is not up")
	}
}
