#!/bin/sh
# Puts the programs controlplane and kubectl into a directory:
#
#	sh test/controlplane/build.sh OUTDIR
#
# Both are built once for each state of the sources and kept in the user's cache
# directory: a first build compiles all of Kubernetes, which takes minutes.
set -eu

fail() {
	echo "build.sh: $*" >&2
	exit 1
}

[ $# -eq 1 ] || fail "usage: build.sh OUTDIR"
mkdir -p "$1"
out=$(cd "$1" && pwd)
module=$(cd "$(dirname "$0")" && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/kubectl-tazuna/controlplane
mkdir -p "$cache"

# One state of the sources is one directory of the cache.
sha() {
	if command -v sha256sum >/dev/null 2>&1; then sha256sum "$@"; else shasum -a 256 "$@"; fi
}
hash=$(
	cd "$module"
	{
		go version
		# Names and contents; tests are not part of the programs.
		find . -name '*.go' ! -name '*_test.go' -type f | LC_ALL=C sort | while read -r file; do sha "$file"; done
		sha go.mod go.sum build.sh
	} | sha | cut -c1-16
)
built=$cache/$hash

version=$(cd "$module" && GOWORK=off go list -mod=readonly -m -f '{{.Version}}' k8s.io/kubernetes)
minor=${version#v1.}
flags="-s -w"
flags="$flags -X k8s.io/component-base/version.gitVersion=$version"
flags="$flags -X k8s.io/component-base/version.gitMajor=1"
flags="$flags -X k8s.io/component-base/version.gitMinor=${minor%%.*}"
# What clients call themselves.
flags="$flags -X k8s.io/client-go/pkg/version.gitVersion=$version"

# Flags are the same everywhere, since the compiler's cache depends on them. It
# becomes the compiler, so that the process in the background can be ended.
compile() {
	cd "$module"
	exec env GOWORK=off CGO_ENABLED=0 go build -v -trimpath -buildvcs=false -mod=readonly \
		-ldflags "$flags" -o "$1" "$2"
}

# Runs compile with a line now and then, so that a log shows life.
compile_shown() {
	name=$1 target=$2 package=$3
	compile "$target" "$package" >"$target.log" 2>&1 &
	compiler=$!
	seconds=0
	while kill -0 "$compiler" 2>/dev/null; do
		sleep 1
		seconds=$((seconds + 1))
		if [ $((seconds % 15)) -eq 0 ]; then
			echo "build.sh: $name: ${seconds} s, $(wc -l <"$target.log" | tr -d ' ') packages compiled"
		fi
	done
	if ! wait "$compiler"; then
		tail -n 30 "$target.log" >&2
		fail "$name did not build"
	fi
	compiler=
	rm -f "$target.log"
	echo "build.sh: $name: built in $seconds s"
}

# Only one build at a time: two would take the same cores from each other. A
# lock whose owner is gone is taken over.
lock=$cache/lock
take_lock() {
	waited=0
	until mkdir "$lock" 2>/dev/null; do
		owner=$(cat "$lock/pid" 2>/dev/null || true)
		if [ -n "$owner" ] && ! kill -0 "$owner" 2>/dev/null; then
			rm -rf "$lock"
			continue
		fi
		[ $((waited % 15)) -ne 0 ] || echo "build.sh: another build is running (process ${owner:-unknown}), waiting"
		[ "$waited" -lt 3600 ] || fail "another build holds $lock for an hour; remove it if none runs"
		sleep 1
		waited=$((waited + 1))
	done
	echo $$ >"$lock/pid"
}

build() {
	take_lock
	next=$cache/next.$$
	compiler=
	trap '[ -z "$compiler" ] || kill "$compiler" 2>/dev/null; rm -rf "$lock" "$next"' EXIT
	trap 'exit 1' HUP INT TERM
	# Another build may have made it while we waited.
	if [ ! -d "$built" ]; then
		echo "build.sh: building Kubernetes $version (the first time takes several minutes)"
		mkdir -p "$next"
		compile_shown controlplane "$next/controlplane" ./cmd/controlplane
		compile_shown kubectl "$next/kubectl" k8s.io/kubernetes/cmd/kubectl
		mv "$next" "$built"
	fi
	rm -rf "$lock"
	trap - EXIT HUP INT TERM
}

# Removes what no one has asked for in a week; other work trees may use the rest.
prune() {
	touch "$built"
	find "$cache" -mindepth 1 -maxdepth 1 -type d -name '????????????????' -mtime +7 -exec rm -rf {} +
}

if [ -d "$built" ]; then
	echo "build.sh: controlplane and kubectl are in the cache"
else
	build
fi
prune
for program in controlplane kubectl; do
	ln -sf "$built/$program" "$out/$program"
done
echo "build.sh: $out/controlplane and $out/kubectl are Kubernetes $version"
