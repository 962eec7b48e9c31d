#!/bin/sh
# Puts a Go program of a pinned version into a directory:
#
#	sh test/tools/install.sh DIR PACKAGE@VERSION
#
# It is built once and kept in the user's cache directory, so that a fresh clone
# doesn't build it again.
set -eu

[ $# -eq 2 ] || { echo "usage: install.sh DIR PACKAGE@VERSION" >&2; exit 2; }
mkdir -p "$1"
dir=$(cd "$1" && pwd)
package=${2%@*} version=${2#*@}
# go names a program by the last word of its path that is no major version.
name=$(basename "$(echo "$package" | sed 's|/v[0-9]*$||')")
kept=${XDG_CACHE_HOME:-$HOME/.cache}/kubectl-tazuna/tools/$name-$version-$(go env GOVERSION)
if [ ! -x "$kept/$name" ]; then
	echo "$name $version: building"
	started=$(date +%s)
	# Next to its place and then moved: an interrupted build leaves nothing half done.
	next=$kept.$$
	trap 'rm -rf "$next"' EXIT
	GOBIN=$next go install -ldflags '-s -w' "$2" 2>&1 | grep -v '^go: downloading' || true
	[ -x "$next/$name" ] || { echo "install.sh: $2 did not build" >&2; exit 1; }
	rm -rf "$kept"
	mv "$next" "$kept"
	echo "$name $version: built in $(($(date +%s) - started)) s"
fi
ln -sf "$kept/$name" "$dir/$name"
