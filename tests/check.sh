#!/bin/bash
# Everything that is tested, one line per suite, the output of what fails in full, and at the end
#
#     N passed, N failed
#
# A suite is a command. It prints TAP (each case counts), or nothing of the kind (then its exit
# status is the one case). What is skipped is said and not counted.
#
#   tests/check.sh              all suites
#   tests/check.sh unit cli     these only
set -u
cd "$(dirname "$0")/.." || exit 1
unset MAKEFLAGS MAKELEVEL MFLAGS
export LC_ALL=C.UTF-8 TERM=dumb NO_COLOR=1
LOGS=build/check
LIMIT=600 # seconds until a suite is given up
only=" $* "

# Nobody's own configuration or history takes part.
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
export HOME=$home XDG_CONFIG_HOME=$home/config XDG_STATE_HOME=$home/state XDG_RUNTIME_DIR=$home

# ---- What the suites do --------------------------------------------------------------------------

# Unit tests of the build in $1. A program that dies without saying which test failed is a failure.
units() {
    local source program status out
    out=$(mktemp "$LOGS/unit.XXXXXX")
    for source in tests/unit/test_*.c; do
        program=$1/${source%.c}
        echo "# $program"
        CMOCKA_MESSAGE_OUTPUT=TAP timeout 120 "$program" >"$out" 2>&1
        status=$?
        cat "$out"
        if [ $status != 0 ] && ! grep -q '^not ok' "$out"; then
            echo "not ok - $program: exit status $status"
        fi
    done
    rm -f "$out"
}

# The command line tests with the programs of $1, without the file $2.
cli() {
    local files=(tests/cli/*.bats)
    [ -z "${2:-}" ] || files=("${files[@]/tests\/cli\/$2/}")
    # shellcheck disable=SC2086,SC2068 # the one left out is empty
    BATS_TEST_TIMEOUT=60 BIN=$PWD/$1/bin timeout -k 10 $LIMIT bats --tap ${files[@]}
}

# Benchmarks with tiny counts, so that they do not rot.
benches() {
    local source
    for source in tests/bench/bench_*.c; do
        "build/${source%.c}" 0.001 || return 1
    done
}

# The places where people keep their files have no business in the tree. (In brackets: not this line.)
paths() {
    ! git grep -nIE --untracked --exclude-standard \
        '/(home|root|wor[k]|Users)/[a-z]|share[d]/(spec|facts|tools)' -- . ':!LICENSE'
}

scripts() {
    local shell_scripts
    shell_scripts=$(git ls-files -co --exclude-standard -- '*.sh' .ci/run)
    # shellcheck disable=SC2086 # a list of files
    shellcheck -S warning $shell_scripts
}

# Shells and man must be able to read what is generated for them.
syntax() {
    local tool
    for tool in armctl hidmotor canpid unitysim ezphys; do
        bash -n completions/$tool.bash && zsh -n completions/_$tool &&
            fish --no-execute completions/$tool.fish && mandoc -T lint -W error docs/man/$tool.1 ||
            return 1
    done
}

# ---- Running them --------------------------------------------------------------------------------

# Counts what the suite in $1 printed, and says it in one line; on failure in full.
tally() {
    local name=$1 status=$2 seconds=$3 log=$LOGS/$1.log passed failed skipped
    skipped=$(grep -ciE '^ok .*# skip' "$log")
    passed=$(($(grep -c '^ok ' "$log") - skipped))
    failed=$(grep -c '^not ok ' "$log")
    if [ "$status" != 0 ] && [ "$failed" = 0 ]; then failed=1; fi
    if [ $((passed + failed + skipped)) = 0 ]; then passed=1; fi
    printf '%s %s\n' "$passed" "$failed" >"$LOGS/$name.count"
    {
        printf '%-16s %5d passed %3d failed' "$name" "$passed" "$failed"
        [ "$skipped" = 0 ] || printf ' %d skipped' "$skipped"
        printf ' %5ds\n' "$seconds"
        if [ "$failed" != 0 ]; then sed 's/^/    /' "$log"; fi
        if [ "$skipped" != 0 ]; then grep -iE '^ok .*# skip' "$log" | sed 's/^/    /'; fi
    } >"$LOGS/$name.report"
    flock "$LOGS/lock" cat "$LOGS/$name.report"
}

# suite NAME COMMAND…
suite() {
    local name=$1 start=$SECONDS status
    shift
    [[ $only == "  " || $only == *" $name "* ]] || return 0
    if [ "$(type -t "$1")" = function ]; then
        "$@" >"$LOGS/$name.log" 2>&1 </dev/null
    else
        timeout -k 10 $LIMIT "$@" >"$LOGS/$name.log" 2>&1 </dev/null
    fi
    status=$?
    [ $status != 124 ] || echo "given up after $LIMIT seconds" >>"$LOGS/$name.log"
    tally "$name" $status $((SECONDS - start))
    return $status
}

# What cannot be built cannot be tested: of the other suites nothing is said then.
builds() {
    suite build make all units benches && suite build-san make SAN=1 all units &&
        suite build-clang make CC=clang all units
}

# Both processors are used: the suites run in two lanes. Those that could meet on a port are in the
# same lane.

lane_programs() {
    suite cli cli build
    suite cli-san cli build/san stops.bats # which is about time
    suite golden tests/golden/run.sh build/bin
    suite golden-san tests/golden/run.sh build/san/bin
    suite demo tests/demo.sh
    suite examples tests/examples.py
    suite generated tests/generate.sh --check
    suite syntax syntax
    suite install tests/install.sh
}

lane_library() {
    suite format tests/format.sh
    suite metrics tests/metrics.sh
    suite paths paths
    suite scripts scripts
    suite unit units build
    suite unit-san units build/san
    suite unit-clang units build/clang
    suite benches benches
    suite model tests/model.sh
    suite soak tests/soak.sh --small
    suite soak-san env B=build/san tests/soak.sh --small
    suite fuzz tests/fuzz/run.sh 30
}

rm -rf "$LOGS"
mkdir -p "$LOGS"
if builds; then
    lane_programs &
    lane_library
    wait
fi

cat "$LOGS"/*.count | awk '
    { passed += $1; failed += $2 }
    END { printf "%d passed, %d failed\n", passed, failed; exit failed != 0 }'
