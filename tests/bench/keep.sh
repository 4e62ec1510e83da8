#!/bin/bash
# Measures everything, shows the table and keeps it in docs/performance.md in place of the last one.
# What is kept is what was measured, bars that are not met included.
set -u
cd "$(dirname "$0")/../.." || exit 1
page=docs/performance.md
table=$(mktemp)
trap 'rm -f "$table"' EXIT
tests/bench/run.sh | tee "$table"
status=${PIPESTATUS[0]}
awk -v table="$table" '
    /^```$/ { inside = 0 }
    !inside { print }
    /^```text$/ { inside = 1; while ((getline line < table) > 0) print line }' "$page" >"$page.new" &&
    mv "$page.new" "$page"
exit "$status"
