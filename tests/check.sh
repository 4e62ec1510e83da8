#!/bin/bash
# Runs test suites. Prints a line for each suite, the output of failed suites, and at the end
#
#     N passed, N failed
#
# A suite is a command that prints TAP (each case counts) or anything else (its exit status is the
# only case). Skipped cases are printed and not counted. There is no second try.
#
#   tests/check.sh              make check: build, unit tests, command line, forms, examples
#   tests/check.sh --slow       make check-all: sanitizers, fuzzers, served runs, plants, kernel VM
#   tests/check.sh unit cli     these suites only
set -u
cd "$(dirname "$0")/.." || exit 1
unset MAKEFLAGS MAKELEVEL MFLAGS
export LC_ALL=C.UTF-8 TERM=dumb NO_COLOR=1
LOGS=build/check
LIMIT=1200 # s, timeout of a suite on a slow machine
PATIENCE=300 # s, timeout of a unit test program or a bats test
SKIPPED='^(not )?ok .*# ([Ss]kip|SKIP)' # bats prints the first, cmocka the second
only=" $* "
slow=
if [ "${1:-}" = --slow ]; then slow=1 only="  "; fi

# Raises the priority over other programs, because tests have the time limits of users. The priority of the
# autogroup does not suffice: some tests start their own session.
renice -n -10 $$ >/dev/null 2>&1

# Hides the user's configuration and history.
home=$(mktemp -d)
TMPDIR=$(mktemp -d /tmp/cXXXX) # a short path, because socket paths are limited
trap 'rm -rf "$home" "$TMPDIR"' EXIT
chmod 755 "$TMPDIR" # some tests run programs as another user
export HOME=$home XDG_CONFIG_HOME=$home/config XDG_STATE_HOME=$home/state XDG_RUNTIME_DIR=$home

# The suite `left` looks for leftover files in this directory and for processes with this variable.
export TMPDIR ARMWIRE_CHECK=$home

# The tests need the system's Python with its packages. The wrapper of a version manager takes as long to start as
# a test.
mkdir -p "$home/bin"
if [ -x /usr/bin/python3 ]; then ln -s /usr/bin/python3 "$home/bin/"; fi
PATH=$home/bin:$PATH

# Gives suites that open ports their own network, or runs them one after another without permission for that.
network=(unshare -n sh -c 'ip link set lo up && exec "$@"' sh)
"${network[@]}" true 2>/dev/null || network=(flock "$LOGS/network")

# ---- Suites ---------------------------------------------------------------------------------------

# unit PROGRAM: runs a unit test program. Crashes and leaked descriptors count as failures.
unit() {
    local out status
    out=$(mktemp "$LOGS/unit.XXXXXX")
    CMOCKA_MESSAGE_OUTPUT=TAP timeout $PATIENCE env \
        ASAN_OPTIONS=verify_asan_link_order=0:detect_stack_use_after_return=1 \
        LD_PRELOAD="$PWD/${1%%/tests/*}/tests/memory/descriptors.so" "$1" >"$out" 2>&1
    status=$?
    if [ $status != 0 ] && ! grep -vE "$SKIPPED" "$out" | grep -q '^not ok'; then
        echo "not ok - $1: exit status $status" >>"$out"
    fi
    flock "$LOGS/lock" sed "1i # $1" "$out"
    rm "$out"
    return $status
}

# units BUILD: runs the unit tests of a build, four at once, because some wait for real time.
units() {
    export -f unit
    export LOGS PATIENCE SKIPPED
    find tests/unit -name 'test_*.c' | sort | sed "s|.*|$1/&|; s|\.c$||" |
        xargs -P4 -I{} bash -c 'unit {}'
}

# cli [BATS ARGUMENT…]: runs AT_ONCE files of the command-line tests at once, because they mostly wait; starts
# with the longest.
cli() {
    local long=(hostile tempo teleop custom_joints shared stops arm serve canpid full_disk every kills prompt ezphys hidmotor
        help unitysim record config foxglove)
    local out status
    out=$(mktemp -d "$LOGS/cli.XXXXXX")
    printf 'tests/cli/%s.bats\n' "${long[@]}" | cat - <(ls tests/cli/*.bats) | awk '!seen[$0]++' |
        BIN=$PWD/build/bin BATS_TEST_TIMEOUT=$PATIENCE OUT=$out "${network[@]}" xargs -P"${AT_ONCE:-6}" -I{} sh -c \
            'file=$1; shift; timeout -k 10 "$@" "$file" >"$OUT/${file##*/}" 2>&1' sh {} $LIMIT bats --tap "$@"
    status=$?
    cat "$out"/*
    rm -r "$out"
    return $status
}

# Runs the benchmarks with tiny counts, to check that they work.
benches() {
    local source log=tests/golden/knee.log
    for source in tests/bench/bench_*.c; do
        case $source in
        */bench_limits.c) set -- "$log" "$LOGS/limits.out" 10 ;;
        */bench_mcap.c) set -- 1000 ;;
        *) set -- 0.001 ;;
        esac
        "build/${source%.c}" "$@" || return 1
    done
}

# Finds paths in home directories. The brackets prevent a match of this line itself.
paths() {
    ! git grep -nIE --untracked --exclude-standard \
        '/(home|root|wor[k]|Users)/[a-z]|share[d]/(spec|facts|tools)' -- . ':!LICENSE'
}

# Checks the entries of the top-level directory.
top() {
    local there
    there=$(git ls-files | cut -d/ -f1 | grep -v '^\.' | sort | uniq | xargs)
    [ "$there" = "LICENSE Makefile README.md cmd completions docs lib tests" ] || { echo "$there" && false; }
}

# Finds words that the glossary replaces (one is a key of armctl's state file), awkward phrases, and names of
# removed features.
stumbles='\b(nobody|somebody|whoever|whom|anybody)\b|\b(is|are) none\b'
riddles='(/\*|\. |")\s*(What|Who|Of what|To whom) [a-z ]{2,30}? (is|are|has|have|was|were) '
gone='--(foxglove|learn|mqtt|plotjuggler|realtime)\b|\bconfig init\b|socketcand'
words() {
    ! git grep -nwE --untracked --exclude-standard 'hear|heard|deaf|untold|wish' -- lib cmd | grep -v '"heard"' &&
        ! git grep -niE --untracked --exclude-standard "$stumbles" -- lib cmd docs completions README.md ':!*/copyright' |
        grep -v ' is None\b' && ! git grep -nP --untracked --exclude-standard "$riddles" -- '*.[ch]' README.md docs/*.md &&
        ! git grep -nE --untracked --exclude-standard -e "$gone" -- lib cmd docs completions README.md
}

# Also finds lines of bats tests that never fail, because set -e ignores them: "! A", and "A && B" if A is false.
scripts() {
    local shell_scripts
    ! git grep -nE --untracked '^ *(!|\[.*\] &&) ' -- 'tests/cli/*.bats' |
        grep -vE '\|\||&& (break|continue|return|[a-z]+=)' || return 1
    shell_scripts=$(git ls-files -co --exclude-standard -- '*.sh' .ci/run)
    shellcheck -S warning $shell_scripts
}

# Checks the syntax of the generated completions and manual pages.
syntax() {
    local tool
    for tool in $(tests/tools.sh); do
        bash -n completions/$tool.bash && zsh -n completions/_$tool &&
            fish --no-execute completions/$tool.fish && mandoc -T lint -W error docs/man/$tool.1 ||
            return 1
    done
}

# Lists processes of the suites that are not children of this script, as "PID COMMAND LINE".
processes_left() {
    local folder pid parent
    for folder in $(grep -zlxF "ARMWIRE_CHECK=$home" /proc/[0-9]*/environ 2>/dev/null); do
        pid=${folder#/proc/} pid=${pid%/environ} parent=$pid
        while [ "${parent:-0}" -gt 1 ] && [ "$parent" != $$ ]; do
            parent=$(awk '$1 == "PPid:" { print $2 }' "/proc/$parent/status" 2>/dev/null)
        done
        [ "$parent" = $$ ] || echo "$pid $(tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null)"
    done
}

# Finds processes, sockets and directories left by suites. An ending process may take a moment.
left() {
    local tries processes files
    for ((tries = 0; tries < 50; tries++)); do
        processes=$(processes_left)
        [ -n "$processes" ] || break
        sleep 0.2
    done
    files=$(find "$TMPDIR" -mindepth 1 ! -path "$TMPDIR/armwire-$UID" -prune -printf '%y %P\n')
    echo "${processes:+still running:
$processes
}${files:+left behind in TMPDIR:
$files
}"
    # shellcheck disable=SC2046 # numbers
    [ -z "$processes" ] || kill $(awk '{ print $1 }' <<<"$processes")
    [ -z "$processes$files" ]
}

# ---- Runner ---------------------------------------------------------------------------------------

# Counts the cases in the output of suite $1. Prints a line with the counts, the elapsed seconds and the CPU
# seconds, and all lines of a failed suite except those of passed cases.
tally() {
    local name=$1 status=$2 seconds=$3 log=$LOGS/$1.log passed failed skipped
    skipped=$(grep -cE "$SKIPPED" "$log")
    passed=$(grep -vE "$SKIPPED" "$log" | grep -c '^ok ')
    failed=$(grep -vE "$SKIPPED" "$log" | grep -c '^not ok ')
    if [ "$status" != 0 ] && [ "$failed" = 0 ]; then failed=1; fi
    if [ $((passed + failed + skipped)) = 0 ]; then passed=1; fi
    printf '%s %s\n' "$passed" "$failed" >"$LOGS/$name.count"
    {
        printf '%-16s %5d passed %3d failed' "$name" "$passed" "$failed"
        [ "$skipped" = 0 ] || printf ' %d skipped' "$skipped"
        printf ' %5ds %5ds\n' "$seconds" "$(awk '{ print int($1 + $2 + 0.5) }' "$LOGS/$name.time")"
        if [ "$failed" != 0 ]; then grep -vE '^(ok |1\.\.)' "$log" | sed 's/^/    /'; fi
        if [ "$skipped" != 0 ]; then grep -E "$SKIPPED" "$log" | sed 's/^/    /'; fi
    } >"$LOGS/$name.report"
    flock "$LOGS/lock" cat "$LOGS/$name.report"
}

# suite NAME COMMAND…
suite() {
    local name=$1 start=$SECONDS status limit=(timeout -k 10 "$LIMIT") TIMEFORMAT='%U %S'
    shift
    [[ $only == "  " || $only == *" $name "* ]] || return 0
    if [ "$(type -t "$1")" = function ]; then
        limit=()
    fi
    # Runs the suite in a subshell, so that its CPU time is measured separately.
    (time "${limit[@]}" "$@" >"$LOGS/$name.log" 2>&1 </dev/null) 2>"$LOGS/$name.time"
    status=$?
    [ $status != 124 ] || echo "given up after $LIMIT seconds" >>"$LOGS/$name.log"
    tally "$name" $status $((SECONDS - start))
    return $status
}

# Starts suites after the build that they need. If the build fails, they are skipped without output.

with_programs() {
    suite golden tests/golden/run.sh build/bin
    suite install "${network[@]}" tests/install.sh
    suite generated tests/generate.sh --check
    suite benches benches
    suite toy "${network[@]}" tests/toy/run.sh build/tests/toy/toy
    suite demo "${network[@]}" tests/demo.sh
    suite examples "${network[@]}" tests/examples.py
}

# Suites that need no build.
with_sources() {
    suite format tests/format.sh
    suite metrics tests/metrics.sh
    suite paths paths
    suite links tests/links.py
    suite top top
    suite words words
    suite rooms tests/rooms.py
    suite scripts scripts
    suite syntax syntax
}

# Unit tests run first: some simulate devices in a thread that needs processor time.
quick_suites() {
    suite unit units build
    suite cli cli --filter-tags '!long' &
    with_programs &
    with_sources
    wait
}

# Repeats the tests of a client through a server.
served() {
    "${network[@]}" env SERVED="$1" BIN="$PWD/build/bin" BATS_TEST_TIMEOUT=$PATIENCE \
        timeout -k 10 $LIMIT bats --tap --filter-tags '!direct' "tests/cli/$1.bats"
}

in_real_time() {
    suite served-hidmotor served hidmotor &
    suite served-canpid served canpid &
    suite cli-long cli --filter-tags long
    wait
    suite kernel tests/kernel/run.sh
}

with_sanitizers() {
    suite unit-san units build/san
    suite golden-san tests/golden/run.sh build/san/bin
    suite soak-san env B=build/san tests/soak.sh --small
    suite fuzz env SEED=1 INPUTS=3000 tests/fuzz/run.sh
}

slow_suites() {
    suite build-san make SAN=1 all units # clang's warnings are errors
    local built=$?
    suite build-fuzz make FUZZ=1 fuzzers
    sync
    in_real_time &
    renice -n 5 $BASHPID >/dev/null # the other suites run at the same time, with lower priority
    suite tuning build/tests/tuning/batch 16
    suite hostile python3 tests/tuning/hostile.py 8
    suite joints python3 tests/tuning/joints.py 12
    suite confidence build/tests/tuning/confidence 24
    suite soak tests/soak.sh --small
    suite model tests/model.sh
    [ $built != 0 ] || with_sanitizers
    wait
}

rm -rf "$LOGS"
mkdir -p "$LOGS"
# Writes the build's output to the disk first. Otherwise it may block tests in real time for seconds.
if suite build make all units benches; then
    sync
    if [ "$only" != "  " ]; then quick_suites && slow_suites
    elif [ "$slow" ]; then slow_suites
    else quick_suites; fi
fi
only="  " suite left left

# Repeats the names of failed tests at the end of a long report.
grep -hE '^ +not ok ' "$LOGS"/*.report | grep -viE '# skip'

cat "$LOGS"/*.count | awk '
    { passed += $1; failed += $2 }
    END { printf "%d passed, %d failed\n", passed, failed; exit failed != 0 }'
