#!/bin/sh
# Keeps the names of the Services with the label PACKAGE_NAME/peer in the values. A
# hook prints its configuration for --config and does its work otherwise.
set -eu

if [ "${1:-}" = --config ]; then
	cat <<'CONFIG'
configVersion: v1
beforeHelm: 10
kubernetes:
- name: peers
  apiVersion: v1
  kind: Service
  labelSelector:
    matchLabels: {PACKAGE_NAME/peer: "true"}
  jqFilter: .metadata.name
  keepFullObjectsInMemory: false
CONFIG
	exit 0
fi

# $BINDING_CONTEXT_PATH says why the hook is called and what it sees;
# $VALUES_JSON_PATCH_PATH and $KUBERNETES_PATCH_PATH take what it wants changed.
names=$(grep -o '"filterResult":"[^"]*"' "$BINDING_CONTEXT_PATH" | cut -d : -f 2 | sort -u | paste -s -d , - || true)
printf '[{"op":"add","path":"/internal/peers","value":[%s]}]' "$names" >"$VALUES_JSON_PATCH_PATH"
