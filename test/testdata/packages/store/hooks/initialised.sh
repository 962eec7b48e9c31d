#!/bin/sh
# Notes in the values that the cluster was made, once its Job is done.
set -eu
. "$(dirname "$0")/lib/patch.sh"

if [ "${1:-}" = --config ]; then
	cat <<CONFIG
configVersion: v1
afterHelm: 20
kubernetes:
- name: jobs
  apiVersion: batch/v1
  kind: Job
  nameSelector:
    matchNames: ["d8a-$APPLICATION_NAME-initialise"]
  jqFilter: '(.status.succeeded // 0) > 0'
  executeHookOnEvent: [Added, Modified]
CONFIG
	exit 0
fi

if grep -q '"filterResult":true' "$BINDING_CONTEXT_PATH"; then
	set_value /internal/initialised true
fi
