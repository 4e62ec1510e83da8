#!/bin/bash
# HID: boards created by uhid, which the kernel shows as /dev/hidraw nodes;
# then hidmotor and its simulator with them.
# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"
hid_link=${programs:?}/hid_link
check_fails 4 "sudo modprobe uhid" "without the module uhid, the error suggests modprobe" "$hid_link" serve
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

check_fails 4 "hid: board not found" "opening hid: without a board fails" "$hid_link" open hid:
start_board board.log "?serial=ARM0001"
check "a board of uhid has a hidraw node" test -c "$node"
check "list shows node, link and usage page of the board" says "$node hid:serial=ARM0001 16c0:0486 interface -1 page ff00" \
    "$hid_link" list
check "list shows the board's name and that no program uses it" says "name 'Adafruit ItsyBitsy M4' holder '' ok" "$hid_link" list
check "hid: opens the only board" says "hid:16c0:0486:ARM0001" "$hid_link" open hid:
check "hid:NODE opens the board" says "hid:16c0:0486:ARM0001" "$hid_link" open "$url"
check "hid:serial=NUMBER opens the board" says "hid:16c0:0486:ARM0001" "$hid_link" open hid:serial=ARM0001
check_fails 4 "available: hid:serial=ARM0001" "another serial number is rejected, and the error names the available one" "$hid_link" open hid:serial=B
# Drops root's privileges to act as another user. Without udev, the node keeps its permissions.
plain=(setpriv "--bounding-set=-dac_override,-dac_read_search" "$hid_link")
chmod 0 "$node" /dev/uhid
check_fails 4 'KERNELS=="0003:16C0:0486.*", MODE="0660"' "the 'permission denied' error of a board contains the udev rule" \
    "${plain[@]}" open hid:
check "list contains the udev rule for a board without permission" says 'KERNELS=="0003:16C0:0486.*", MODE="0660"' "${plain[@]}" list
check_fails 4 "permission denied — run the command with sudo" "the 'permission denied' error of /dev/uhid suggests sudo" "${plain[@]}" serve
chmod 600 "$node" /dev/uhid
check "the kernel refuses feature reports at once" timeout 20 "$hid_link" feature "$node"
check "10000 transactions have correct replies, and P50 and P99 are at most 1.5 times those of a bare loop" \
    timeout 100 "$hid_link" compare 10000
first=$board
start_board second.log "?serial=ARM0002"
check_fails 4 "choose one: hid:serial=ARM0001, hid:serial=ARM0002" "hid: with two boards fails and names both" \
    "$hid_link" open hid:
"$hid_link" read "$url" >read.log &
reader=$!
wait_for "^open" read.log
check "list shows the program that uses the board" says "holder 'hid_link (pid $reader)'" "$hid_link" list
kill $board
check "a reader of an unplugged board exits 7" ended 7 $reader
check "a reader of an unplugged board reports that it is disconnected" grep -q "^hid:/dev/hidraw[0-9]*: board disconnected" read.log
check_fails 4 "device not found" "opening an unplugged board fails with 'device not found'" "$hid_link" open "$url"
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

# value FILTER FILE: prints a number from the last record with jq. true_for FILTER FILE: tests a condition.
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
check "hidmotor list shows the simulator's node" says "$node" "$hidmotor" list
check "hidmotor status prints the elbow" says elbow timeout 20 "$hidmotor" -l hid: status
timeout 20 "$hidmotor" -l hid: move 0 45 -30 duration=400ms --wait -j >move.json
check "hidmotor move --wait arrives" true_for '.ok and .result == "arrived"' move.json
check "hidmotor gripper open succeeds" timeout 20 "$hidmotor" -l "$url" gripper open
timeout 30 "$hidmotor" -l hid:16c0:0486 record run.csv --for 1s
check "hidmotor record writes more than 100 lines in 1 s" test "$(wc -l <run.csv)" -gt 100
timeout 100 "$hidmotor" -l hid: -T 1s ping -n 10000 -j >ping.json
check "10000 pings of hidmotor lose no answer" true_for '.ok and .n == 10000 and .lost == 0 and .foreign == 0' ping.json
cat ping.json
check "P50 and P99 of hidmotor ping are at most 1.5 times those of a bare loop" as_fast_as_bare 1000

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
check "20 of 20 moves arrive while another program records from the same node" all_of 20

# moving TARGET: starts a long move in the background ($mover) and waits until it is in progress.
moving() {
    "$hidmotor" -l hid: -v move "$@" duration=5s --wait 2>move.log &
    mover=$!
    wait_for "38 07 00 00" move.log
}

moving 60 0 0
kill -INT $mover
check "SIGINT ends a move with exit 130" ended 130 $mover
"$hidmotor" -l hid: status -j >status.json
check "SIGINT stops the arm before its target" true_for '(.base // .m1).target < 55' status.json
moving -60 0 0
kill -KILL $sim
start=${EPOCHREALTIME/./}
wait $mover
status=$? passed_ms=$(((${EPOCHREALTIME/./} - start) / 1000))
tail -n 3 move.log
echo "# exit $status after $passed_ms ms"
check "a move exits 7 if its device disappears" [ $status -eq 7 ]
check "a move ends within 2 s after its device disappears" [ $passed_ms -le 2000 ]
wait $sim || true # exit status after SIGKILL
