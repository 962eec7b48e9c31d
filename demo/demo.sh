#!/bin/sh
# The main job on a real control plane, step by step: every command is printed
# with its output. Exit codes and outputs are checked, so that this fails where
# something is wrong. `make demo` builds what it needs.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
bin=$(cd "$here/.." && pwd)/bin
dir=$(mktemp -d "${TMPDIR:-/tmp}/tazuna-demo.XXXXXX")

finish() {
	status=$?
	trap - EXIT
	[ -z "${controller:-}" ] || kill "$controller" 2>/dev/null || true
	"$bin/controlplane" stop --dir "$dir/cp" >/dev/null 2>&1 || true
	rm -rf "$dir"
	[ "$status" -eq 0 ] || echo "demo: FAILED" >&2
	exit "$status"
}
trap finish EXIT
trap 'exit 130' HUP INT TERM

fail() {
	echo "demo: $*" >&2
	exit 1
}

# Colours as the plugin itself decides, but its output goes through a file here.
color=never bold='' plain=''
if { [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; } || [ "${CLICOLOR_FORCE:-0}" != 0 ]; then
	color=always bold=$(printf '\033[1m') plain=$(printf '\033[0m')
fi

# say TEXT: what comes next.
say() {
	printf '\n%s# %s%s\n' "$bold" "$*" "$plain"
}

# show prints the output of the last command, ending its last line.
show() {
	cat "$dir/output"
	[ -z "$(tail -c 1 "$dir/output")" ] || echo
}

# run CODE COMMAND ARG...: shows a command and its output and checks its exit code.
run() {
	wanted=$1 code=0
	shift
	printf '\n%s$ %s%s\n' "$bold" "$*" "$plain"
	"$@" >"$dir/output" 2>&1 || code=$?
	show
	[ "$code" -eq "$wanted" ] || fail "exit code $code, wanted $wanted: $*"
}

# tazuna CODE ARG...: runs the plugin as a user does, through kubectl.
tazuna() {
	wanted=$1 code=0
	shift
	printf '\n%s$ kubectl tazuna %s%s\n' "$bold" "$*" "$plain"
	kubectl tazuna "$@" --color="$color" >"$dir/output" 2>&1 || code=$?
	show
	[ "$code" -eq "$wanted" ] || fail "exit code $code, wanted $wanted: kubectl tazuna $*"
	# Nothing that was ever in a Secret of this demo may be seen.
	! grep -q "$secrets" "$dir/output" || fail "the value of a Secret was shown"
}
secrets='correct-horse\|battery-staple\|Y29ycmVjdC1ob3JzZQ\|YmF0dGVyeS1zdGFwbGU'

# shown PATTERN: the last command printed it; hidden PATTERN: it did not.
shown() {
	grep -q -- "$1" "$dir/output" || fail "not in the output: $1"
}
hidden() {
	! grep -q -- "$1" "$dir/output" || fail "in the output: $1"
}

# change FILE FROM TO: an edit of one line, shown as a command.
change() {
	printf '\n%s$ sed -i "s/%s/%s/" %s%s\n' "$bold" "$2" "$3" "$1" "$plain"
	sed "s/$2/$3/" "$1" >"$dir/edited"
	! cmp -s "$1" "$dir/edited" || fail "nothing to change in $1"
	cat "$dir/edited" >"$1"
}

# The demo changes its files, so it works on a copy.
cp -R "$here" "$dir/demo"
cd "$dir/demo"
export PATH="$bin:$PATH" HOME="$dir/home"
mkdir "$HOME"

say "A real Kubernetes: etcd, kube-apiserver, controllers, scheduler, stand-in nodes"
"$bin/controlplane" start --dir "$dir/cp" --timeout 5m >"$dir/output"
KUBECONFIG=$(tail -n 1 "$dir/output")
export KUBECONFIG
run 0 kubectl get nodes
tazuna 0 version

say "Two manifests: plain YAML with a custom resource and its definition, and a kustomization"
run 0 cat tazuna.yaml
tazuna 0 check

say "On an empty cluster everything is new"
tazuna 1 plan
shown '8 create'

say "apply shows it in full, does it in the right order, and waits until it is ready."
say "The values of the Secret are not shown"
tazuna 0 apply --yes
shown 'create secret/login'
shown 'password: <-- value not shown'
run 0 kubectl -n shop get deployment/web service/web backup/orders
tazuna 0 apply --yes
shown 'Nothing to do'

say "What is ours is written down in the cluster"
tazuna 0 state list
shown 'shop'

say "A change of the files shows as exactly that"
change shop/web.yaml 'web:1.4.2' 'web:1.5.0'
change shop/login.yaml 'correct-horse' 'battery-staple'
change platform/backups.yaml 'keep: 7' 'keep: 14'
tazuna 1 diff
shown 'image: registry.example.com/shop/web:1.5.0'
shown 'keep: 14'
hidden 'replicas'

say "Meanwhile somebody else is at work: two changes of what we applied, and two that are none of our business"
run 0 kubectl -n shop scale deployment/web --replicas=5
run 0 kubectl -n shop patch networkpolicy/closed --type=merge -p '{"spec":{"ingress":[{}]}}'
run 0 kubectl -n shop set env deployment/web DEBUG=1
run 0 kubectl -n shop annotate service/web example.com/owner=ops
run 0 kubectl -n shop rollout status deployment/web

say "Three ways: what we want, what we applied last, what is live. Drift has its author"
tazuna 1 diff
shown 'replicas: 5 .*drift: changed by kubectl (scale)'
shown 'drift: changed by kubectl-patch'
hidden 'DEBUG'
hidden 'example.com/owner'

say "apply brings the new and heals the drift; what isn't ours stays"
tazuna 0 apply --yes
run 0 kubectl -n shop get deployment/web -o 'jsonpath={.spec.replicas}{" "}{..image}{" "}{..env}'
shown '^2 registry.example.com/shop/web:1.5.0 .*DEBUG'
tazuna 0 diff

say "A field that another manager owns with another value is refused, not taken"
cat >theirs.yaml <<'EOF'
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: shop}
data: {theme: dark}
EOF
run 0 kubectl apply --server-side --field-manager=theme-operator -f theirs.yaml
change shop/kustomization.yaml 'greeting=hello' 'theme=light'
tazuna 3 apply --yes
shown '@@ refuse configmap/settings'
shown 'theme-operator'
run 0 kubectl -n shop get configmap/settings -o 'jsonpath={.data}'
shown '"theme":"dark"'
change shop/kustomization.yaml 'theme=light' 'greeting=hello'

say "The wrong context is refused before anything is asked"
run 0 kubectl config rename-context controlplane production
tazuna 3 apply --yes
shown 'context_matches'
run 0 kubectl config rename-context production controlplane

say "In the end files, record and cluster agree"
tazuna 0 diff
tazuna 0 state diff

. ./packages.sh

say "That was it. The control plane is stopped, its data removed"
