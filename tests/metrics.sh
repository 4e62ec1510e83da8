#!/bin/sh
# Checks every function in cmd/ and lib/ with pmccabe. Exit status 1 if one has more than 60 lines or a
# cyclomatic complexity above 15, or if a struct has more than 15 members (members.py).
set -eu
cd "$(dirname "$0")/.."

# Output of pmccabe: modified complexity, complexity, statements, first line, lines, file(line): name
find cmd lib -name '*.c' -print0 | xargs -0 pmccabe | sort -k5,5n |
    awk -F '\t' '
    { lines[NR] = $5; where[NR] = $6; complexity[NR] = $2 }
    function summary(name, sorted,   median, most) {
        median = int((NR + 1) / 2)
        most = int((NR * 19 + 19) / 20)
        printf "%-12s median %d, 95%% %d, max %d\n", name, sorted[median], sorted[most], sorted[NR]
    }
    function sort_into(from, to,   i, k, v) {
        for (i = 1; i <= NR; i++) {
            v = from[i]
            for (k = i - 1; k > 0 && to[k] > v; k--)
                to[k + 1] = to[k]
            to[k + 1] = v
        }
    }
    END {
        if (NR == 0) { print "no functions"; exit 1 }
        sort_into(complexity, c)
        printf "%d functions\n", NR
        summary("lines", lines)
        summary("complexity", c)
        for (i = 1; i <= NR; i++)
            if (lines[i] > 60 || complexity[i] > 15) {
                printf "too large: %s (%d lines, complexity %d)\n", where[i], lines[i], complexity[i]
                bad = 1
            }
        exit bad
    }'
tests/members.py
