#!/bin/sh
# Puts the program helm into a directory:
#
#	sh test/helm/build.sh OUTDIR
#
# It is built once for each state of go.sum and kept in the user's cache directory.
set -eu

[ $# -eq 1 ] || {
	echo "usage: build.sh OUTDIR" >&2
	exit 1
}
mkdir -p "$1"
out=$(cd "$1" && pwd)
cd "$(dirname "$0")"
cache=${XDG_CACHE_HOME:-$HOME/.cache}/kubectl-tazuna/helm

sha() {
	if command -v sha256sum >/dev/null 2>&1; then sha256sum "$@"; else shasum -a 256 "$@"; fi
}
hash=$({ go version; sha go.mod go.sum build.sh; } | sha | cut -c1-16)
built=$cache/$hash
if [ ! -x "$built/helm" ]; then
	echo "build.sh: building helm (the first time takes a minute or two)"
	mkdir -p "$built"
	# Another build may run: the finished program takes its place in one step.
	next=$built/helm.$$
	trap 'rm -f "$next"' EXIT
	GOWORK=off GOFLAGS='' CGO_ENABLED=0 go build -trimpath -buildvcs=false -mod=readonly \
		-ldflags '-s -w' -o "$next" helm.sh/helm/v4/cmd/helm
	mv "$next" "$built/helm"
fi
# What no one has asked for in a week goes; other work trees may use the rest.
touch "$built"
find "$cache" -mindepth 1 -maxdepth 1 -type d -mtime +7 -exec rm -rf {} +
ln -sf "$built/helm" "$out/helm"
echo "build.sh: $out/helm is Helm $(GOWORK=off go list -mod=readonly -m -f '{{.Version}}' helm.sh/helm/v4)"
