#!/bin/bash
# HID: boards created by uhid, which the kernel shows as /dev/hidraw nodes;
# then hidmotor and its simulator with them.
# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"
hid_link=${programs:?}/hid_link
check_fails 4 "sudo modprobe uhid" "without the module it says what to do" "$hid_link" serve
load uhid hid-generic

# says WORDS COMMAND…: succeeds if the output contains these words.
says() {
    local words=$1 text
    shift
    text=$("$@" 2>&1)
    [[ $text == *"$words"* ]] || { echo "# no \"$words\" in: $text" && false; }
}

# start_board LOG KEYS: starts a board; sets $board (process id), $url (link) and $node (device).
start_board() {
    timeout 200 "$hid_link" serve "$2" >"$1" &
    board=$!
    wait_for "^ready" "$1"
    url=$(sed -n 's/^ready: //p' "$1")
    node=${url#hid:}
}

check_fails 4 "hid: board not found" "no board" "$hid_link" open hid:
start_board board.log "?serial=ARM0001"
check "uhid: makes a hidraw node" test -c "$node"
check "list shows it" says "$node hid:serial=ARM0001 16c0:0486 interface -1 page ff00" \
    "$hid_link" list
check "and that it is free" says "name 'Adafruit ItsyBitsy M4' holder '' ok" "$hid_link" list
check "it is chosen by itself" says "hid:16c0:0486:ARM0001" "$hid_link" open hid:
check "by its node" says "hid:16c0:0486:ARM0001" "$hid_link" open "$url"
check "by its serial number" says "hid:16c0:0486:ARM0001" "$hid_link" open hid:serial=ARM0001
check_fails 4 "available: hid:serial=ARM0001" "and not by another" "$hid_link" open hid:serial=B
# Drops root's privileges to act as another user. Without udev, the node keeps its permissions.
plain=(setpriv "--bounding-set=-dac_override,-dac_read_search" "$hid_link")
chmod 0 "$node" /dev/uhid
check_fails 4 'KERNELS=="0003:16C0:0486.*", MODE="0660"' "permission denied: the rule for udev" \
    "${plain[@]}" open hid:
check "the list has it, too" says 'KERNELS=="0003:16C0:0486.*", MODE="0660"' "${plain[@]}" list
check_fails 4 "permission denied — run the command with sudo" "uhid: not permitted" "${plain[@]}" serve
chmod 600 "$node" /dev/uhid
check "feature reports are refused" timeout 20 "$hid_link" feature "$node"
check "10000 transactions, none wrong, P50 and P99 within 1.5 of a bare loop" \
    timeout 100 "$hid_link" compare 10000
first=$board
start_board second.log "?serial=ARM0002"
check_fails 4 "choose one: hid:serial=ARM0001, hid:serial=ARM0002" "two boards" \
    "$hid_link" open hid:
"$hid_link" read "$url" >read.log &
reader=$!
wait_for "^open" read.log
check "list shows who has it" says "holder 'hid_link (pid $reader)'" "$hid_link" list
kill $board
check "unplugging ends reading with 7" ended 7 $reader
check "and says so" grep -q "^hid:/dev/hidraw[0-9]*: board disconnected" read.log
check_fails 4 "device not found" "then it is gone" "$hid_link" open "$url"
kill $first
wait

hidmotor=${bin:?}/hidmotor
if [ ! -x "$hidmotor" ]; then
    check "hidmotor: $hidmotor is not built" false
    exit
fi
export XDG_STATE_HOME=/run/state XDG_CONFIG_HOME=/run/config

# start_sim: starts the simulated arm as a HID device; sets $sim, $url and $node.
start_sim() {
    "$hidmotor" sim --listen uhid: 2>sim.log &
    sim=$!
    wait_for "^ready: hid:" sim.log
    url=$(sed -n 's/^ready: //p' sim.log)
    node=${url#hid:}
}

# value FILTER FILE: prints a number from the last record with jq. true FILTER FILE: tests a condition.
value() { tail -n 1 "$2" | jq -r "$1"; }
true_for() { [ "$(value "$1" "$2")" = true ] || { tail -n 1 "$2" && false; }; }

# as_fast_as_bare COUNT: alternates pings with a bare loop of the same requests and compares the fastest of three
# or more turns, because other load can only slow them down.
as_fast_as_bare() {
    local turns
    for turns in {1..12}; do
        "$hid_link" ask "$node" 1910 "$1" >>bare.txt || return
        "$hidmotor" -l hid: ping -n "$1" -j >>pings.json || return
        [ "$turns" -lt 3 ] || ! best_is_as_fast || return 0
    done
    return 1
}
best_is_as_fast() {
    jq -r 'select(.p50_ms) | "\(.p50_ms) \(.p99_ms)"' pings.json >pings.txt
    paste -d ' ' bare.txt pings.txt | awk '
        function least(a, b) { return NR == 1 || b < a ? b : a }
        { p50 = least(p50, $1); p99 = least(p99, $2); q50 = least(q50, $3); q99 = least(q99, $4) }
        END {
            printf "# bare loop P50 %s P99 %s ms, hidmotor P50 %s P99 %s ms\n", p50, p99, q50, q99
            exit !(NR >= 3 && q50 > 0 && q50 <= 1.5 * p50 && q99 <= 1.5 * p99)
        }'
}

start_sim
check "hidmotor sim is ready on a hidraw node" test -c "$node"
check "hidmotor list shows it" says "$node" "$hidmotor" list
check "hidmotor status" says elbow timeout 20 "$hidmotor" -l hid: status
timeout 20 "$hidmotor" -l hid: move 0 45 -30 duration=400ms --wait -j >move.json
check "hidmotor moves and sees it arrive" true_for '.ok and .result == "arrived"' move.json
check "hidmotor gripper" timeout 20 "$hidmotor" -l "$url" gripper open
timeout 30 "$hidmotor" -l hid:16c0:0486 record run.csv --for 1s
check "hidmotor records" test "$(wc -l <run.csv)" -gt 100
timeout 100 "$hidmotor" -l hid: -T 1s ping -n 10000 -j >ping.json
check "10000 pings" true_for '.ok and .n == 10000 and .lost == 0 and .foreign == 0' ping.json
cat ping.json
check "as fast as a bare loop on the node, within 1.5" as_fast_as_bare 1000

# all_of COUNT: runs moves next to a recorder at full speed; each move must arrive.
all_of() {
    local deg
    "$hidmotor" -q -l "$url" record busy.csv &
    recorder=$!
    until [ -s busy.csv ]; do sleep 0.05; done
    timeout 20 "$hidmotor" -q -l hid: move 0 0 0 --wait || return
    for ((deg = 1; deg <= $1; deg++)); do
        timeout 20 "$hidmotor" -q -l hid: move $deg $deg 0 duration=20ms --wait || return
    done
    kill -0 $recorder && kill -INT $recorder
    ended 0 $recorder
}
check "two programs on one node: 20 moves of 20 beside a recorder" all_of 20

# moving TARGET: starts a long move in the background ($mover) and waits until it is in progress.
moving() {
    "$hidmotor" -l hid: -v move "$@" duration=5s --wait 2>move.log &
    mover=$!
    wait_for "38 07 00 00" move.log
}

moving 60 0 0
kill -INT $mover
check "an interrupt ends a move with 130" ended 130 $mover
"$hidmotor" -l hid: status -j >status.json
check "and the arm was stopped on its way" true_for '(.base // .m1).target < 55' status.json
moving -60 0 0
kill -KILL $sim
start=${EPOCHREALTIME/./}
wait $mover
status=$? passed_ms=$(((${EPOCHREALTIME/./} - start) / 1000))
tail -n 3 move.log
echo "# exit $status after $passed_ms ms"
check "the device destroyed in the middle of a move: exit 7" [ $status -eq 7 ]
check "at once: long before anybody gives up waiting" [ $passed_ms -le 2000 ]
wait $sim || true # exit status after SIGKILL
