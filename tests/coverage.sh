#!/bin/bash
# Measures the line coverage of lib/ by unit tests, golden cases and command-line tests, per folder.
# Fails if a folder or the whole is below the limit. Details per file and line are in
# build/coverage/lines.txt.
#
#   tests/coverage.sh [LIMIT]      default: 90 %
set -u
cd "$(dirname "$0")/.." || exit 1
unset MAKEFLAGS MAKELEVEL MFLAGS
export LC_ALL=C.UTF-8 TERM=dumb NO_COLOR=1
limit=${1:-90}
B=build/coverage

home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
mkdir -p "$B"

# A signal lets a program exit normally, so that it saves its counts. Compiled as GNU C, because only then they
# are also saved at fork and exec.
make B="$B" OPTIMISE=-O0 CFLAGS='--coverage -fprofile-update=atomic -std=gnu11' LDFLAGS=--coverage all units \
    >"$B/build.log" 2>&1 || { tail "$B/build.log" && exit 1; }
# Creates empty count files that all users can write, because a test runs a program as another user.
find "$B/obj" -name '*.gcno' -print | sed 's/gcno$/gcda/' | xargs truncate -s 0
find "$B/obj" -name '*.gcda' -exec chmod a+w {} +

export HOME=$home XDG_CONFIG_HOME=$home/config XDG_STATE_HOME=$home/state XDG_RUNTIME_DIR=$home
failed=0
said() { echo "coverage: $1 (see $2)" >&2; failed=1; }
for source in $(find tests/unit -name 'test_*.c' | sort); do
    name=$(basename "$(dirname "$source")")-$(basename "$source" .c)
    timeout 300 "$B/${source%.c}" >"$B/$name.log" 2>&1 || said "$source failed" "$B/$name.log"
done
tests/golden/run.sh "$B/bin" >"$B/golden.log" 2>&1 || said "golden cases failed" "$B/golden.log"
# Skips the tests without disk space or memory, where saving the counts fails, too.
find tests/cli -name '*.bats' ! -name full_disk.bats ! -name memory.bats | sort |
    KILLS=20 BATS_TEST_TIMEOUT=180 BIN=$PWD/$B/bin xargs bats --tap >"$B/cli.log" 2>&1 ||
    said "command line tests failed" "$B/cli.log"

# Prints "FILE LINES COVERED" for each file, then the table.
gcovr --root . --object-directory "$B/obj" --filter 'lib/' --csv "$B/lines.csv" --txt "$B/lines.txt" \
    "$B/obj" >"$B/gcovr.log" 2>&1 || { cat "$B/gcovr.log" && exit 1; }
rooms=$(echo lib/base lib/wire lib/describe lib/capture lib/control lib/tuning lib/link lib/view lib/shell lib/protocol/*)
awk -F, -v limit="$limit" -v rooms="$rooms" '
    NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
    {
        split($1, part, "/")
        folder = "lib/" part[2] (part[2] == "protocol" ? "/" part[3] : "")
        total[folder] += $column["line_total"]; total["all"] += $column["line_total"]
        hit[folder] += $column["line_covered"]; hit["all"] += $column["line_covered"]
    }
    function row(name) {
        share = 100 * hit[name] / total[name]
        printf "%-22s %6d %8d %7.1f %%%s\n", name, total[name], hit[name], share,
            share < limit ? "  below " limit " %" : ""
        if (share < limit) low = 1
    }
    END {
        printf "%-22s %6s %8s %9s\n", "folder", "lines", "covered", "share"
        n = split(rooms, names, " ")
        for (i = 1; i <= n; i++) if (total[names[i]]) row(names[i])
        row("all")
        exit low
    }' "$B/lines.csv" || failed=1
exit $failed
