#!/bin/bash
# Shared by the tests in the VM, which run in the writable directory /run. Starting a process takes 26 ms here, so
# tests avoid loops of commands.
set -u
cd /run || exit 99
{ read -r bin && read -r programs && read -r rounds; } <out/places # paths of the tools and the tests' own C programs
export bin programs rounds node

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

# ended STATUS PID: succeeds if the background process exited with STATUS.
ended() {
    wait "$2"
    local status=$?
    [ $status -eq "$1" ] || { echo "# exit $status instead of $1" && false; }
}

# start_pad WORD…: starts tests/kernel/pad WORD…, which waits for a line on descriptor 9; sets $node to its device.
start_pad() {
    mkfifo go
    "${programs:?}/pad" "$@" <go >pad.log &
    exec 9>go
    rm go
    wait_for '^pad: ' pad.log
    node=$(sed -n 's/^pad: //p' pad.log)
}

# use_raw_reports: gives the pad of uhid to no driver that requires a USB device, and a mapping in a line of SDL's
# database, as in games.
use_raw_reports() {
    echo 1 >/sys/module/hid/parameters/ignore_special_drivers
    export SDL_GAMECONTROLLERCONFIG='030000006d04000016c2000014040000,F310,leftshoulder:b4,rightshoulder:b5,leftx:a0,lefty:a1,rightx:a2,righty:a3,lefttrigger:b6,righttrigger:b7,platform:Linux,'
}

# all_within MS COUNT WORDS FILE: succeeds if each of COUNT lines "released T" of the pad (WORDS: "released|gone") is
# followed within MS by a time in FILE.
all_within() {
    awk -v max_ms="$1" -v count="$2" -v words="^($3) " '
        FNR == NR { time[++n] = $1; next }
        $0 ~ words {
            while (at <= n && time[at] < $2 + 0) at++
            ms = at <= n ? (time[at] - $2) * 1000 : 1e9
            late += ms > max_ms
            worst = ms > worst ? ms : worst
            total++
        }
        BEGIN { at = 1 }
        END {
            printf "# %d of %d within %g ms, the worst after %.1f ms\n", total - late, total, max_ms, worst
            exit !(total == count && late == 0)
        }' "$4" pad.log
}
