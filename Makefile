# `make` alone lists what can be made. GNU make and bash; everything else is Go.
SHELL := /bin/bash -o pipefail
.DEFAULT_GOAL := help
MARKET := $(shell awk -F '"' '/"name"/ { print $$4; exit }' .claude-plugin/marketplace.json)
.PHONY: help build release test-release research cli test test-windows test-cli test-race bench soak eval pictures recording docs lint fuzz install module clean

# The same for building, checking and testing: what is compiled once serves all.
export CGO_ENABLED := 0
export GOFLAGS     := $(strip $(GOFLAGS) -trimpath)

GOBUILD := go build -ldflags "-s -w"
TOOL    := go tool -modfile=tools.mod

# The question and the folder reach the program through the environment and
# stdin, as they were typed: neither make nor the shell reads anything in them.
ifeq ($(origin TOPIC),undefined)
TOPIC := How does the Go garbage collector decide when to start a cycle, and how does it pace itself?
endif
override TOPIC := $(value TOPIC)
override SCOPE := $(value SCOPE)
export TOPIC SCOPE

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# The launchers bin/council and bin/council-hook find a program by these names.
TRIPLE = $(shell go env GOARCH | sed 's/amd64/x86_64/; s/arm64/aarch64/')-$(if $(filter darwin,$(shell go env GOOS)),apple-darwin,unknown-linux-musl)

build: ## council and council-hook for this machine, static, where bin/council finds them
	$(GOBUILD) -o bin/council-$(TRIPLE) ./cmd/council
	$(GOBUILD) -o bin/council-hook-$(TRIPLE) ./cmd/council-hook

release: ## what a release publishes, into dist/; COMMIT=rev, PLATFORMS=linux/amd64,…
	rm -rf dist
	go run ./release -out dist $(if $(COMMIT),-commit $(COMMIT)) $(if $(PLATFORMS),-platforms $(PLATFORMS))

test-release: export COUNCIL_RELEASE = $(CURDIR)/dist
test-release: cli release ## a release is built twice, and installed in every form; bin/test-release.log
	$(call test,test-release,-run '^TestRelease' ./test/install ./test/hosts ./test/e2e)

research: build ## a run over local files: SCOPE=dir TOPIC="…" FLAGS="--test …"
	@printf '%s' "$$TOPIC" | bin/council run --project . --scope "$${SCOPE:-$$(go env GOROOT)/src/runtime}" --scope-outside $(FLAGS) -

cli: ## the pinned claude, codex and gemini, and the readers that check exports, from npm
	@if ! command -v npm >/dev/null; then \
		echo "npm is not here: tests that drive claude, codex and gemini are skipped; they are listed as SKIP"; \
		exit 0; \
	fi; \
	for dir in test/cli test/readers/*/; do \
		if [ $$dir/package-lock.json -nt $$dir/node_modules/.package-lock.json ]; then \
			npm ci --prefix $$dir --no-audit --no-fund || exit 1; \
		fi; \
	done

# test NAME PACKAGES [-C MODULE]: the whole output goes to bin/NAME.log. What tests write they
# write synced, in thousands of small files: to memory, where that has room and
# lets programs run. Nobody debugs a test's program: it is linked without that. What go builds stays where it was: it is told by GOTMPDIR,
# which tests must not see, for their folders would follow. `make lint` vets, and
# no node of a test asks a server whose certificates it would have to read at
# every start.
define test
@mkdir -p bin
@export GOTMPDIR="$${GOTMPDIR:-$${TMPDIR:-/tmp}}"; \
memory=$$(mktemp -d /dev/shm/council-test.XXXXXX 2>/dev/null) && chmod 755 "$$memory" && trap 'rm -rf "$$memory"' EXIT && \
	[ "$$(df -Pk "$$memory" | awk 'END { print $$4 }')" -gt 4000000 ] && cp /bin/true "$$memory/true" && "$$memory/true" 2>/dev/null && export TMPDIR="$$memory"; \
unset NODE_EXTRA_CA_CERTS; \
go $(3) test -v -vet=off -ldflags=-w -exec 'env -u GOTMPDIR' -timeout 75m $(2) 2>&1 | tee bin/$(1).log | grep --line-buffered -E '^(ok|FAIL|panic:)|^ *--- (FAIL|SKIP)' || \
	{ echo "failed; from bin/$(1).log:"; grep -vE '^(=== |ok|PASS|\?)|^ *--- (PASS|SKIP)' bin/$(1).log | tail -n 200; exit 1; }
endef

# The tests of whole runs come first: they wait for processes while others compute.
test: cli ## every test but those of test-cli; the whole output goes to bin/test.log
	$(call test,test,./test/e2e ./internal/engine/supervisor ./...)

# The tests in some folders that run with the whole matrix alone, as go test's -run has it.
matrix = '^($(shell awk '/^func / { name = "" } /^func Test/ { name = $$2; sub(/[^A-Za-z0-9_].*/, "", name) } name && /cli\.InMatrix|^\teach.t, |needs.t, engine.|newPerson.t/ { print name; name = "" }' $(1:%=%/*_test.go) | paste -sd '|'))$$'

# Of test runners it takes the cases in a group named so: test has run the others.
test-cli: export COUNCIL_CLI_MATRIX = 1
test-cli: cli ## what test leaves out: every case of real command lines, test runners and TeX; bin/test-{cli,runners,tex}.log
	$(call test,test-cli,-run $(call matrix,test/e2e test/seats test/loopback test/hosts) ./test/e2e ./test/seats ./test/loopback ./test/hosts)
	$(call test,test-runners,-run '^Test(ChangesTo|ASecondLook|OrdinaryExperiments)/^of_the_matrix$$' ./internal/engine/supervisor ./internal/agent/desk)
	$(call test,test-tex,-run $(call matrix,internal/output/tex internal/output/export)/'(lualatex|latexmk|tectonic)$$' ./internal/output/tex ./internal/output/export)

# Rooms whose tests ask for nothing that only Unix has: the workflow runs them on
# real machines of Windows and macOS. Wine does not rename and delete what is open.
test-windows: export WINEPREFIX := $(or $(WINEPREFIX),/tmp/research-council-wine)
test-windows: export WINEDEBUG := -all
test-windows: export WINEDLLOVERRIDES := mscoree,mshtml=
test-windows: ## the tests of test/wine/rooms as programs of Windows, under Wine
	wineboot -i
	go run ./test/wine "$$WINEPREFIX/drive_c/windows/system32/bcryptprimitives.dll"
	wine reg add 'HKCU\Software\Wine' /v Version /d win10 /f
	GOOS=windows go test -vet=off -timeout 20m -exec wine -overlay "$$WINEPREFIX/drive_c/windows/system32/bcryptprimitives.dll.overlay" $$(cat test/wine/rooms)

# Temporal's development server, for trials of a fleet; newer ones cannot be built by go install.
TEMPORAL := v1.5.1
bin/temporal-$(TEMPORAL):
	rm -f bin/temporal bin/temporal-v*
	GOBIN="$(CURDIR)/bin" go install -ldflags "-s -w" github.com/temporalio/cli/cmd/temporal@$(TEMPORAL)
	mv bin/temporal $@

.PHONY: temporal test-fleet
temporal: bin/temporal-$(TEMPORAL) ## Temporal's development server, built once into bin/, some minutes

test-fleet: ## the tests of council-fleet, a module of its own; its trials once `make temporal` is done; bin/test-fleet.log
	$(call test,test-fleet,./...,-C fleet)

# Whole runs are those of a council, of its judges and of a campaign: the race
# detector makes each some ten times as slow.
test-race: export CGO_ENABLED = 1
test-race: ## the engine and what it runs under the race detector; needs a C compiler
	go test -race -vet=off -short -timeout 60m $$(go list ./internal/base/... ./internal/engine/... ./internal/product/... | grep -v /engine/supervisor)
	go test -race -vet=off -short -timeout 60m -run '^Test(ACouncil|OneSeat|AllSeats|TwoSupervisors|AnInterrupted|Rivals|Reviewers|OnlyACritic|FeaturesAre|AKilledSupervisor|Cancel|HowACouncil)' ./internal/engine/supervisor

bench: build ## speed and size
	go test -run '^$$' -bench . -benchmem -timeout 15m ./...

soak: ## memory and open files over a campaign of a thousand iterations, some minutes
	COUNCIL_SOAK=1 go test -count=1 -v -timeout 30m -run AThousandIterations ./test/e2e

eval: ## whether the promises hold, measured, into bin/eval; UPDATE=1 into docs/EVALUATION.md too
	go run ./test/eval $(if $(UPDATE),-update) $(if $(ONLY),-only "$(ONLY)")

pictures: cli ## docs/pictures anew, by Chromium from what tests lay down and the pinned claude shows
	mkdir -p docs/pictures
	PICTURES="$(CURDIR)/docs/pictures" go test -count=1 -run '^TestPicture' ./internal/output/export ./internal/host/serve ./internal/host/watch ./test/e2e

recording: build ## docs/pictures/run.svg anew, from a run of the librarian
	go run ./test/recording -council bin/council -o docs/pictures/run.svg

docs: ## what docs/reference says of flags, keys, codes, formats and hooks, made from the program
	go test -count=1 -run '^TestTheReferenceIsMade' ./cmd/council -update

# Tests ask for what only Unix has: on other systems vet and staticcheck see the rest; no
# file of the program is of one architecture alone, so one of each system is enough.
lint: ## gofumpt, vet (for Windows, macOS and 32 bit too), staticcheck (for Windows and macOS too), actionlint
	@files=$$($(TOOL) gofumpt -l .) && { [ -z "$$files" ] || { echo "not in gofumpt's form:"; echo "$$files"; exit 1; }; }
	go vet ./...
	cd fleet && go vet ./...
	@for system in windows/amd64 darwin/arm64 linux/386; do \
		echo "go vet for $$system"; \
		GOOS=$${system%/*} GOARCH=$${system#*/} go vet ./... || exit 1; \
	done
	@go build -modfile=tools.mod -o bin/staticcheck honnef.co/go/tools/cmd/staticcheck
	bin/staticcheck ./...
	@for system in windows/amd64 darwin/arm64; do \
		echo "staticcheck for $$system, without tests"; \
		GOOS=$${system%/*} GOARCH=$${system#*/} bin/staticcheck -tests=false -checks inherit,-U1000 ./... || exit 1; \
	done
	$(TOOL) actionlint

fuzz: ## every fuzz target for FUZZTIME (10s)
	@for p in $$(go list ./...); do \
		for f in $$(go test -list '^Fuzz' $$p | grep '^Fuzz'); do \
			echo "$$p $$f"; \
			go test -run '^$$' -fuzz "^$$f\$$" -fuzztime "$${FUZZTIME:-10s}" -fuzzminimizetime 1x $$p || exit 1; \
		done; \
	done

install: build ## the plugin into your Claude Code, read in place from this checkout
	claude plugin marketplace add "$(CURDIR)"
	claude plugin install research-council@$(MARKET)
	@echo "Installed for you. Claude Code reads this folder in place: keep it, and run 'make build' after a change."
	@echo "Try it in a session: /research-council:deep-research \"your question\" --test"
	@echo "Take it out again: claude plugin uninstall research-council@$(MARKET)"

# The module's path is the repository's address: it stands in go.mod and what is
# made of it here, and a test holds that there is no other.
module: ## another path for the module, and home for the repository: MODULE=host/owner/name
	@old=$$(go list -m) && git grep -lF "$$old" -- '*.go' '*.mod' '*.md' '*.yml' '*.yaml' | xargs sed -i "s#$$old\b#$(MODULE)#g; s#$${old#*/}@release#$(word 2,$(subst /, ,$(MODULE)))/$(notdir $(MODULE))@release#g" && $(TOOL) gofumpt -w $$(git ls-files '*.go')

clean: ## what was built and fetched
	find bin -mindepth 1 ! -name council ! -name council-hook -delete
	rm -rf dist test/cli/node_modules test/readers/*/node_modules
