#!/bin/bash
# Everything that is tested, one line per suite, all that what fails has to say, and at the end
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
LIMIT=1200 # seconds until a suite is given up: it hangs, however slow the machine is
PATIENCE=300 # seconds until a program or a test of the command line is
SKIPPED='^(not )?ok .*# ([Ss]kip|SKIP)' # bats says the first, cmocka the second
only=" $* "

# Nobody's own configuration or history takes part.
home=$(mktemp -d)
TMPDIR=$(mktemp -d /tmp/cXXXX) # short, for the paths of sockets
trap 'rm -rf "$home" "$TMPDIR"' EXIT
chmod 755 "$TMPDIR" # some tests run programs as another user
export HOME=$home XDG_CONFIG_HOME=$home/config XDG_STATE_HOME=$home/state XDG_RUNTIME_DIR=$home

# What they leave behind is seen at the end: files in a folder of their own, processes by what they have
# from here.
export TMPDIR ARMWIRE_CHECK=$home

# The packages that the tests use are for the system's Python; a version manager's wrapper around another
# one takes as long as a test.
mkdir -p "$home/bin"
if [ -x /usr/bin/python3 ]; then ln -s /usr/bin/python3 "$home/bin/"; fi
PATH=$home/bin:$PATH

# What opens ports does so in a network of its own. Where that is not allowed, one such suite waits for the
# other.
network=(unshare -n sh -c 'ip link set lo up && exec "$@"' sh)
"${network[@]}" true 2>/dev/null || network=(flock "$LOGS/network")

# ---- What the suites do --------------------------------------------------------------------------

# unit PROGRAM: one that dies without saying which test failed is a failure, and so is a descriptor
# that it leaves open.
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

# Unit tests of the build in $1, four programs at a time: some wait for real time to pass.
units() {
    export -f unit
    export LOGS PATIENCE SKIPPED
    find tests/unit -name 'test_*.c' | sort | sed "s|.*|$1/&|; s|\.c$||" |
        xargs -P4 -I{} bash -c 'unit {}'
}

# The command line tests with the programs in $1, but not those named after it. They wait for each
# other's processes most of the time, 1600 seconds in all, so AT_ONCE files (6) are under way at once;
# those that take longest begin.
cli() {
    local long=(hostile tempo teleop own_joints shared stops arm serve canpid full_disk every kills prompt ezphys hidmotor
        help unitysim record config foxglove)
    local out status tap
    out=$(mktemp -d "$LOGS/cli.XXXXXX")
    printf 'tests/cli/%s.bats\n' "${long[@]}" | cat - <(ls tests/cli/*.bats) | awk '!seen[$0]++' |
        grep -vFf <(printf '/%s.bats\n' "${@:2}") |
        BIN=$PWD/$1/bin BATS_TEST_TIMEOUT=$PATIENCE "${network[@]}" xargs -P"${AT_ONCE:-6}" -I{} sh -c \
            'timeout -k 10 "$1" bats --tap $TAGS "$3" >"$2/$(basename "$3")" 2>&1' sh $LIMIT "$out" {}
    status=$?
    if [ $status != 0 ]; then
        status=0
        for tap in "$out"/*.bats; do second_try "$tap" "$1" || status=1; done
    fi
    cat "$out"/*
    rm -r "$out"
    return $status
}

# What has failed in the TAP of a file is tried once more, by itself: a busy machine may have been the
# reason. What passes then is counted, and told ("on the second try"), with what the first one said.
second_try() {
    local tap=$1 file=tests/cli/${1##*/} line name failed=0
    grep -q '^1\.\.' "$tap" && ! grep -q '^# bats warning' "$tap" || return 1
    while IFS= read -r line; do
        name=$(sed -E 's/^not ok [0-9]+ //; s/[][\.*^$+?(){}|]/\\&/g' <<<"$line")
        if BIN=$PWD/$2/bin BATS_TEST_TIMEOUT=$PATIENCE "${network[@]}" timeout -k 10 "$LIMIT" \
            bats --tap -f "^$name\$" "$file" >"$tap.again" 2>&1 </dev/null; then
            L=$line awk '$0 == ENVIRON["L"] { sub(/^not /, ""); $0 = $0 " # on the second try" } { print }' \
                "$tap" >"$tap.mended" && mv "$tap.mended" "$tap"
        else
            sed 's/^\(not \)*ok /# again: &/; s/^1\.\./# &/' "$tap.again" >>"$tap"
            failed=1
        fi
        rm -f "$tap.again"
    done < <(grep '^not ok' "$tap" | grep -vE "$SKIPPED")
    return $failed
}

# Sanitizers look for errors in the programs: each way through them is gone once, in its own time. What has
# the tag plain goes none that the others and the unit tests do not go (docs/contributing.md).
# What others make of their output (Wireshark, cantools, ssh, C compilers) and what help tells is the same,
# golden-san is there, and they have an allocator of their own (memory). A disk that is full is there in the
# other tests of recordings. What has the tag long calculates, the same again and again. What leaks is looked
# for in the unit tests and once in each command (every.bats): at each end it takes a third of the time of
# a short one.
cli_san() {
    TAGS="--filter-tags !long$([ "${ALL:-}" ] || echo ,!plain)" KILLS=8 HOLDS=1 HOSTILE=4 FORMS=0 RECORD_KILLS=4 \
        PROCESSES=20 WITHIN=5000 AT_ONCE=4 ASAN_OPTIONS=detect_leaks=0:malloc_context_size=1 \
        cli build/san tshark dbc ssh help suite code golden memory full_disk
}

# Benchmarks with tiny counts, so that they do not rot.
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

# The places where people keep their files have no business in the tree. (In brackets: not this line.)
paths() {
    ! git grep -nIE --untracked --exclude-standard \
        '/(home|root|wor[k]|Users)/[a-z]|share[d]/(spec|facts|tools)' -- . ':!LICENSE'
}

# What an experiment left behind has no business at the top, either.
top() {
    local there
    there=$(git ls-files | cut -d/ -f1 | grep -v '^\.' | sort | uniq | xargs)
    [ "$there" = "LICENSE Makefile README.md cmd completions docs lib tests" ] || { echo "$there" && false; }
}

# Words that the glossary has others for (one of them is a key of armctl's state file), and what is gone.
gone='--(foxglove|learn|mqtt|plotjuggler|realtime)\b|\bconfig init\b|socketcand'
words() {
    ! git grep -nwE --untracked --exclude-standard 'hear|heard|deaf|untold|wish' -- lib cmd | grep -v '"heard"' &&
        ! git grep -nE --untracked --exclude-standard -e "$gone" -- lib cmd docs completions README.md
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
    for tool in $(tests/tools.sh); do
        bash -n completions/$tool.bash && zsh -n completions/_$tool &&
            fish --no-execute completions/$tool.fish && mandoc -T lint -W error docs/man/$tool.1 ||
            return 1
    done
}

# Processes that suites have started and that are no children of this program any more, as
# "PID its command line".
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

# No suite leaves a process, a socket or a folder. What was told to end may take a moment.
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

# ---- Running them --------------------------------------------------------------------------------

# Counts what the suite in $1 printed, and says it in one line, with the seconds that passed and those
# of a processor that it took; of one that failed all but what passed.
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
        awk '/^(not )?ok / { told = /# on the second try$/ } told { print "    " $0 }' "$log"
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
    # in a shell of its own, whose children are no other suite's
    (time "${limit[@]}" "$@" >"$LOGS/$name.log" 2>&1 </dev/null) 2>"$LOGS/$name.time"
    status=$?
    [ $status != 124 ] || echo "given up after $LIMIT seconds" >>"$LOGS/$name.log"
    tally "$name" $status $((SECONDS - start))
    return $status
}

# What needs a build begins when it is there, beside the next build. What cannot be built cannot be
# tested: of those suites nothing is said then.

# Plain programs have limits of time that are those of users.
gives_way() {
    renice -n 5 $BASHPID >/dev/null
    "$@"
}

# What waits more than it calculates is under way beside that, which gives way to it.
in_real_time() {
    local tool
    suite examples "${network[@]}" tests/examples.py
    for tool in hidmotor canpid; do
        suite "served-$tool" "${network[@]}" env SERVED=$tool BIN="$PWD/build/bin" \
            BATS_TEST_TIMEOUT=$PATIENCE bats --tap --filter-tags '!direct' "tests/cli/$tool.bats"
    done
    suite toy "${network[@]}" tests/toy/run.sh build/tests/toy/toy
    suite demo "${network[@]}" tests/demo.sh
}

with_programs() {
    suite unit units build
    suite golden tests/golden/run.sh build/bin
    suite install "${network[@]}" tests/install.sh
    suite generated tests/generate.sh --check
    suite benches benches
    suite tuning nice build/tests/tuning/batch 16
    suite hostile nice python3 tests/tuning/hostile.py 8
    suite joints nice python3 tests/tuning/joints.py 12
    suite confidence nice build/tests/tuning/confidence 24
    suite soak tests/soak.sh --small
}

with_sanitizers() {
    suite unit-san units build/san
    suite golden-san nice tests/golden/run.sh build/san/bin
    suite soak-san env B=build/san tests/soak.sh --small
    suite fuzz nice env SEED=1 INPUTS=3000 tests/fuzz/run.sh
}

# From the text alone.
with_sources() {
    suite format tests/format.sh
    suite metrics tests/metrics.sh
    suite paths paths
    suite top top
    suite words words
    suite rooms tests/rooms.py
    suite scripts scripts
    suite syntax syntax
    suite model nice tests/model.sh
}

rm -rf "$LOGS"
mkdir -p "$LOGS"
if suite build make all units benches; then
    suite cli cli build &
    in_real_time &
    with_programs &
    if suite build-san nice make SAN=1 all units; then # clang's warnings fail it too
        suite cli-san gives_way cli_san &
        with_sanitizers &
    fi
    with_sources
    wait
fi
only="  " suite left left

cat "$LOGS"/*.count | awk '
    { passed += $1; failed += $2 }
    END { printf "%d passed, %d failed\n", passed, failed; exit failed != 0 }'
