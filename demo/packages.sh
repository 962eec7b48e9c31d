# The second half of the demo, read by demo.sh: application packages, first without a
# cluster, then run by the controller.

# await PATTERN COMMAND ARG...: shows a command once its output has what is waited for.
await() {
	pattern=$1 tries=0
	shift
	until "$@" >"$dir/output" 2>&1 && grep -q -- "$pattern" "$dir/output"; do
		tries=$((tries + 1))
		[ "$tries" -lt 240 ] || {
			show
			fail "not in the output after two minutes: $pattern"
		}
		sleep 0.5
	done
	printf '\n%s$ %s%s\n' "$bold" "$*" "$plain"
	show
}

# state STATE: waits until the application has it.
state() {
	await "^$1 " kubectl -n shop get application/orders \
		-o 'jsonpath={.status.summary.state} {.status.currentVersion.version} {.status.summary.message}'
}

# want PATCH: changes what is wanted of the application.
want() {
	run 0 kubectl -n shop patch application/orders --type=merge -p "$1"
}

say "Application packages, without a cluster: what is wrong with one, what an instance of it"
say "would be, and what its hook would do with a Service that it finds"
cp -R "$here/../test/testdata/packages/web" web
cat >service.yaml <<'YAML'
apiVersion: v1
kind: Service
metadata: {name: orders, labels: {web.example.com/part: backend}}
spec: {ports: [{port: 8080}]}
YAML
tazuna 0 packages lint web
tazuna 0 packages render --bundle web -o name
shown 'deployment.apps/d8a-test-frontend'
tazuna 0 packages hooks run --bundle web --snapshots service.yaml
shown '- name: orders'

say "Three versions of it: the second needs a module, the third has a template that fails"
tazuna 0 packages build web -t oci:store:v1.0.0
cat >>web/package.yaml <<'YAML'
  downgrade: {from: ">= 1.0"}
YAML
sed 's/^requirements:$/requirements:\n  modules: {mandatory: [{name: gateway, constraint: ">= 1.2"}]}/' web/package.yaml >package.yaml
mv package.yaml web/package.yaml
tazuna 0 packages build web -t oci:store:v1.1.0
printf '{{ fail "this version is broken" }}\n' >web/templates/broken.yaml
tazuna 0 packages build web -t oci:store:v2.0.0

say "The controller runs them: here in the background, its log in a file"
kubectl tazuna packages controller --socket "$dir/ctl/socket" --packages-dir "$dir/bundles" >"$dir/controller.log" 2>&1 &
controller=$!
await applications kubectl api-resources --api-group=deckhouse.io
await '' kubectl get applications -A
cat >repository.yaml <<YAML
apiVersion: deckhouse.io/v1alpha1
kind: PackageRepository
metadata: {name: store}
spec: {registry: {repo: "oci:$dir/demo/store"}}
YAML
cat >orders.yaml <<'YAML'
apiVersion: deckhouse.io/v1alpha1
kind: Application
metadata: {name: orders, namespace: shop}
spec: {packageName: web, packageVersion: v1.0.0, packageRepositoryName: store}
YAML
run 0 kubectl apply -f repository.yaml
await v2.0.0 kubectl get applicationpackageversions

say "Installed"
run 0 kubectl apply -f orders.yaml
state Ready
tazuna 0 packages status shop.orders --socket "$dir/ctl/socket"
shown 'Scaled  *True'
tazuna 0 packages snapshots shop.orders --socket "$dir/ctl/socket"
shown 'Hook hooks/backends.sh'

say "A version whose module isn't there suspends the application, and it says so"
want '{"spec":{"packageVersion":"v1.1.0"}}'
await gateway kubectl -n shop get application/orders -o 'jsonpath={.status.summary}'
tazuna 0 packages explain shop.orders --socket "$dir/ctl/socket"
shown 'gateway'
tazuna 0 packages module enable gateway --version v1.2.0
await 'Ready v1.1.0' kubectl -n shop get application/orders -o 'jsonpath={.status.summary.state} {.status.currentVersion.version}'

say "A broken version: looked into, and back"
want '{"spec":{"packageVersion":"v2.0.0"}}'
await 'this version is broken' kubectl -n shop get application/orders -o 'jsonpath={.status.summary.message}'
tazuna 0 packages explain shop.orders --socket "$dir/ctl/socket"
shown 'this version is broken'
tazuna 0 packages queue dump shop.orders --socket "$dir/ctl/socket"
shown 'Run'
want '{"spec":{"packageVersion":"v1.1.0"}}'
state Ready

say "The module goes: the application is suspended. It comes back: so does the application"
tazuna 0 packages module disable gateway
state Suspended
run 0 kubectl -n shop wait --for=delete deployment/d8a-orders-frontend --timeout=120s
tazuna 0 packages module enable gateway --version v1.2.0
state Ready

say "Deleted, with all that it had"
run 0 kubectl -n shop delete application/orders --timeout=120s
run 0 kubectl -n shop get deployments,services,configmaps -o name
hidden 'd8a-orders'
kill -INT "$controller"
wait "$controller" || fail "the controller ended with an error: $(tail -n 3 "$dir/controller.log")"
