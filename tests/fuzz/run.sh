#!/bin/bash
# Fuzzes every target for SECONDS (by default ten minutes for all targets together). Runs earlier
# findings first (tests/fuzz/found/TARGET/), then continues from the seeds (generated from the
# tables, and the lines of tests/fuzz/texts/TARGET) and the corpus of the last run
# (build/fuzz/corpus/TARGET/). Prints TAP.
#
#   tests/fuzz/run.sh [SECONDS [TARGET…]]
#
# SEED=1 (or any other number) makes runs reproducible within the time. INPUTS=5000: runs this many
# inputs of each target (or all known ones, if there are more), regardless of the time.
#
# Each line shows the number of executed inputs; the last line shows the total.
set -u
cd "$(dirname "$0")/../.." || exit 1
unset MAKEFLAGS MAKELEVEL MFLAGS
seconds=${1:-}
[ $# = 0 ] || shift
if [ $# = 0 ]; then
    for target in tests/fuzz/fuzz_*.c; do set -- "$@" "$(basename "$target" .c)"; done
fi

[ -n "$seconds" ] || seconds=$((600 * 2 / $#)) # targets run two at a time
bound=-max_total_time=$seconds
[ -z "${INPUTS:-}" ] || bound=-runs=$INPUTS
export bound

mkdir -p build/fuzz/crashes
if ! make FUZZ=1 fuzzers >build/fuzz-build.log 2>&1; then
    cat build/fuzz-build.log
    echo "not ok - the fuzz targets do not build"
    exit 1
fi

corpus=build/fuzz/corpus
for source in tests/fuzz/fuzz_*.c; do mkdir -p "$corpus/$(basename "$source" .c)"; done # makes the seeds
build/san/tests/fuzz/seeds "$corpus" || exit 1
for target; do
    [ ! -f "tests/fuzz/texts/$target" ] ||
        awk -v at="$corpus/$target/text-" '
            { file = at NR; gsub(/\\n/, "\n"); gsub(/\\r/, "\r"); printf "%s", $0 > file; close(file) }' \
            "tests/fuzz/texts/$target"
done

one() {
    local target=$1 log=build/fuzz/$1.log found=tests/fuzz/found/$1
    local program=build/san/tests/fuzz/$1 dictionary=tests/fuzz/$1.dict
    # shellcheck disable=SC2046 # a list of files
    if "$program" -seed="${SEED:-0}" "$bound" -timeout=10 -rss_limit_mb=1024 -max_len=2048 \
        -artifact_prefix="build/fuzz/crashes/$target-" -print_final_stats=1 -verbosity=1 \
        $([ ! -f "$dictionary" ] || echo "-dict=$dictionary") \
        "build/fuzz/corpus/$target" $([ ! -d "$found" ] || echo "$found") >"$log" 2>&1; then
        echo "ok - $target: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") inputs"
    else
        grep -aE "does not hold|runtime error|ERROR: |SUMMARY: " "$log"
        echo "not ok - $target: see $log; keep the input in $found/"
        return 1
    fi
}
export -f one
printf '%s\n' "$@" | xargs -P2 -I{} bash -c 'one {}'
status=$?
for target; do cat "build/fuzz/$target.log"; done |
    awk '/^stat::number_of_executed_units/ { n += $2 } END { printf "# %d inputs in all\n", n }'
exit $status
