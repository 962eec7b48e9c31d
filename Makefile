# What a contributor runs; `make help` lists it. A target needs Go, git and a
# POSIX shell: neither root nor a package manager nor a container runtime.

# The same flags everywhere, so that every package is compiled once.
export CGO_ENABLED := 0
export GOFLAGS := -trimpath -buildvcs=false
export GOWORK := off

VERSION ?= $(shell git describe --tags --match 'v*' --dirty 2>/dev/null || echo dev)
LDFLAGS := -s -w -X main.version=$(VERSION)

GOLANGCI_LINT := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
# The newest that Go 1.26 builds and of whose dependencies all are to be had.
GORELEASER := github.com/goreleaser/goreleaser/v2@v2.16.0
CYCLONEDX := github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.10.0
KREW := sigs.k8s.io/krew/cmd/krew@v0.4.4
VALIDATE_KREW := sigs.k8s.io/krew/cmd/validate-krew-manifest@v0.4.4
GOVULNCHECK := golang.org/x/vuln/cmd/govulncheck@v1.9.0
# The gofumpt of the golangci-lint above, so that the two agree.
GOFUMPT := mvdan.cc/gofumpt@v0.12.0

# The linters that look at one package only: the others would first read all of
# Kubernetes for test/controlplane.
LIGHT_LINTERS := errcheck,forcetypeassert,gochecknoinits,ineffassign,intrange,misspell,nolintlint,reassign,revive,testifylint,unconvert,wastedassign

# Where `make cluster` keeps its control plane.
CLUSTER ?= .cluster
FUZZTIME ?= 20s
BENCH ?= 1000
BENCHFLAGS ?=
DURATION ?= 30m

.DEFAULT_GOAL := help

.PHONY: help
help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-20s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

.PHONY: build
build: ## Build bin/kubectl-tazuna
	@LDFLAGS='$(LDFLAGS)' sh test/tools/build.sh bin/kubectl-tazuna ./cmd/kubectl-tazuna

.PHONY: build-all
build-all: ## Cross-compile every released platform into dist/
	@LDFLAGS='$(LDFLAGS)' sh test/tools/build-all.sh dist

.PHONY: build-controlplane
build-controlplane: ## Build bin/controlplane and bin/kubectl (once: all of Kubernetes)
	@sh test/controlplane/build.sh bin

.PHONY: build-helm
build-helm: ## Build bin/helm, with which the tests make releases (once)
	@sh test/helm/build.sh bin

.PHONY: cluster
cluster: build-controlplane ## Start a real control plane in the background
	@kubeconfig=$$(bin/controlplane start --dir $(CLUSTER) --timeout 5m | tail -n 1) && \
	echo "A control plane runs in $(CLUSTER). To use it:" && \
	echo "  export KUBECONFIG=$$kubeconfig PATH=\"$(CURDIR)/bin:\$$PATH\""

.PHONY: cluster-stop
cluster-stop: ## Stop it and remove its data
	@[ ! -d $(CLUSTER) ] || { bin/controlplane stop --dir $(CLUSTER) && rm -rf $(CLUSTER); }

.PHONY: demo
demo: build build-controlplane ## Show the main job on a real control plane, from first apply to drift
	@sh demo/demo.sh

.PHONY: test
test: build build-controlplane build-helm ## Run all tests: unit, integration and e2e on one control plane
	@sh test/tools/test.sh

.PHONY: test-unit
test-unit: ## Run the tests that need no control plane
	go test ./...

.PHONY: test-race
test-race: ## Run the race detector on the packages that link neither kubectl nor Helm
	@sh test/tools/race.sh

.PHONY: lint
lint: ## Run golangci-lint, gofumpt and go vet as CI does
	@sh test/tools/install.sh bin/tools $(GOLANGCI_LINT)
	bin/tools/golangci-lint run ./...
	cd test/controlplane && ../../bin/tools/golangci-lint run --config ../../.golangci.yml \
		--enable-only=$(LIGHT_LINTERS) ./...

.PHONY: fmt
fmt: ## Format all Go code
	@sh test/tools/install.sh bin/tools $(GOFUMPT)
	bin/tools/gofumpt -l -w cmd plugin printers test

.PHONY: docs
docs: ## Write docs/reference from the commands
	go run ./test/tools/gendocs docs/reference

.PHONY: release-check
release-check: ## Make a release of the last commit twice, with its image, compare, install it with krew
	@for tool in $(GORELEASER) $(CYCLONEDX) $(KREW) $(VALIDATE_KREW); do \
		sh test/tools/install.sh bin/tools $$tool || exit 1; \
	done
	@sh test/tools/release-check.sh bin/tools
	@$(MAKE) --no-print-directory image-check

.PHONY: image-check
image-check: ## Make the image of the last commit twice, compare, look into it
	@sh test/tools/install.sh bin/tools $(GORELEASER)
	go run ./test/tools/image -goreleaser bin/tools/goreleaser

.PHONY: vuln
vuln: ## Look for known vulnerabilities; fails where their database can't be read
	@sh test/tools/install.sh bin/tools $(GOVULNCHECK)
	@sh test/tools/vuln.sh bin/tools/govulncheck

.PHONY: picture
picture: build build-controlplane ## Draw the picture of the README from a real diff
	@sh demo/picture.sh

.PHONY: chaos
chaos: build build-controlplane ## Kill runs at every request, then random faults for DURATION (30m)
	TAZUNA_TEST_BIN=$(CURDIR)/bin TAZUNA_TEST_KUBECONFIG=own TAZUNA_TEST_CHAOS=$(DURATION) \
		go test -ldflags '-s -w' -count 1 -v -timeout 0 ./test/chaos

.PHONY: bench
bench: build build-controlplane build-helm ## Measure requests, time and memory against kubectl and helm (BENCH=most objects)
	go run ./test/bench -bin bin -most $(BENCH) $(BENCHFLAGS)

.PHONY: bench-go
bench-go: ## Run the Go benchmarks of the packages
	go test -run '^$$' -bench . -benchmem ./plugin/... ./printers/...

.PHONY: fuzz
fuzz: ## Fuzz every fuzz target for FUZZTIME (20s)
	@sh test/tools/fuzz.sh $(FUZZTIME)

.PHONY: clean
clean: cluster-stop ## Remove what was built here; caches in the home directory stay
	rm -rf bin dist
