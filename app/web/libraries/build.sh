#!/bin/sh
# build.sh FOLDER: compiles what fetch.sh brought to FOLDER into FOLDER/web, as our CMake files look for it.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "$1"
folder=$PWD
prefix=$folder/web
# The page's exceptions are WebAssembly's own, and so is what libpng jumps by; what is built with atomics suits pages with threads and without.
flags="-O2 -fwasm-exceptions -msimd128 -matomics -mbulk-memory"

quietly() { "$@" >"$folder/build.log" 2>&1 </dev/null || { tail -n 40 "$folder/build.log" >&2; exit 1; }; }

# of NAME SOURCE CMAKE_ARG…
configure() {
  name=$1 from=$2
  shift 2
  quietly emcmake cmake -G Ninja -S "$from" -B "$folder/made/$name" -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS="$flags" \
    -DCMAKE_CXX_FLAGS="$flags" -DCMAKE_INSTALL_PREFIX="$prefix" "$@"
  quietly cmake --build "$folder/made/$name" --target install
}

stamp=$(cat "$here/CMakeLists.txt" "$here/build.sh" | cksum)
[ "$(cat "$prefix/built" 2>/dev/null || true)" != "$stamp" ] || exit 0
echo "build: the libraries (words in $folder/build.log)" >&2
configure libraries "$here" -DSOURCES="$folder/src"
off=""
for option in COMMONCRYPTO GNUTLS MBEDTLS OPENSSL WINDOWS_CRYPTO BZIP2 LZMA ZSTD; do off="$off -DENABLE_$option=OFF"; done
for option in TOOLS REGRESS EXAMPLES DOC OSSFUZZ; do off="$off -DBUILD_$option=OFF"; done
# shellcheck disable=SC2086  # options, split at blanks
configure libzip "$folder/src/libzip" $off -DBUILD_SHARED_LIBS=OFF -DCMAKE_POLICY_VERSION_MINIMUM=3.5 \
  -DZLIB_LIBRARY="$prefix/lib/libz.a" -DZLIB_INCLUDE_DIR="$prefix/include" -DZLIB_VERSION_STRING=1.3
echo "$stamp" >"$prefix/built"
