# shellcheck shell=sh
# What ./run and ./run-tests share. Sourced from the top of the repository; POSIX sh.

build=build/release
program=$build/bin/headlight

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }
fail() { say "$@"; exit 1; }

# on_debian: Debian, Ubuntu and what is made of them.
on_debian() { command -v apt-get >/dev/null && command -v dpkg-query >/dev/null; }

# Nobody can answer a question in CI or without a terminal.
if [ -z "${CI:-}" ] && [ -t 0 ] && [ -t 2 ]; then sudo=sudo; else sudo="sudo -n"; fi

# quietly LOG WHAT COMMAND…: says WHAT unless empty, runs COMMAND with its words in LOG, shows their end if it fails.
quietly() {
  log=$1 what=$2
  shift 2
  [ -z "$what" ] || say "$what (words in $log)"
  "$@" >"$log" 2>&1 </dev/null && return
  tail -n 60 "$log" >&2
  return 1
}

# missing_packages LIST…: those named in the lists that are not installed; asks dpkg once and changes nothing.
missing_packages() {
  wanted=$(sed 's/#.*//' "$@")
  # shellcheck disable=SC2086  # package names, split at blanks
  have=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' $wanted 2>/dev/null | sed -n 's/^installed //p')
  for package in $wanted; do
    printf '%s\n' "$have" | grep -qxF "$package" || printf ' %s' "$package"
  done
}

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else $sudo "$@"; fi; }

# apt_get ARG…: asks nothing and takes no more than what is named.
apt_get() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends -o Dpkg::Use-Pty=0 "$@"
}

# Package lists that are old or were never fetched are the usual reason to fail: fetch them, then once more.
fetch_and_install() { apt_get install "$@" || { apt_get update && apt_get install "$@"; }; }

# may_install: whether we are root or sudo lets us be.
may_install() { [ "$(id -u)" = 0 ] || { command -v sudo >/dev/null && as_root true; }; }

# install_missing LIST…: brings in what the lists name. Quick and without root where nothing is missing.
# Where it may not, the build is tried all the same: what is missing may be a font, or have come another way.
install_missing() {
  on_debian || return 0
  missing=$(missing_packages "$@")
  [ -n "$missing" ] || return 0
  if ! may_install; then
    say "missing packages, and neither root nor sudo to install them; as root: apt-get install$missing"
    return 0
  fi
  mkdir -p build
  # shellcheck disable=SC2086  # package names, split at blanks
  quietly build/install.log "installing$missing" fetch_and_install $missing || fail "apt-get could not install$missing"
}

# configure CMAKE_ARG…
configure() {
  mkdir -p "$build"
  if command -v cmake >/dev/null; then
    quietly "$build/configure.log" "configuring $build" cmake --preset release "$@" && return
    found=$(cmake --version | sed -n '1s/.*version //p')
  fi
  on_debian || say "packages are installed on Debian and Ubuntu only; here, install what vcpkg.json lists, Ninja," \
    "pkg-config and Python's glad 2 (pip install glad2)"
  fail "could not configure with CMake ${found:-missing}; 3.25 or later is needed, and the packages in .ci/packages"
}

# build_target [TARGET…]: Ninja's one moving line where somebody looks on, else a log. Keeps standard output clean for
# what the program writes there, and says nothing where the program is there already and so most likely new enough.
build_target() {
  announcement="building $build"
  [ $# = 0 ] || [ ! -x "$program" ] || announcement=
  set -- cmake --build --preset release ${1:+--target "$@"}
  if [ -t 2 ] && [ -z "${CI:-}" ]; then
    "$@" >&2
  else
    quietly "$build/build.log" "$announcement" "$@"
  fi || fail "the build failed"
}
