# Stellwerk's everyday commands. `make help` lists them.
GO            ?= go
GOLANGCI      := v2.14.0
GOLANGCI_BIN  := $(shell $(GO) env GOPATH)/bin/golangci-lint
RAPID_CHECKS  ?= 100
KILLS         ?= 40
FUZZTIME      ?= 2m
LDFLAGS       := -s -w

.DEFAULT_GOAL := help
.PHONY: help build test lint unit race fuzz planted bench tools demo screenshots

# Where `make screenshots` puts every page, and which of them the README and the documents show.
SCREENSHOTS   ?= $(CURDIR)/bin/screenshots
SHOWN         := run-light run-dark inbox-light changes-light timeline-dark phone-run

help: ## list the commands
	@awk 'BEGIN {FS = ":.*## "} /^[a-z]+:.*## / {printf "  %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## build bin/stellwerk and bin/stellwerk-hook
	$(GO) build -trimpath -ldflags '$(LDFLAGS)' -o bin/ ./cmd/stellwerk ./cmd/stellwerk-hook

test: tools lint unit planted ## everything that decides whether a change lands

lint: ## go vet and golangci-lint, with the import and purity rules
	$(GO) vet ./...
	$(GOLANGCI_BIN) run ./...

unit: ## all tests: with the race detector, then the scenarios, the browser and a short crash test without, then every fuzz target for ten seconds
	$(GO) test -race -timeout 15m $$($(GO) list ./... | grep -v -e /e2e$$ -e /e2e/browser$$ -e /crash$$)
	STELLWERK_KILLS=$(KILLS) $(GO) test -timeout 15m ./e2e/... ./internal/crash
	GO=$(GO) bash scripts/fuzz.sh 10s

race: ## the scenarios and the crash test with the race detector in every process: twice as long
	STELLWERK_KILLS=$(KILLS) $(GO) test -race -timeout 30m ./e2e ./internal/crash

fuzz: ## every fuzz target there is, for FUZZTIME each
	GO=$(GO) bash scripts/fuzz.sh $(FUZZTIME)

planted: ## three planted bugs must each be caught
	bash scripts/planted.sh

bench: build ## the figures, as ratios measured side by side in one run
	$(GO) run ./bench

tools: ## install what the tests need and the machine lacks
	@bash scripts/tools.sh $(GOLANGCI)

demo: ## see it work: a small repository, lying agents, a pull request
	$(GO) run ./cmd/stellwerk demo --yes

screenshots: tools ## every page of the cockpit as a picture in SCREENSHOTS (bin/screenshots), the best in docs/images
	STELLWERK_SCREENSHOTS=$(SCREENSHOTS) $(GO) test -tags screenshots -count 1 -run TestScreenshots ./e2e/browser
	mkdir -p docs/images
	cp $(SHOWN:%=$(SCREENSHOTS)/%.png) docs/images/
