# Stellwerk's everyday commands. `make help` lists them.
GO            ?= go
GOLANGCI      := v2.14.0
GORELEASER    := v2.15.4
VALE          := v3.21.0
SQLC          := v1.31.1
GOLANGCI_BIN  := $(shell $(GO) env GOPATH)/bin/golangci-lint
KILLS         ?= 24
FUZZTIME      ?= 2m
SOAK_KILLS    ?= 1000
SOAK_FIGHTS   ?= 500
SOAK_TEAM     ?= 1000
SOAK_DATABASE ?= 100
SOAK_CHECKS   ?= 10000
SOAK_LINES    ?= 500000
SOAK_CUTS     ?= 1000
SOAK_OBJECT   ?= 1024
SOAK_EVENTS   ?= 10m
LDFLAGS       := -s -w

# What was compiled in one clone serves in every other.
export GOFLAGS += -trimpath

.DEFAULT_GOAL := help
.PHONY: help generate build install uninstall snapshot test lint unit race fuzz soak simulate capacity planted gitea bench redaction tools demo screenshots

# Where `make screenshots` puts every page, and which of them the README and the documents show.
SCREENSHOTS   ?= $(CURDIR)/bin/screenshots
SHOWN         := run-light run-dark inbox-light changes-light timeline-dark phone-run

help: ## list the commands
	@awk 'BEGIN {FS = ":.*## "} /^[a-z]+:.*## / {printf "  %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## build bin/stellwerk, bin/stellwerk-hook and bin/stellwerk-worker
	CGO_ENABLED=0 $(GO) build -trimpath -buildvcs=auto -ldflags '$(LDFLAGS)' -o bin/ ./cmd/stellwerk ./cmd/stellwerk-hook ./cmd/stellwerk-worker

# Where `make install` puts the program. DESTDIR is for who makes a package of it.
PREFIX        ?= /usr/local
BINDIR        := $(DESTDIR)$(PREFIX)/bin
SHARE         := $(DESTDIR)$(PREFIX)/share
COMPLETIONS   := bash-completion/completions/stellwerk zsh/site-functions/_stellwerk fish/vendor_completions.d/stellwerk.fish

install: build ## install the program, its man pages and completions under PREFIX (/usr/local)
	$(GO) run ./deploy/manual bin/manual
	install -d "$(BINDIR)" "$(SHARE)/man/man1" $(foreach c,$(COMPLETIONS),"$(SHARE)/$(dir $c)")
	install -m 0755 bin/stellwerk bin/stellwerk-hook bin/stellwerk-worker "$(BINDIR)"
	install -m 0644 bin/manual/man1/*.1 "$(SHARE)/man/man1"
	install -m 0644 bin/manual/completions/stellwerk.bash "$(SHARE)/$(word 1,$(COMPLETIONS))"
	install -m 0644 bin/manual/completions/_stellwerk "$(SHARE)/$(word 2,$(COMPLETIONS))"
	install -m 0644 bin/manual/completions/stellwerk.fish "$(SHARE)/$(word 3,$(COMPLETIONS))"

uninstall: ## remove what `make install` put under PREFIX; your state folder stays
	rm -f "$(BINDIR)/stellwerk" "$(BINDIR)/stellwerk-hook" "$(BINDIR)/stellwerk-worker" "$(SHARE)"/man/man1/stellwerk.1 "$(SHARE)"/man/man1/stellwerk-*.1 $(foreach c,$(COMPLETIONS),"$(SHARE)/$c")

snapshot: ## build archives and packages as a release would, twice, and compare them byte by byte
	GORELEASER=$(GORELEASER) bash scripts/snapshot.sh

# Both at once: the linter computes while tests wait.
test: tools ## the linter and all tests
	$(MAKE) --no-print-directory -j 2 lint unit

# Collecting garbage is a third of the linter's work and a fifth of the tests': GOGC spares most of it.
lint: ## golangci-lint with go vet in it, the import and purity rules, whether go.mod is tidy, links and prose of the documents
	GOGC=400 GOMEMLIMIT=3GiB $(GOLANGCI_BIN) run ./...
	GO=$(GO) bash scripts/tidy.sh
	$(GO) run ./scripts/links
	bash scripts/prose.sh

# Those that mostly wait for processes, and the simulation, which lets one go at a time: the race detector would double their time. `make race` has it for them, too.
SLOW := ./e2e ./e2e/browser ./internal/capacity ./internal/crash ./internal/yard ./internal/fleet ./internal/powercut ./internal/simulate
# Pure code, and packages whose tests wait for one process at a time; `make race` has them, too. A new package is watched.
CALM := ./deploy ./deploy/manual ./deploy/sbom ./internal/agent ./internal/agent/claude ./internal/agent/command ./internal/agent/scenario ./internal/agent/scripted \
	./internal/admission ./internal/plain ./internal/cli/terminal ./internal/cli/view ./internal/cockpit/graph ./internal/cockpit/patch ./internal/cockpit/plot \
	./internal/cockpit/track ./internal/config ./internal/config/yamlfile ./internal/core ./internal/decider/manager ./internal/decider/phases \
	./internal/decider/rules ./internal/decider/waves ./internal/decider/work ./internal/demo ./internal/desk ./internal/doctor ./internal/forge \
	./internal/guard ./internal/guard/shell ./internal/hook ./internal/hook/deploy ./internal/leak ./internal/measure ./internal/object/indexed/query ./internal/object/postgres/query ./internal/plan ./internal/playbook \
	./internal/preflight ./internal/program ./internal/pushlock ./internal/redact ./internal/retention ./internal/role ./internal/shim/shimtest ./internal/spawn \
	./internal/steering ./internal/store/postgres/query ./internal/store/sqlite/query ./internal/strictjson ./internal/tooltest ./internal/wording ./internal/wording/advicetest
PACKAGES = $(or $(shell $(GO) list -f '.{{slice .ImportPath (len .Module.Path)}}' ./...),$(error go list has found no packages))
RACING = $(filter-out $(SLOW) $(CALM),$(PACKAGES))

# What takes longest begins first: nobody waits at the end for one package alone.
LONG := ./internal/app ./internal/shim ./internal/dispatch ./internal/exchange/remote ./internal/spawn/apart ./internal/spawn/local ./internal/engine \
	./internal/store/sqlite ./internal/store/postgres ./internal/cockpit ./internal/broker ./internal/network ./internal/sandbox ./e2e/tools ./internal/telemetry ./internal/check

# The linter has run go vet, and nobody needs the symbols of these programs.
QUICK := -vet=off -ldflags='-s -w'

# SQLite is C in Go's clothes: watching each of its loads and stores finds nothing and costs fifteen times its work.
UNWATCHED := modernc.org/sqlite/lib modernc.org/libc modernc.org/memory
RACE := -race $(foreach p,$(UNWATCHED),-gcflags='$p=-race=false')

# The scenarios take longest: they have a run of their own, and a larger share of the processors, so that they do not end last.
unit: ## all tests, with the race detector where something can race; ends with what was skipped and why
	GO=$(GO) GOGC=400 STELLWERK_KILLS=$(KILLS) $(GO) run ./scripts/gotest \
		$(RACE) $(QUICK) -p 4 -parallel 4 -timeout 60m $(LONG) $(filter-out $(LONG),$(RACING)) -- \
		$(QUICK) -p 3 -parallel 4 -timeout 60m $(filter-out ./e2e,$(SLOW)) $(filter-out $(SLOW) $(RACING),$(PACKAGES)) -- \
		$(QUICK) -parallel 6 -timeout 60m ./e2e

race: ## all tests but the browser's with the race detector, in every process of theirs: twice as long
	GO=$(GO) STELLWERK_KILLS=$(KILLS) $(GO) run ./scripts/gotest $(RACE) -timeout 90m $(filter-out ./e2e/browser,$(SLOW) $(PACKAGES))

fuzz: ## every fuzz target there is, for FUZZTIME each
	GO=$(GO) bash scripts/fuzz.sh $(FUZZTIME)

# From 400 kills on, engines die at every durable step, before and after it.
soak: ## hours: engines die at every durable step, many random kills, some of a team and its database, of a database alone, power cuts and fights of several engines, an object of a gibibyte, many cases of every property, 1,000 durable events a second for ten minutes
	GO=$(GO) STELLWERK_OBJECT_MIB=$(SOAK_OBJECT) STELLWERK_KILLS=$(SOAK_KILLS) STELLWERK_FIGHTS=$(SOAK_FIGHTS) STELLWERK_TEAM_KILLS=$(SOAK_TEAM) STELLWERK_DATABASE_KILLS=$(SOAK_DATABASE) STELLWERK_LINES=$(SOAK_LINES) STELLWERK_CUTS=$(SOAK_CUTS) $(GO) run ./scripts/gotest -count 1 -timeout 24h ./internal/crash ./internal/fleet ./internal/guard ./internal/powercut ./internal/store/postgres ./internal/object/... -- \
		-count 1 -timeout 24h $$(grep -rl --include='*_test.go' pgregory.net/rapid . | xargs -n1 dirname | sort -u) -rapid.checks=$(SOAK_CHECKS)
	$(GO) run ./bench -only team-durable -for $(SOAK_EVENTS)

# The first seeds are those of `make test`.
simulate: ## engines, store, objects, attempts and people under virtual time: N seeds, from FIRST on
	$(GO) test $(QUICK) -count 1 -timeout 24h -run TestSeeds -v ./internal/simulate -seeds $(or $(N),1000) -first $(or $(FIRST),1)

# How many projects the companies have, a column for each, and of how many projects one has a run.
PROJECTS ?= 10,1000,100000
BUSY     ?= 100

capacity: ## what companies of several sizes ask of the store under virtual time, and what a run costs PostgreSQL: a quarter of an hour
	$(GO) test $(QUICK) -count 1 -timeout 24h -run 'TestCapacity|TestPostgreSQL' -v ./internal/capacity -projects $(PROJECTS) -busy $(BUSY)

planted: ## fifteen planted bugs must each be caught
	bash scripts/planted.sh

# Ten minutes on two cores; `make test` skips these tests where it was never made.
gitea: ## build a real Gitea, once, and run the tests that need one
	sh internal/forge/gitea/giteatest/build.sh >/dev/null
	$(GO) test $(QUICK) -count 1 -timeout 60m ./internal/forge/gitea
	$(GO) test $(QUICK) -count 1 -timeout 60m -run 'TestAProjectOnARealGitea|TestATeamOnARealGitea' ./internal/app ./e2e/browser
	$(GO) test $(QUICK) -count 1 -timeout 60m -run TestScenarios/team_gitea ./e2e

# BEFORE is an earlier build of the program: some figures compare this one with it.
bench: build ## the figures, as ratios measured side by side in one run; BEFORE=PROGRAM compares with an earlier build
	$(GO) run ./bench $(if $(BEFORE),-before '$(BEFORE)')

redaction: ## what the rules for secrets find in all of Go, tests included, and in large JavaScript projects
	MEASURE="$$($(GO) env GOROOT)/src" $(GO) test -tags measure -count 1 -run TestRulesSpareFolder -v ./internal/redact
	dir="$$(mktemp -d)" && trap 'rm -rf "$$dir"' EXIT && (cd "$$dir" && npm pack --silent typescript webpack three react-dom && for f in *.tgz; do mkdir "$$f.d" && tar xzf "$$f" -C "$$f.d" && rm "$$f"; done) && \
		MEASURE="$$dir" $(GO) test -tags measure -count 1 -run TestRulesSpareFolder -v ./internal/redact

generate: ## the Go of every SQL query
	for file in $$(git ls-files '*sqlc.yaml'); do (cd "$$(dirname "$$file")" && $(GO) run github.com/sqlc-dev/sqlc/cmd/sqlc@$(SQLC) generate) || exit 1; done

tools: ## install what the tests need and the machine lacks
	@bash scripts/tools.sh $(GOLANGCI) $(VALE)

demo: ## see it work: a small repository, lying agents, a pull request
	$(GO) run ./cmd/stellwerk demo --yes

screenshots: tools ## every page of the cockpit as a picture in SCREENSHOTS (bin/screenshots), the best in docs/images
	STELLWERK_SCREENSHOTS=$(SCREENSHOTS) $(GO) test -tags screenshots -count 1 -run TestScreenshots ./e2e/browser
	mkdir -p docs/images
	cp $(SHOWN:%=$(SCREENSHOTS)/%.png) docs/images/
