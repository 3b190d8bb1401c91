#!/bin/sh
# installed.sh CMAKE BUILD: `cmake --install` gives a program that runs from any folder and by PATH, and finds its assets.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$1" --install "$2" --prefix "$scratch/usr" >/dev/null
mkdir "$scratch/elsewhere"
cd "$scratch/elsewhere"
PATH=$scratch/usr/bin:$PATH
export HOME="$scratch/home" XDG_DATA_DIRS="$scratch/none"
headlight --version | grep -q '^headlight [0-9]'
headlight list lessons --json | grep -q '"' || { echo "no lessons were installed"; exit 1; }
headlight render --random --stage weights -o weights.png
[ -s weights.png ]
case $(uname) in
  Linux)
    grep -q '^\.SH NAME' "$scratch/usr/share/man/man1/headlight.1"
    grep -q 'Exec=headlight' "$scratch/usr/share/applications/headlight.desktop"
    if command -v desktop-file-validate >/dev/null; then desktop-file-validate "$scratch/usr/share/applications/headlight.desktop"; fi ;;
esac
# The user's own lessons and colour maps are found, and the installed files need no change.
mkdir -p "$HOME/.local/share/headlight/colormaps"
cp "$scratch/usr/share/headlight/colormaps/grey.txt" "$HOME/.local/share/headlight/colormaps/mine.txt"
headlight render --random --stage weights --colormap mine -o mine.png
