#!/bin/sh
# format.sh ROOT: checks that clang-format 14 with the repository's .clang-format changes no source. Other versions format
# some lines differently, so the check is skipped (77) if version 14 is missing.
cd "$1" || exit 1
for program in clang-format-14 clang-format; do
  case $("$program" --version 2>/dev/null) in *"version 14."*) format=$program; break ;; esac
done
[ -n "${format:-}" ] || { echo "skipped: it needs clang-format 14 (on Debian 12: apt-get install clang-format)"; exit 77; }
find core ui app tests examples -name '*.h' -o -name '*.cpp' |
  xargs "$format" --dry-run -Werror || { echo "run clang-format -i on the files above"; exit 1; }
