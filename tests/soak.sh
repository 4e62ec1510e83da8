#!/bin/bash
# Conversations over lines that lose, double and damage packets, in virtual time. Prints TAP.
#
#   tests/soak.sh             a million exchanges each, over lines of several kinds
#   tests/soak.sh --small     what each program does by itself
#
# A program of tests/soak takes [COUNT [FAULTS]] and ends with 0 if nothing was lost or doubled.
set -u
cd "$(dirname "$0")/.." || exit 1
B=${B:-build}
n=0 failed=0

soak() {
    local out status=0
    n=$((n + 1))
    out=$("$@" 2>&1) || status=$?
    if [ $status = 0 ]; then
        echo "ok $n - ${*#"$B"/}: $(tail -n1 <<<"$out")"
        sed '$d; s/^/#   /' <<<"$out" # what was done to it, and what came of it
    else
        printf '%s\n' "$out"
        echo "not ok $n - ${*#"$B"/}: exit status $status"
        failed=1
    fi
}

for source in tests/soak/*.c; do
    program=$B/${source%.c}
    if [ "${1:-}" = --small ]; then
        soak "$program"
        continue
    fi
    soak "$program" 1000000 'drop=10%&dup=10%&corrupt=5%&seed=1'
    soak "$program" 1000000 'drop=30%&seed=2'
    soak "$program" 1000000 'dup=50%&seed=3'
    soak "$program" 1000000 'delay=5ms&jitter=4ms&drop=5%&seed=4'
done
echo "1..$n"
exit $failed
