#!/bin/bash
# Runs the unit tests of a build one after another: tests/units.sh build/shared
cd "$(dirname "$0")/.." || exit 1
HOME=$(mktemp -d)
export HOME
trap 'rm -rf "$HOME"' EXIT
unset MAKEFLAGS MAKELEVEL MFLAGS XDG_RUNTIME_DIR
failed=0
for test in $(find tests/unit -name 'test_*.c' | sort); do
    timeout 300 "$1/${test%.c}" >"$HOME/log" 2>&1 || { failed=1 && echo "$test" && cat "$HOME/log"; }
done
exit $failed
