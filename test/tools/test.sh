#!/bin/sh
# Runs all tests: first those that need no control plane, then, on one that is
# started here and always stopped, those that do. bin/ must be built.
set -eu

cd "$(dirname "$0")/../.."

# A directory with a short path: sockets lie in it.
dir=$(mktemp -d "${TMPDIR:-/tmp}/tazuna-test.XXXXXX")
finish() {
	status=$?
	trap - EXIT
	if [ "$status" -ne 0 ] && [ -f "$dir/cp/log" ]; then
		echo "test.sh: last lines of the control plane's log:" >&2
		tail -n 15 "$dir/cp/log" >&2
	fi
	bin/controlplane stop --dir "$dir/cp" >/dev/null 2>&1 || true
	rm -rf "$dir"
	exit "$status"
}
trap finish EXIT
trap 'exit 130' HUP INT TERM

echo "== unit tests"
unset TAZUNA_TEST_KUBECONFIG TAZUNA_TEST_CONTROLPLANE
go test -ldflags '-s -w' ./...

echo "== unit tests of the control plane"
(cd test/controlplane && go test -short -ldflags '-s -w' ./...)

echo "== integration and e2e tests"
bin/controlplane start --dir "$dir/cp" --timeout 5m >"$dir/start"
TAZUNA_TEST_KUBECONFIG=$(tail -n 1 "$dir/start")
TAZUNA_TEST_CONTROLPLANE=$dir/cp
TAZUNA_TEST_BIN=$(pwd)/bin
export TAZUNA_TEST_KUBECONFIG TAZUNA_TEST_CONTROLPLANE TAZUNA_TEST_BIN
# Packages that ask for it are those with a test that names the variable.
packages=$(grep -rl --include='*_test.go' TAZUNA_TEST_KUBECONFIG plugin printers test |
	grep -v '^test/controlplane/' | xargs -n 1 dirname | sort -u | sed 's|^|./|')
# Tests mostly wait for the cluster, so more of them than there are cores.
# shellcheck disable=SC2086 # one word a package
go test -ldflags '-s -w' -timeout 40m -parallel 6 $packages
