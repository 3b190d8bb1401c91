#!/bin/sh
# build.sh FOLDER page|windows: compiles what fetch.sh brought to FOLDER into FOLDER/web (by emscripten) or FOLDER/windows (by
# mingw-w64), as our CMake files look for it.
set -eu
system=$2
here=$(cd "$(dirname "$0")" && pwd)
cd "$1"
folder=$PWD
case $2 in
  page)
    # The page's exceptions are WebAssembly's own, and so is what libpng jumps by; what is built with atomics suits pages with threads and without.
    prefix=$folder/web made=$folder/made flags="-O2 -fwasm-exceptions -msimd128 -matomics -mbulk-memory"
    cmake="emcmake cmake"
    ;;
  windows)
    prefix=$folder/windows made=$folder/made-windows flags=-O2
    cmake="cmake -DCMAKE_TOOLCHAIN_FILE=$here/windows.cmake"
    ;;
esac

quietly() { "$@" >"$folder/$system-libraries.log" 2>&1 </dev/null || { tail -n 40 "$folder/$system-libraries.log" >&2; exit 1; }; }

# configure NAME SOURCE CMAKE_ARG…
configure() {
  name=$1 from=$2
  shift 2
  # shellcheck disable=SC2086  # a command and its options, split at blanks
  quietly $cmake -G Ninja -S "$from" -B "$made/$name" -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS="$flags" \
    -DCMAKE_CXX_FLAGS="$flags" -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LIBDIR:STRING=lib -DBUILD_SHARED_LIBS=OFF "$@"
  quietly cmake --build "$made/$name" --target install
}

stamp=$(cat "$here/CMakeLists.txt" "$here/build.sh" "$here/windows.cmake" | cksum)
[ "$(cat "$prefix/built" 2>/dev/null || true)" != "$stamp" ] || exit 0
echo "build: the libraries for $2 (words in $folder/$system-libraries.log)" >&2
configure libraries "$here" -DSOURCES="$folder/src"
off=""
for option in COMMONCRYPTO GNUTLS MBEDTLS OPENSSL WINDOWS_CRYPTO BZIP2 LZMA ZSTD; do off="$off -DENABLE_$option=OFF"; done
for option in TOOLS REGRESS EXAMPLES DOC OSSFUZZ; do off="$off -DBUILD_$option=OFF"; done
# shellcheck disable=SC2086  # options, split at blanks
configure libzip "$folder/src/libzip" $off -DCMAKE_POLICY_VERSION_MINIMUM=3.5 \
  -DZLIB_LIBRARY="$prefix/lib/libz.a" -DZLIB_INCLUDE_DIR="$prefix/include" -DZLIB_VERSION_STRING=1.3
if [ "$2" = windows ]; then
  configure glfw "$folder/src/glfw3" -DGLFW_BUILD_EXAMPLES=OFF -DGLFW_BUILD_TESTS=OFF -DGLFW_BUILD_DOCS=OFF
  configure jpeg "$folder/src/libjpeg-turbo" -DENABLE_SHARED=OFF -DWITH_TURBOJPEG=OFF -DWITH_SIMD=OFF
  configure catch2 "$folder/src/catch2" -DCATCH_INSTALL_DOCS=OFF -DCATCH_INSTALL_EXTRAS=ON -DBUILD_TESTING=OFF
fi
echo "$stamp" >"$prefix/built"
