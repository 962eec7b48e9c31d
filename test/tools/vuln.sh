#!/bin/sh
# Looks for known vulnerabilities in what is built, tests left out:
#
#	sh test/tools/vuln.sh GOVULNCHECK
#
# Exit code: 0 none that our code calls, 1 some, 2 it could not be found out. The data
# come from vuln.go.dev, or from where GOVULNDB says (https://... or file://...).
set -eu

[ $# -eq 1 ] || { echo "usage: vuln.sh GOVULNCHECK" >&2; exit 2; }
govulncheck=$1
database=${GOVULNDB:-https://vuln.go.dev}

# Reading our code takes minutes, so the data are asked for first, for a module with
# nothing in it, and not waited for without end.
probe=$(mktemp -d)
asking=
trap '[ -z "$asking" ] || kill "$asking" 2>/dev/null || true; rm -rf "$probe"' EXIT
trap 'exit 2' HUP INT TERM
printf 'module probe\n' >"$probe/go.mod"
printf 'package main\n\nfunc main() {}\n' >"$probe/main.go"
"$govulncheck" -db "$database" -C "$probe" . >"$probe/log" 2>&1 &
asking=$!
tries=0
while kill -0 "$asking" 2>/dev/null && [ "$tries" -lt "${VULN_PATIENCE:-60}" ]; do
	sleep 1
	tries=$((tries + 1))
done
status=2
if kill -0 "$asking" 2>/dev/null; then
	echo "no answer within $tries seconds" >"$probe/log"
elif wait "$asking"; then
	status=0
fi
if [ "$status" -ne 0 ]; then
	cat "$probe/log" >&2
	echo "vuln: NOT CHECKED: the vulnerability database $database can't be read; GOVULNDB names another one" >&2
	exit 2
fi
asking=

status=0
"$govulncheck" -db "$database" ./cmd/... || status=$?
case $status in
0) echo "vuln: nothing known of what is called" ;;
3) status=1 ;; # govulncheck's code for findings
*) status=2 && echo "vuln: NOT CHECKED: govulncheck ended with an error" >&2 ;;
esac
exit "$status"
