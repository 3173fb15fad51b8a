#!/bin/sh
# Makes sure that the system modules CSQLite and CZlib can be built: Swift, and SQLite 3.40 or newer and zlib with
# their headers. Silent when all is there. Where it is not: installs the headers with apt-get or dnf,
# and elsewhere says what to install.
set -eu

minimum=3.40.0
minimum_number=3040000

say() {
  printf '%s\n' "$@" >&2
}

fail() {
  say "install-sqlite: $1"
  shift
  [ $# -eq 0 ] || say "$@"
  exit 1
}

has() {
  command -v "$1" >/dev/null 2>&1
}

# Compiles, links and runs a program against SQLite. Sets `state` to ready, missing, unloadable or
# old, and `header` and `library` to the versions found.
probe() {
  # SwiftPM finds a SQLite outside the system's folders through pkg-config: so does the probe.
  flags="-lsqlite3 -lz"
  if has pkg-config; then
    flags=$(pkg-config --cflags --libs sqlite3 zlib 2>/dev/null) || flags="-lsqlite3 -lz"
  fi
  # shellcheck disable=SC2086 # several flags
  if ! "$compiler" "$work/probe.c" -o "$work/probe" $flags >"$work/log" 2>&1; then
    state=missing
    return
  fi
  if ! "$work/probe" >"$work/versions" 2>"$work/log"; then
    state=unloadable
    return
  fi
  read -r header_number header library_number library <"$work/versions"
  if [ "$header_number" -ge $minimum_number ] && [ "$library_number" -ge $minimum_number ]; then
    state=ready
  else
    state=old
  fi
}

# Runs a command as root; fails when there is no way to.
as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif has sudo; then
    sudo "$@"
  else
    return 1
  fi
}

# Says what a person has to run, and gives up.
ask_for() {
  fail "The headers of SQLite or zlib (sqlite3.h, zlib.h) or their libraries were not found." "$1:" "" "    $2" "" \
    "Then run the same make command again."
}

install_headers() {
  if [ "$(uname -s)" = Darwin ]; then
    ask_for "They are part of Apple's SDK; install it with" "xcode-select --install"
  elif has apt-get; then
    by_hand="apt-get update && apt-get install -y libsqlite3-dev zlib1g-dev"
    [ "$(id -u)" -eq 0 ] || has sudo || ask_for "Run as root" "$by_hand"
    say "install-sqlite: the headers of SQLite or zlib were not found; installing libsqlite3-dev and zlib1g-dev with apt-get."
    # A failing update need not matter: the lists at hand may do.
    as_root apt-get update -qq >&2 || true
    as_root env DEBIAN_FRONTEND=noninteractive \
      apt-get install -y -qq --no-install-recommends libsqlite3-dev zlib1g-dev >&2 ||
      ask_for "apt-get could not install them (see above). Run as root" "$by_hand"
  elif has dnf; then
    by_hand="dnf install -y sqlite-devel zlib-devel"
    [ "$(id -u)" -eq 0 ] || has sudo || ask_for "Run as root" "$by_hand"
    say "install-sqlite: the headers of SQLite or zlib were not found; installing sqlite-devel and zlib-devel with dnf."
    as_root dnf install -y -q sqlite-devel zlib-devel >&2 ||
      ask_for "dnf could not install them (see above). Run as root" "$by_hand"
  elif has apk; then
    ask_for "Run as root" "apk add sqlite-dev zlib-dev"
  elif has zypper; then
    ask_for "Run as root" "zypper install sqlite3-devel zlib-devel"
  elif has pacman; then
    ask_for "Run as root" "pacman -S sqlite zlib"
  else
    fail "The headers of SQLite or zlib (sqlite3.h, zlib.h) or their libraries were not found." \
      "Install SQLite $minimum or newer with its headers: your system's package is usually called" \
      "sqlite-devel, sqlite-dev or libsqlite3-dev, and that of zlib zlib-devel or zlib1g-dev. Then run the same make command again."
  fi
}

swift=$(command -v swift) ||
  fail "Swift was not found. Install Swift 6.2 or newer from https://www.swift.org/install/" \
    "and see to it that 'swift' is in the PATH. Then run the same make command again."

# Swift's toolchain brings a clang, which is not in the PATH where `swift` is a mere link.
toolchain=$(dirname "$(readlink -f "$swift" 2>/dev/null || printf '%s' "$swift")")
for compiler in cc clang "$toolchain/clang" ""; do
  if [ -z "$compiler" ]; then
    fail "No C compiler was found, neither 'cc' nor the 'clang' of Swift's toolchain." \
      "Reinstall Swift from https://www.swift.org/install/, or install a C compiler."
  fi
  ! has "$compiler" || break
done

trap 'exit 130' INT
trap 'exit 143' TERM
trap 'rm -rf "${work:-}"' EXIT
work=$(mktemp -d)

cat >"$work/probe.c" <<'END'
#include <sqlite3.h>
#include <stdio.h>
#include <zlib.h>
int main(void) {
  printf("%d %s %d %s\n", SQLITE_VERSION_NUMBER, SQLITE_VERSION, sqlite3_libversion_number(),
         sqlite3_libversion());
  return zlibVersion() == NULL;
}
END

probe

if [ "$state" = missing ]; then
  # Without a working compiler no package of SQLite's would help.
  printf 'int main(void) { return 0; }\n' >"$work/empty.c"
  if ! "$compiler" "$work/empty.c" -o "$work/empty" >"$work/log" 2>&1; then
    fail "The C compiler '$compiler' cannot build an empty program:" "" "$(cat "$work/log")" "" \
      "Swift needs the same C headers and linker." \
      "Debian, Ubuntu: apt-get install build-essential; Fedora: dnf install gcc;" \
      "macOS: xcode-select --install."
  fi
  install_headers
  probe
fi

case $state in
  ready) ;;
  missing)
    fail "The package is installed, but '$compiler' still cannot build against SQLite:" "" \
      "$(cat "$work/log")"
    ;;
  unloadable)
    fail "A program built against SQLite does not run; is libsqlite3 in the loader's path?" "" \
      "$(cat "$work/log")"
    ;;
  old)
    fail "SQLite $minimum or newer is needed; here sqlite3.h is $header and the library $library." \
      "Debian 12, Ubuntu 24.04 and Fedora 38 are new enough. On an older system build SQLite from" \
      "https://sqlite.org/download.html, then set PKG_CONFIG_PATH to the folder of its sqlite3.pc" \
      "and LD_LIBRARY_PATH to that of its libsqlite3."
    ;;
esac
