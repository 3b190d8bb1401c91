#!/bin/sh
# library.sh CMAKE BUILD SOURCE COMPILER VERSION GENERATOR MAKE: an installed library is found by find_package, asks for no window and no
# figures, and examples/library builds against it and runs. It is built with what this build was made with: CMake's default
# generator may not be installed.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() { echo "$1"; exit 1; }
"$1" --install "$2" --prefix "$scratch/usr" --component Library >/dev/null
[ ! -e "$scratch/usr/bin" ] || fail "the library's component brings the program"
[ -z "$(find "$scratch/usr/include" -path '*figure*' -o -name '*.cpp')" ] || fail "headers that are no part of the library were installed"
library=$(find "$scratch/usr" -name libheadlight.a)
if nm -u "$library" 2>/dev/null | grep -qE ' U (cairo_|pango_|Fc[A-Z]|gl[A-Z]|glfw|_ZN5ImGui|EGif|DGif)'; then fail "the library asks for Cairo, Pango, Fontconfig, giflib or a window"; fi
cp -r "$3/examples/library" "$scratch/example"
"$1" -G "$6" -DCMAKE_MAKE_PROGRAM="$7" -S "$scratch/example" -B "$scratch/build" -DCMAKE_PREFIX_PATH="$scratch/usr" -DCMAKE_CXX_COMPILER="$4" -DCMAKE_CXX_FLAGS="-Wall -Wextra -Werror" >/dev/null
"$1" --build "$scratch/build" >/dev/null
"$scratch/build/weights" >"$scratch/out"
cat "$scratch/out"
grep -q '^ 1.000 0.000 0.000  the$' "$scratch/out" || fail "the first word looks at itself alone"
[ "$(wc -l <"$scratch/out")" = 4 ]
grep -q "HEADLIGHT_VERSION_STRING \"$5\"" "$scratch/usr/include/headlight/version.h"
