#!/bin/sh
# Builds one program, with a line now and then so that a log shows life:
#
#	LDFLAGS=... sh test/tools/build.sh OUTPUT PACKAGE
set -eu

[ $# -eq 2 ] || { echo "usage: build.sh OUTPUT PACKAGE" >&2; exit 2; }
output=$1 package=$2
log=$(mktemp)
compiler=
trap '[ -z "$compiler" ] || kill "$compiler" 2>/dev/null; rm -f "$log"' EXIT
trap 'exit 1' HUP INT TERM

mkdir -p "$(dirname "$output")"
go build -v -ldflags "${LDFLAGS:--s -w}" -o "$output" "$package" >"$log" 2>&1 &
compiler=$!
seconds=0
while kill -0 "$compiler" 2>/dev/null; do
	sleep 1
	seconds=$((seconds + 1))
	if [ $((seconds % 15)) -eq 0 ]; then
		echo "$output: ${seconds} s, $(wc -l <"$log" | tr -d ' ') packages compiled"
	fi
done
if ! wait "$compiler"; then
	# Package names alone are progress, not errors.
	grep -v '^[[:alnum:]./_-]*$' "$log" >&2 || cat "$log" >&2
	echo "build.sh: $output did not build" >&2
	exit 1
fi
compiler=
echo "$output: built"
