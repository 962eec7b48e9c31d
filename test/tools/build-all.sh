#!/bin/sh
# Cross-compiles the plugin for every platform of a release:
#
#	LDFLAGS=... sh test/tools/build-all.sh OUTDIR
set -eu

[ $# -eq 1 ] || { echo "usage: build-all.sh OUTDIR" >&2; exit 2; }
here=$(dirname "$0")
for os in linux darwin windows; do
	for arch in amd64 arm64; do
		suffix=
		[ "$os" != windows ] || suffix=.exe
		GOOS=$os GOARCH=$arch sh "$here/build.sh" "$1/kubectl-tazuna_${os}_$arch$suffix" ./cmd/kubectl-tazuna
	done
done
