#!/bin/sh
# Keeps a list of the Services that are labelled as parts of the application, so
# that the pages can reach them.
set -eu

if [ "${1:-}" = --config ]; then
	cat <<'CONFIG'
configVersion: v1
beforeHelm: 10
kubernetes:
- name: backends
  apiVersion: v1
  kind: Service
  labelSelector:
    matchLabels: {web.example.com/part: backend}
  jqFilter: '{name: .metadata.name, port: .spec.ports[0].port}'
  keepFullObjectsInMemory: false
  queue: backends
settings:
  executionMinInterval: 5s
  executionBurst: 2
CONFIG
	exit 0
fi

# Snapshots are sorted, so the same Services give the same list. A run can have
# several contexts; the last one is the newest.
list=$(tr -d '\n' <"$BINDING_CONTEXT_PATH" |
	grep -o '{"filterResult":{"name":"[^"]*","port":[0-9]*}}' |
	sed -e 's/^{"filterResult"://' -e 's/}$//' | awk '!seen[$0]++' | paste -sd , -)
printf '[{"op":"add","path":"/internal/backends","value":[%s]}]' "$list" >"$VALUES_JSON_PATCH_PATH"
