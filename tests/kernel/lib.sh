#!/bin/bash
# Shared by the tests in the VM, which run in the writable directory /run. Starting a process takes 26 ms here, so
# tests avoid loops of commands.
set -u
cd /run || exit 99
{ read -r bin && read -r programs && read -r rounds; } <out/places # paths of the tools and the tests' own C programs
export bin programs rounds

# check NAME COMMAND…: the test NAME passes if the command succeeds.
check() {
    local name=$1 verdict=ok
    shift
    "$@" || verdict="not ok"
    echo "$verdict - $name" | tee -a /run/out/results
}

# check_fails STATUS WORDS NAME COMMAND…: passes if the command exits with STATUS and prints WORDS.
check_fails() {
    local wanted=$1 words=$2 name=$3 text status
    shift 3
    text=$("$@" 2>&1)
    status=$?
    [ $status -eq "$wanted" ] && [[ $text == *"$words"* ]] ||
        echo "# exit $status instead of $wanted, or no \"$words\" in: $text"
    check "$name" [ $status -eq "$wanted" -a -z "${text##*"$words"*}" ]
}

# load MODULE…: loads modules from the kernel's package, which is not installed.
load() {
    check "modprobe $*" modprobe -d "$MODULES" -S "$(uname -r)" -a "$@"
}

# wait_for WORDS FILE: waits up to 20 s until a background program has written WORDS.
wait_for() {
    timeout 20 tail -n +1 -f "$2" | grep -q -m1 -- "$1"
}
