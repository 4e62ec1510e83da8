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
LIMIT=1200 # s, timeout of a suite: a slow machine needs less
PATIENCE=300 # s, timeout of a unit test program or a bats test
SKIPPED='^(not )?ok .*# ([Ss]kip|SKIP)' # bats prints the first, cmocka the second
only=" $* "
slow=
if [ "${1:-}" = --slow ]; then slow=1 only="  "; fi

# The tests have the time limits of users, so they get priority over other programs. The priority of the
# autogroup would not do: tests that start their own session would not get it.
renice -n -10 $$ >/dev/null 2>&1

# Hides the user's configuration and history.
home=$(mktemp -d)
TMPDIR=$(mktemp -d /tmp/cXXXX) # short, for the paths of sockets
trap 'rm -rf "$home" "$TMPDIR"' EXIT
chmod 755 "$TMPDIR" # some tests run programs as another user
export HOME=$home XDG_CONFIG_HOME=$home/config XDG_STATE_HOME=$home/state XDG_RUNTIME_DIR=$home

# Lets the suite `left` find leftover files in this folder and processes with this variable.
export TMPDIR ARMWIRE_CHECK=$home

# The tests need packages of the system's Python. The wrapper of a version manager takes as long to start
# as a test.
mkdir -p "$home/bin"
if [ -x /usr/bin/python3 ]; then ln -s /usr/bin/python3 "$home/bin/"; fi
PATH=$home/bin:$PATH

# Suites that open ports get their own network, or run one after another if that is not permitted.
network=(unshare -n sh -c 'ip link set lo up && exec "$@"' sh)
"${network[@]}" true 2>/dev/null || network=(flock "$LOGS/network")

# ---- Suites ---------------------------------------------------------------------------------------

# unit PROGRAM: runs a unit test program. A crash and a descriptor that stays open are failures, too.
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

# units BUILD: runs the unit tests of a build, four programs at once, because some wait for real time.
units() {
    export -f unit
    export LOGS PATIENCE SKIPPED
    find tests/unit -name 'test_*.c' | sort | sed "s|.*|$1/&|; s|\.c$||" |
        xargs -P4 -I{} bash -c 'unit {}'
}

# cli [BATS ARGUMENT…]: runs the command-line tests. They mostly wait for other processes, so AT_ONCE files
# (4) run at once; the longest ones start first.
cli() {
    local long=(hostile tempo teleop custom_joints shared stops arm serve canpid full_disk every kills prompt ezphys hidmotor
        help unitysim record config foxglove)
    local out status
    out=$(mktemp -d "$LOGS/cli.XXXXXX")
    printf 'tests/cli/%s.bats\n' "${long[@]}" | cat - <(ls tests/cli/*.bats) | awk '!seen[$0]++' |
        BIN=$PWD/build/bin BATS_TEST_TIMEOUT=$PATIENCE OUT=$out "${network[@]}" xargs -P"${AT_ONCE:-4}" -I{} sh -c \
            'file=$1; shift; timeout -k 10 "$@" "$file" >"$OUT/${file##*/}" 2>&1' sh {} $LIMIT bats --tap "$@"
    status=$?
    cat "$out"/*
    rm -r "$out"
    return $status
}

# Runs the benchmarks with tiny counts, so that they keep working.
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

# Finds paths of personal files. The brackets keep this line from matching itself.
paths() {
    ! git grep -nIE --untracked --exclude-standard \
        '/(home|root|wor[k]|Users)/[a-z]|share[d]/(spec|facts|tools)' -- . ':!LICENSE'
}

# Checks the entries of the top level.
top() {
    local there
    there=$(git ls-files | cut -d/ -f1 | grep -v '^\.' | sort | uniq | xargs)
    [ "$there" = "LICENSE Makefile README.md cmd completions docs lib tests" ] || { echo "$there" && false; }
}

# Finds words with a better one in the glossary (one is a key of armctl's state file), habits of translated
# English, and names of removed features.
stumbles='\b(nobody|somebody|whoever|whom|anybody)\b|\b(is|are) none\b'
riddles='(/\*|\. |")\s*(What|Who|Of what|To whom) [a-z ]{2,30}? (is|are|has|have|was|were) '
gone='--(foxglove|learn|mqtt|plotjuggler|realtime)\b|\bconfig init\b|socketcand'
words() {
    ! git grep -nwE --untracked --exclude-standard 'hear|heard|deaf|untold|wish' -- lib cmd | grep -v '"heard"' &&
        ! git grep -niE --untracked --exclude-standard "$stumbles" -- lib cmd docs completions README.md ':!*/copyright' |
        grep -v ' is None\b' && ! git grep -nP --untracked --exclude-standard "$riddles" -- '*.[ch]' README.md docs/*.md &&
        ! git grep -nE --untracked --exclude-standard -e "$gone" -- lib cmd docs completions README.md
}

scripts() {
    local shell_scripts
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

# Finds processes, sockets and folders that suites left. An ending process may take a moment.
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

# Counts the cases in the output of suite $1 and prints a line with them, the seconds that passed and the
# seconds of CPU time. For a failed suite, also prints all lines except those of passed cases.
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
    # own shell, whose children belong to this suite only
    (time "${limit[@]}" "$@" >"$LOGS/$name.log" 2>&1 </dev/null) 2>"$LOGS/$name.time"
    status=$?
    [ $status != 124 ] || echo "given up after $LIMIT seconds" >>"$LOGS/$name.log"
    tally "$name" $status $((SECONDS - start))
    return $status
}

# Suites start after the build that they need. If the build fails, they do not run and print nothing.

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
    suite top top
    suite words words
    suite rooms tests/rooms.py
    suite scripts scripts
    suite syntax syntax
}

# Unit tests first: some have simulated devices in a thread, which must not starve.
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
    suite build-san make SAN=1 all units # warnings of clang are errors, too
    local built=$?
    suite build-fuzz make FUZZ=1 fuzzers
    sync
    in_real_time &
    renice -n 5 $BASHPID >/dev/null # the other suites run at the same time with lower priority
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
# A build leaves gigabytes to be written to the disk, and may block other writers for seconds. Tests in real
# time wait for this (sync).
if suite build make all units benches; then
    sync
    if [ "$only" != "  " ]; then quick_suites && slow_suites
    elif [ "$slow" ]; then slow_suites
    else quick_suites; fi
fi
only="  " suite left left

# Repeats the names of failed tests, which a long report hides.
grep -hE '^ +not ok ' "$LOGS"/*.report | grep -viE '# skip'

cat "$LOGS"/*.count | awk '
    { passed += $1; failed += $2 }
    END { printf "%d passed, %d failed\n", passed, failed; exit failed != 0 }'
