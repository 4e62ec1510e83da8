#!/bin/bash
# Runs all benchmarks, prints the tables and replaces those in docs/performance.md.
# Saves rows that miss their limit, too, but no rows without a peer and a limit.
set -u
cd "$(dirname "$0")/../.." || exit 1
page=docs/performance.md
tables=$(mktemp)
trap 'rm -f "$tables"' EXIT
tests/bench/run.sh | tee "$tables"
status=${PIPESTATUS[0]}
# What comes before the first title describes the machine. The marker of a table has its title; a
# blank line ends the table.
awk -v tables="$tables" '
    BEGIN {
        title = "Machine"
        while ((getline line < tables) > 0) {
            n = split(line, cell, "|")
            if (line ~ /^### /)
                title = substr(line, 5)
            else if (line != "" && (n < 6 || cell[4] cell[5] ~ /[^ ]/))
                text[title] = text[title] line "\n"
        }
    }
    /^$/ { inside = 0 }
    !inside { print }
    /^<!-- table .* -->$/ {
        inside = 1
        printf "%s", text[substr($0, 12, length($0) - 15)]
    }' "$page" >"$page.new" &&
    mv "$page.new" "$page"
exit "$status"
