#!/bin/sh
# fetch.sh FOLDER page|windows: what the page or the program for Windows is made of besides our own code, from Debian's archive, its
# signatures checked:
#   FOLDER/src/NAME   sources of libraries that are compiled for it
#   FOLDER/usr        libraries that are headers alone, the faces with their licences, and what cuts faces down
# Needs no root and changes nothing outside of FOLDER. Quick where all is there. MIRROR names another archive.
set -eu

mirror=${MIRROR:-http://deb.debian.org/debian} keys=/usr/share/keyrings/debian-archive-keyring.gpg
system=$2
mkdir -p "$1"
cd "$1"
folder=$PWD

say() { printf 'fetch: %s\n' "$*" >&2; }

# apt SUITE ARG…: with package lists of its own.
apt() {
  suite=$1
  shift
  own=$folder/apt/$suite
  apt-get -q -o "Dir::State=$own/state" -o "Dir::Cache=$own/cache" -o "Dir::Etc::sourcelist=$own/sources.list" \
    -o Dir::Etc::sourceparts=- -o Dir::State::status=/dev/null -o APT::Sandbox::User=root "$@" >"$own/log" 2>&1 </dev/null
}

# fetched SUITE ARG…: as apt, tried once more; says what failed and where.
fetched() {
  apt "$@" || { sleep 2; apt "$@"; } || { say "apt-get for $* failed at $mirror:"; tail -n 5 "$folder/apt/$1/log" >&2; return 1; }
}

# lists SUITE: its package lists, fetched once.
lists() {
  own=$folder/apt/$1
  [ ! -e "$own/fetched" ] || return 0
  mkdir -p "$own/state/lists/partial" "$own/cache/archives/partial"
  printf 'deb [signed-by=%s] %s %s main\n' "$keys" "$mirror" "$1" >"$own/sources.list"
  sed 's/^deb /deb-src /' "$own/sources.list" >"$own/sources"
  cat "$own/sources" >>"$own/sources.list"
  say "package lists of $1"
  fetched "$1" update || exit 1
  : >"$own/fetched"
}

# source_of NAME: as Debian 13 has it, else as Debian 12.
source_of() {
  [ ! -d "src/$1" ] || return 0
  for suite in trixie bookworm; do
    lists $suite
    rm -rf downloads/"$1" "src/$1.partial"
    mkdir -p downloads/"$1" "src/$1.partial"
    say "source of $1 ($suite)"
    (cd downloads/"$1" && fetched "$suite" source --tar-only "$1") || continue
    # Its .orig.tar alone, as .gz, .xz or .bz2: a mirror may lack the files of the newest revision.
    packed=$(find downloads/"$1" -name '*.orig.tar.*' ! -name '*.asc' | head -n 1)
    [ -n "$packed" ] || { say "the source of $1 in $suite has no .orig.tar"; continue; }
    tar xf "$packed" --strip-components=1 -C "src/$1.partial"
    mv "src/$1.partial" "src/$1"
    return 0
  done
  say "the source of $1 could not be fetched from $mirror; expected a Debian archive with sources"
  exit 1
}

# package_of SUITE NAME: laid out in usr/.
package_of() {
  [ ! -d "usr/share/doc/$2" ] || return 0
  lists "$1"
  mkdir -p downloads/packages
  say "$2 ($1)"
  (cd downloads/packages && rm -f "$2"_* && fetched "$1" download "$2" && dpkg-deb -x "$2"_*.deb "$folder") ||
    { say "$2 could not be fetched from $mirror"; exit 1; }
}

for tool in apt-get dpkg-deb; do
  command -v $tool >/dev/null || { say "$tool is missing; expected Debian or Ubuntu"; exit 1; }
done
[ -r $keys ] || { say "$keys is missing, which Debian signs its archive with; expected the package debian-archive-keyring"; exit 1; }
for name in zlib libpng1.6 giflib libzip utf8proc pcre2 freetype imgui; do source_of "$name"; done
if [ "$system" = windows ]; then
  for name in glfw3 libjpeg-turbo catch2; do source_of "$name"; done
fi
for name in libeigen3-dev nlohmann-json3-dev libcli11-dev python3-fonttools; do package_of trixie "$name"; done
# The faces that the desktop program is set in on the Debian that it is made for.
for name in fonts-inter fonts-jetbrains-mono fonts-stix fonts-wqy-microhei; do package_of bookworm "$name"; done
