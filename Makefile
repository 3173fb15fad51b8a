# The two commands to know: `make run` and `make test`.

SWIFT ?= swift

# What `lint` and `format` look at. Benchmarks is a package of its own and may be absent.
SOURCES := Package.swift Sources Tests \
	$(wildcard Benchmarks/Package.swift Benchmarks/Sources Benchmarks/Tests)

DEMO := .build/demo.sqlite

.PHONY: help deps build run test lint format check clean

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

## test: run all tests
test: deps
	$(SWIFT) test

## lint: check the format of the sources, as CI does
lint:
	$(SWIFT) format lint --strict --parallel --recursive $(SOURCES)

## format: rewrite the sources in the house format
format:
	$(SWIFT) format format --in-place --parallel --recursive $(SOURCES)

# Code built for one sanitizer does not mix with any other: each has a build folder of its own.
## check: run all tests under the thread and the address sanitizer (slow)
check: deps
	$(SWIFT) test --sanitize=thread --scratch-path .build-thread
	$(SWIFT) test --sanitize=address --scratch-path .build-address

## clean: remove everything that was built, the demo store too
clean:
	rm -rf .build .build-thread .build-address Benchmarks/.build
