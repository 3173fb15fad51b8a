#!/bin/sh
# Builds the documentation of the libraries into .build/docs, as one site: offline, and with
# nothing but the toolchain. A warning is an error.
#
#   Scripts/build-docs.sh [swift]      the command to build with; `swift` unless given
set -eu
cd "$(dirname "$0")/.."

swift=${1:-swift}
build=.build/docs-build
graphs=$PWD/$build/symbol-graphs
work=.build/docs-work
output=.build/docs

fail() {
  printf 'build-docs: %s\n' "$@" >&2
  exit 1
}

# DocC comes with every toolchain, beside `swift`.
docc=$(command -v docc || true)
[ -n "$docc" ] || docc="$(dirname "$(command -v "$swift")")/docc"
[ -x "$docc" ] || fail "there is no docc in PATH or beside $swift." \
  "It is in the toolchain's usr/bin: put that folder into PATH."

rm -rf "$work" "$output"
mkdir -p "$work" "$graphs"

# Which public symbols there are, and their doc comments; without what a collection has from the standard
# library. A build folder of its own, since the flags are part of what decides whether a file is up to
# date.
for target in FetchedResultsExplaining LocalizedCollation RecordImporting TableDataTesting; do
  "$swift" build --scratch-path "$build" --target "$target" \
    -Xswiftc -DDOCUMENTATION -Xswiftc -emit-symbol-graph -Xswiftc -emit-symbol-graph-dir -Xswiftc "$graphs" \
    -Xswiftc -symbol-graph-minimum-access-level -Xswiftc public \
    -Xswiftc -symbol-graph-skip-synthesized-members \
    -Xswiftc -emit-extension-block-symbols >"$work/log" 2>&1 || {
    cat "$work/log" >&2
    fail "$target could not be built."
  }
done

# `TableData` re-exports `IndexPath`, which Foundation documents. What this package adds is an extension of it.
python3 - "$graphs/TableData" <<'EOF'
import json, sys
with open(sys.argv[1] + ".symbols.json") as file:
    graph = json.load(file)
def is_index_path(symbol):
    return symbol["pathComponents"][0] == "IndexPath"
def write(path, symbols):
    known = {symbol["identifier"]["precise"] for symbol in symbols}
    relationships = [item for item in graph["relationships"] if item["source"] in known]
    with open(sys.argv[1] + path, "w") as file:
        json.dump({**graph, "symbols": symbols, "relationships": relationships}, file)
added = [symbol for symbol in graph["symbols"] if is_index_path(symbol) and "location" in symbol]
if added:  # else it is done since the last build
    write("@Foundation.symbols.json", added)
    write(".symbols.json", [symbol for symbol in graph["symbols"] if not is_index_path(symbol)])
EOF

# The signatures of what is public are a part of the documentation.
Scripts/signatures "$graphs" >&2 || fail "Documentation/Signatures is out of date: see above."

# Usage: convert MODULE [MODULE…]: the module, and those that its documentation links to.
convert() {
  module=$1
  shift
  mkdir "$work/$module"
  cp "$graphs/$module.symbols.json" "$graphs/$module@"*.symbols.json "$work/$module" 2>/dev/null ||
    [ -f "$work/$module/$module.symbols.json" ] || fail "there is no symbol graph of $module."
  dependencies=
  for dependency; do
    dependencies="$dependencies --dependency $work/$dependency.doccarchive"
  done
  # A parameter whose name says all of it has no line of its own: nothing checks for that.
  # shellcheck disable=SC2086 # several options
  "$docc" convert "Sources/$module/$module.docc" \
    --additional-symbol-graph-dir "$work/$module" --output-path "$work/$module.doccarchive" \
    --enable-experimental-external-link-support $dependencies \
    --disable-parameters-and-returns-validation --warnings-as-errors >"$work/log" 2>&1 || {
    cat "$work/log" >&2
    fail "the documentation of $module has mistakes: see above."
  }
}

convert SQLiteStorage
convert TableData
convert TableDataTesting TableData
convert RecordImporting
convert LocalizedCollation SQLiteStorage
convert FetchedResults SQLiteStorage TableData RecordImporting
convert FetchedResultsExplaining FetchedResults

"$docc" merge "$work/FetchedResults.doccarchive" "$work/FetchedResultsExplaining.doccarchive" \
  "$work/TableData.doccarchive" \
  "$work/RecordImporting.doccarchive" "$work/SQLiteStorage.doccarchive" \
  "$work/LocalizedCollation.doccarchive" \
  "$work/TableDataTesting.doccarchive" \
  --synthesized-landing-page-name FetchedResults --output-path "$output" >"$work/log"
rm -rf "$work"
printf '%s\n' "The documentation is in $output. To read it:" \
  "  python3 -m http.server --directory $output    and open http://localhost:8000/documentation"
