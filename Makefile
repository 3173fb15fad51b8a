# The two commands to know: `make run` and `make test`.

SWIFT ?= swift

EXAMPLES := Examples/Covers Examples/Todo

# What `lint` and `format` look at. Benchmarks is a package of its own and may be absent.
SOURCES := Package.swift Sources Tests \
	$(foreach app,$(EXAMPLES),$(app)/Package.swift $(app)/Sources $(app)/Tests) \
	$(wildcard Benchmarks/Package.swift Benchmarks/Sources Benchmarks/Tests)

DEMO := .build/demo.sqlite

.PHONY: help deps build run install test test-random test-faults soak test-browser interop adoption examples \
	lint layers format docs check-apple check-bench check-costs check check-thread check-address bench bench-quick clean

## help: show this list (the default)
help:
	@awk -F ': ' '/^## / { printf "  make %-8s %s\n", substr($$1, 4), $$2 }' Makefile

## deps: check for Swift and the SQLite headers, install the headers where that is possible
deps:
	@Scripts/install-sqlite.sh

## build: build the libraries and the tool, for debugging
build: deps
	$(SWIFT) build

# A debug build: it takes a fraction of a release build's time, and `make test` has already made
# it. For speed, `swift run -c release sections …`.
## run: build the demo store from Migrations/ and print it in sections
run: deps
	rm -f $(DEMO) $(DEMO)-wal $(DEMO)-shm $(DEMO)-journal
	mkdir -p $(dir $(DEMO))
	$(SWIFT) run sections demo $(DEMO)

PREFIX ?= /usr/local
## install: install the tool, its manual and its completions in PREFIX (/usr/local)
install: deps
	@Scripts/install "$(PREFIX)" $(SWIFT)

## test: run all tests
test: deps
	$(SWIFT) test

# Each transaction is checked against a plain query, and by the two slow ways against the fast one.
SCALE ?= 35
# A case of a live query is a SELECT with a random history: 1,100 of them.
LIVE_SCALE ?= 92
# Ten compositions of lists, with a hundred transactions each.
TABLE_SCALE ?= 20
# Sixteen random schemas, with thirty transactions each on a random list of each of them.
SCHEMA_SCALE ?= 210
## test-random: run the random suites alone; SCALE, TABLE_SCALE, LIVE_SCALE and SCHEMA_SCALE make them longer (by default more than 10,000 transactions, 200 compositions of lists, 100,000 cases of live queries, and 100,000 transactions on random schemas)
test-random: deps
	FETCHED_RESULTS_TEST_SCALE=$(SCALE) $(SWIFT) test --filter '(Random(ChangeLog|Live|Join|Select|Totals|Held|Moving|Reading)|EngineAgreement|WALDiffRandom)Tests'
	FETCHED_RESULTS_TEST_SCALE=$(TABLE_SCALE) $(SWIFT) test --filter 'RandomTableTests'
	FETCHED_RESULTS_TEST_SCALE=$(LIVE_SCALE) $(SWIFT) test --filter 'Live(List|Plan)Tests'
	FETCHED_RESULTS_TEST_SCALE=$(SCHEMA_SCALE) $(SWIFT) test --filter 'RandomSchemaTests'

FAULTS := KilledWriter|BusyStorm|SnapshotKeeper|WatchFault|IdleWatch|ClockJump|ForeignChange
FAULTS := $(FAULTS)|LostFile|CorruptPage|PageFuzz|WALDiff|WALDiffRows|WALDiffUnknown|DiskFull
FAULTS := $(FAULTS)|ChangeLogFault|WriterStorm|Resource|HostileFile|RowSource|WatchCommand|ServeFault
# One after the other: some measure time, and storms and idle watchers should be alone.
## test-faults: run the faults of Tests/Faults.md twenty times as often (a quarter of an hour)
test-faults: deps
	FETCHED_RESULTS_TEST_SCALE=20 $(SWIFT) test --no-parallel --filter '($(FAULTS))Tests'

MINUTES ?= 60
## soak: run writers, kills, checkpoints, VACUUMs, schema changes and a replica at once, MINUTES long (60)
soak: deps
	FETCHED_RESULTS_SOAK_MINUTES=$(MINUTES) $(SWIFT) test --no-parallel --filter 'SoakTests'

## interop: test with GRDB, Python, the sqlite3 tool, PostgreSQL and Litestream (builds GRDB, some minutes)
interop: deps
	$(SWIFT) test --package-path Tests/Interop
	@Scripts/test-litestream $(SWIFT)

## adoption: run a package that adopts this one, beside others with the same names
adoption: deps
	$(SWIFT) run --package-path Tests/Adoption Adopter
	$(SWIFT) run --package-path Tests/Adoption Screen
	$(SWIFT) run --package-path Tests/Adoption SwiftFive
	$(SWIFT) run --package-path Tests/Adoption MainActorScreen
	$(SWIFT) build --package-path Tests/Adoption --product Readme
	cd "$$(mktemp -d)" && "$(CURDIR)/Tests/Adoption/.build/debug/Readme" && "$(CURDIR)/Tests/Adoption/.build/debug/Readme"

## examples: test the apps of Examples/
examples: deps
	$(foreach app,$(EXAMPLES),$(SWIFT) test --package-path $(app) &&) true

## test-browser: test the page of `sections serve` in Chromium, and take its pictures
test-browser: build
	@Scripts/test-browser

## lint: check the format of the sources, as CI does
lint:
	$(SWIFT) format lint --strict --parallel --recursive $(SOURCES)

## layers: check the order of the folders in Architecture.md, what modules import, and the list of what is public
layers:
	@Scripts/layers --check Documentation/Architecture.md
	@Scripts/imports
	@Scripts/public-api
	@Scripts/decisions --check

## check-apple: type-check the code for UIKit, AppKit and SwiftUI against stand-ins of Apple's modules
check-apple: build
	@Scripts/check-apple

## check-bench: type-check the benchmarks against the libraries (builds GRDB, a minute)
check-bench: build
	@Scripts/check-bench $(SWIFT)

## check-costs: count the instructions of one step of some workloads, and fail if there are over 5 % more (needs valgrind; builds for release)
check-costs: deps
	@Scripts/check-costs --swift $(SWIFT)

## format: rewrite the sources in the house format
format:
	$(SWIFT) format format --in-place --parallel --recursive $(SOURCES)

## docs: build the documentation into .build/docs (a warning is an error)
docs: deps
	@Scripts/build-docs.sh $(SWIFT)

## check: run all tests under the thread and the address sanitizer (15 to 40 minutes)
check: check-thread check-address

# Code built for one sanitizer does not mix with any other: each has a build folder of its own. The
# tests run one after the other: what waits for its turn among all of them uses up its time limit.
SANITIZED = $(SWIFT) test --no-parallel --scratch-path .build-$(1) --sanitize=$(1)

# Processes wait for a second before they end, for the sake of races at the end; tests start hundreds.
check-thread: deps
	TSAN_OPTIONS=atexit_sleep_ms=0 $(call SANITIZED,thread)

check-address: deps
	LSAN_OPTIONS=suppressions=$(CURDIR)/Scripts/leak-sanitizer.supp:print_suppressions=0 \
		$(call SANITIZED,address)

BENCH = $(SWIFT) run -c release --package-path Benchmarks bench

RUNS ?= 5
## bench: measure everything RUNS times (5) at a million rows, beside the peers, and write Benchmarks/RESULTS.md (25 minutes for each run; the machine should do nothing else)
bench: deps
	$(BENCH) --runs $(RUNS)
	$(BENCH) --report

## bench-quick: the same with a tenth of the rows, to see that it works (some minutes)
bench-quick: deps
	$(BENCH) --quick

## clean: remove everything that was built, the demo store too
clean:
	rm -rf .build .build-thread .build-address Benchmarks/.build Tests/Interop/.build Tests/Adoption/.build \
		$(EXAMPLES:%=%/.build)
