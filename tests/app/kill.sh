#!/bin/sh
# Kills a window 100 times while a monkey edits, paints and saves in it. Work older than two seconds must not be lost, and
# no file may be incomplete. usage: kill.sh [BUILD_FOLDER [TIMES]]
build=${1:-build/dev}
HEADLIGHT_KILLS=${2:-100} exec "$build/bin/headlight_ui_tests" "a window that is killed*"
