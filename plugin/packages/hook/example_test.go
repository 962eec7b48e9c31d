//go:build linux || darwin

package hook_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/binding"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/offline"
)

const counter = `#!/bin/sh
if [ "$1" = --config ]; then cat <<'E'
configVersion: v1
beforeHelm: 10
kubernetes:
- {name: pods, apiVersion: v1, kind: Pod, jqFilter: .metadata.name}
E
exit 0; fi
count=$(grep -o '"filterResult"' "$BINDING_CONTEXT_PATH" | wc -l | tr -d ' ')
echo "[{\"op\":\"add\",\"path\":\"/pods\",\"value\":$count}]" > "$VALUES_JSON_PATCH_PATH"
`

// Loading the hooks of a bundle, and running those of a stage over files.
func Example() {
	ctx := context.Background()
	bundle, _ := os.MkdirTemp("", "bundle-")
	defer os.RemoveAll(bundle) //nolint:errcheck // an example
	_ = os.Mkdir(filepath.Join(bundle, "hooks"), 0o755)
	_ = os.WriteFile(filepath.Join(bundle, "hooks", "counter.sh"), []byte(counter), 0o755)

	instance := hook.Instance{Namespace: "default", Name: "shop"}
	env := hook.BaseEnv(os.Environ())
	set, err := hook.Loader{Instance: instance, Env: env}.Load(ctx, bundle)
	if err != nil {
		fmt.Println(err)
		return
	}
	objects := "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: b}\n"
	cluster, err := offline.Load(ctx, set, []byte(objects), "objects.yaml", instance.Namespace)
	if err != nil {
		fmt.Println(err)
		return
	}
	runner := &hook.Runner{Instance: instance, Env: env}
	values := map[string]any{}
	for _, h := range set.Bound(binding.BeforeHelm) {
		result, err := runner.Run(ctx, hook.Request{
			Hook: h, Triggers: []hook.Trigger{hook.Stage(binding.BeforeHelm)}, Values: values, Source: cluster,
		})
		if err != nil {
			fmt.Println(err)
			return
		}
		taken, err := result.Take(ctx, hook.Effects{Values: values, Objects: cluster})
		if err != nil {
			fmt.Println(err)
			return
		}
		values = taken.Values
	}
	data, _ := json.Marshal(values)
	fmt.Println(string(data))
	// Output: {"pods":2}
}
