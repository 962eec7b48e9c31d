#!/bin/sh
# Runs every fuzz target of the module, one after the other:
#
#	sh test/tools/fuzz.sh TIME
set -eu

time=${1:-20s}
grep -rl --include='*_test.go' '^func Fuzz' plugin printers | sort | while read -r file; do
	sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' "$file" | while read -r target; do
		echo "== $(dirname "$file") $target"
		go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" "./$(dirname "$file")" </dev/null
	done
done
