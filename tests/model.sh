#!/bin/sh
# Checks the model of armctl's alternating bit (docs/model/arq.pml) with spin. Prints a line per run; exit
# status 1 if a result differs from the expected one.
set -eu

model=$(cd "$(dirname "$0")/.." && pwd)/docs/model/arq.pml
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failed=0

# run NAME EXPECTED-ERRORS "PAN OPTIONS" "COMPILER OPTIONS" MODEL-DEFINES...
run()
{
    what=$1 wanted=$2 options=$3 flags=$4
    shift 4
    spin "$@" -a "$model" >spin.log 2>&1 || { cat spin.log; exit 1; }
    ${CC:-gcc} -O0 -w $flags -DMEMLIM=2000 -o pan pan.c
    ./pan $options -m1000000 >pan.log 2>&1 || true
    errors=$(sed -n 's/.*errors: \([0-9]*\).*/\1/p' pan.log)
    states=$(sed -n 's/ *\([0-9.e+]*\) states, stored.*/\1/p' pan.log)
    verdict=ok
    if [ "$errors" != "$wanted" ] ||
        grep -q 'max search depth too small\|out of memory' pan.log; then
        verdict=FAILED
        failed=1
        cat pan.log
    fi
    printf '%-6s %-66s errors %s of %s, %s states\n' "$verdict" "$what" "${errors:-?}" "$wanted" \
        "${states:-?}"
}

run 'no deadlock, no lost or repeated command; timeouts at any time' 0 '' -DSAFETY
run 'no deadlock, no lost or repeated command; 3 messages in transit' 0 '' -DSAFETY -DROOM=3
run 'no deadlock, no lost or repeated command; timeouts > round trip' 0 '' -DSAFETY -DPATIENT -DFAULTS=6
run 'progress despite 6 faults' 0 '-l' -DNP -DPATIENT -DFAULTS=6
run '--seq auto: progress with the right saved digit' 0 '-l' -DNP -DPATIENT -DFAULTS=3 -DAUTO
run '--seq auto: progress if the handler expects the other digit' 0 '-l' -DNP -DPATIENT -DFAULTS=3 -DAUTO -DEXPECTED=1
run '--seq auto: progress if its confirmations use the other digit, too' 0 '-l' -DNP -DPATIENT -DFAULTS=3 -DAUTO -DEXPECTED=1 \
    -DHANDLER_TX=1
run 'confirmations without values: none lost or repeated' 0 '' -DSAFETY -DPATIENT -DFAULTS=3 -DBARE -DTRIES=4
run 'confirmations without values: same, duplicates not acknowledged' 0 '' -DSAFETY -DPATIENT -DFAULTS=3 -DBARE -DTRIES=4 \
    -DNOREACK
run 'confirmations without values: progress, duplicates not acked' 0 '-l' -DNP -DPATIENT -DFAULTS=1 -DBARE -DTRIES=2 -DNOREACK
run 'counterexample: a dropped early confirmation repeats a command' 1 '' -DSAFETY \
    -DPATIENT -DFAULTS=1 -DBARE -DTRIES=2 -DNOREACK -DDROPS
run 'counterexample: without auto a wrong saved digit waits forever' 1 '' -DSAFETY -DPATIENT \
    -DFAULTS=0 -DEXPECTED=1

[ "$failed" = 0 ] && echo 'model: every run gave the expected result'
exit "$failed"
