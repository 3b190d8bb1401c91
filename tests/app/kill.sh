#!/bin/sh
# Kills a window 100 times while a monkey edits, paints and saves in it, and looks at what it left: nothing older than two
# seconds may be lost, nothing half written. usage: kill.sh [BUILD_FOLDER [TIMES]]
build=${1:-build/dev}
HEADLIGHT_KILLS=${2:-100} exec "$build/bin/headlight_ui_tests" "a window that is killed*"
