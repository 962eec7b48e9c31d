#!/bin/sh
# Draws docs/images/diff.svg, the picture of the README: the built plugin on a real
# control plane, with the files of the demo. `make picture` builds what it needs.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/.." && pwd)
dir=$(mktemp -d "${TMPDIR:-/tmp}/tazuna-picture.XXXXXX")

finish() {
	status=$?
	trap - EXIT
	"$root/bin/controlplane" stop --dir "$dir/cp" >/dev/null 2>&1 || true
	rm -rf "$dir"
	[ "$status" -eq 0 ] || echo "picture: FAILED" >&2
	exit "$status"
}
trap finish EXIT
trap 'exit 130' HUP INT TERM

cp -R "$here" "$dir/demo"
cd "$dir/demo"
tools=$HOME
export PATH="$root/bin:$PATH" HOME="$dir/home" COLUMNS=100
mkdir "$HOME"
"$root/bin/controlplane" start --dir "$dir/cp" >"$dir/output"
KUBECONFIG=$(tail -n 1 "$dir/output")
export KUBECONFIG
kubectl tazuna apply --yes >"$dir/output" 2>&1 || { cat "$dir/output" >&2; exit 1; }

# edit FILE FROM TO
edit() {
	sed "s/$2/$3/" "$1" >"$dir/edited"
	! cmp -s "$1" "$dir/edited" || { echo "picture: nothing to change in $1" >&2; exit 1; }
	cat "$dir/edited" >"$1"
}
edit shop/web.yaml 'web:1.4.2' 'web:1.5.0'
edit shop/login.yaml 'correct-horse' 'battery-staple'
edit platform/backups.yaml 'keep: 7' 'keep: 14'
kubectl -n shop scale deployment/web --replicas=5 >"$dir/output"
kubectl -n shop set env deployment/web DEBUG=1 >"$dir/output"
kubectl -n shop rollout status deployment/web >"$dir/output"

code=0
kubectl tazuna diff --context-lines=2 --color=always >"$dir/diff" 2>"$dir/output" || code=$?
[ "$code" -eq 1 ] || { cat "$dir/diff" "$dir/output" >&2; exit 1; }
mkdir -p "$root/docs/images"
(cd "$root" && HOME=$tools go run ./test/tools/picture -command 'kubectl tazuna diff' <"$dir/diff" >"$dir/diff.svg")
cat "$dir/diff.svg" >"$root/docs/images/diff.svg"
echo "docs/images/diff.svg is up to date"
