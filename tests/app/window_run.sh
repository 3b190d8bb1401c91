#!/usr/bin/env bash
# Runs the real program in a window under Xvfb. xdotool types a sentence, undoes it, opens a file, and quits.
# usage: window_run.sh PROGRAM        exit 77: Xvfb or xdotool is missing
set -euo pipefail
program=$(realpath "$1")
fixtures=$(realpath "$(dirname "$0")/../fixtures")
command -v Xvfb >/dev/null && command -v xdotool >/dev/null || { echo "skipped: it needs a display of its own (apt-get install xvfb xdotool)"; exit 77; }

work=$(mktemp -d)
pids=()
trap 'kill "${pids[@]}" 2>/dev/null || true; cd /; rm -rf "$work"' EXIT

Xvfb -displayfd 3 -screen 0 1280x720x24 -nolisten tcp -noreset 3>"$work/display" 2>"$work/xvfb.log" &
pids+=($!)
for _ in $(seq 100); do [ -s "$work/display" ] && break; sleep 0.1; done
[ -s "$work/display" ] || { cat "$work/xvfb.log"; exit 1; }
DISPLAY=:$(cat "$work/display")
export DISPLAY
unset WAYLAND_DISPLAY

mkdir "$work/files"
cp "$fixtures/s002_v1.input.npz" "$work/files/ab.npz"
cp "$fixtures/s002_v2.input.npz" "$work/files/b.npz"
export XDG_STATE_HOME=$work/state  # what it remembers of this person
cd "$work/files"
LIBGL_ALWAYS_SOFTWARE=1 "$program" --text "the cat sat" --level pipeline --size 1280x720 >"$work/out" 2>&1 &
app=$!
pids+=("$app")

# Waits until the window's title is as wanted.
title_becomes() {
  for _ in $(seq 200); do
    kill -0 "$app" 2>/dev/null || { echo "the program ended:"; cat "$work/out"; exit 1; }
    window=$(xdotool search --name "Headlight" 2>/dev/null | head -n 1 || true)
    [ -n "$window" ] && [[ "$(xdotool getwindowname "$window")" == "$1"* ]] && return 0
    sleep 0.1
  done
  echo "the title never became \"$1\"; it is \"$(xdotool getwindowname "${window:-0}" 2>/dev/null || true)\""
  exit 1
}

title_becomes "the cat sat"
xdotool mousemove 100 95 sleep 0.3 click 1 sleep 0.5
xdotool key ctrl+a sleep 0.3
xdotool type --delay 60 "one two three four"
xdotool key Return
title_becomes "one two three four"

# Undo brings the first sentence back.
xdotool mousemove 640 400 sleep 0.3 click 1 sleep 0.3 key ctrl+z
title_becomes "the cat sat"

# A click where the pointer left the window and came back, without a move between: letters go into the field, and are
# no shortcuts.
xdotool windowsize "$window" 1280 600 sleep 0.5
xdotool mousemove 100 95 sleep 0.3 mousemove 100 700 sleep 0.3 mousemove 100 95 sleep 0.3 click 1 sleep 0.5
xdotool key ctrl+a sleep 0.3
xdotool type --delay 60 "back again"
xdotool key Return
title_becomes "back again"
xdotool windowsize "$window" 1280 720 sleep 0.5
xdotool mousemove 640 400 sleep 0.3 click 1 sleep 0.3 key ctrl+z
title_becomes "the cat sat"

# All input arrives in order, also if one frame takes longer than all of it.
kill -STOP "$app"
xdotool mousemove 100 95 click 1 key ctrl+a type --delay 1 "first words"
xdotool key Return mousemove 101 95 click 1 key ctrl+a type --delay 1 "five siz"
xdotool key BackSpace type --delay 1 "x"
xdotool key Return mousemove 640 400 click 1
kill -CONT "$app"
title_becomes "five six"
xdotool key ctrl+z
title_becomes "first words"
kill -STOP "$app"
xdotool key --delay 1 ctrl+z ctrl+shift+z ctrl+z
kill -CONT "$app"
title_becomes "the cat sat"

# The open dialog has the keyboard by itself.
kill -STOP "$app"
xdotool key ctrl+o type --delay 1 "ab.npz"
xdotool key Return
kill -CONT "$app"
title_becomes "ab.npz"

# Nothing happens for a while: nothing is drawn, so the program takes no processor time (in ticks of 10 ms).
ticks() { awk '{print $14 + $15}' "/proc/$app/stat"; }
sleep 1.5
before=$(ticks)
sleep 2
spent=$(($(ticks) - before))
[ "$spent" -le 10 ] || { echo "an idle window took $spent ticks in 2 s"; exit 1; }

xdotool key ctrl+q
for _ in $(seq 100); do kill -0 "$app" 2>/dev/null || break; sleep 0.1; done
wait "$app"
echo "typed, undone, opened, idle ($spent ticks in 2 s), closed"
