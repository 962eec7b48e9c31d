#!/bin/sh
# Runs the race detector on the packages that link neither kubectl nor Helm nor the
# schemas of the API server: those would have to be compiled a second time for it,
# which takes minutes and finds nothing of ours.
set -eu

# The race detector is C.
compiler=$(go env CC)
if ! command -v "${compiler%% *}" >/dev/null 2>&1; then
	echo "race: SKIPPED, no C compiler ($compiler) on this machine"
	exit 0
fi
export CGO_ENABLED=1

light=
for package in $(go list ./plugin/... ./printers/...); do
	if ! go list -test -deps "$package" | grep -qE '^(k8s\.io/(kubectl|apiextensions-apiserver)|helm\.sh/helm)(/|$)'; then
		light="$light $package"
	fi
done
# shellcheck disable=SC2086 # one word a package
exec go test -race -short -ldflags '-s -w' $light
