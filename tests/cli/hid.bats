#!/usr/bin/env bats
# hidmotor over hidraw nodes: umockdev provides boards in sysfs, and sockets of simulators replace
# the nodes (tests/hid).
load common

# hid COMMAND…: runs the command with only these boards. Overwrites freed memory, to detect its use.
hid() {
    env UMOCKDEV_DIR="$D/hid" HIDRAW_DIR="$D/hid/dev" ASAN_OPTIONS=verify_asan_link_order=0 \
        MALLOC_PERTURB_=165 \
        LD_PRELOAD="${BIN%/bin}/tests/hid/hidraw.so:libumockdev-preload.so.0" "$@"
}

# board hidrawN SERIAL: connects a simulated board; $pid is its process.
board() {
    "$root/tests/hid/board.sh" "$D/hid" "$1" 16c0:0486 "$2" "ItsyBitsy M4"
    start "$1" hidmotor sim --listen "unix-listen:$D/hid/dev/$1"
    export HIDMOTOR_TIMEOUT=${patience}s
}

@test "hid: a board is found and used" {
    board hidraw3 A1
    ok hid hidmotor list -j
    same "$(json '[.link, .path, .usb, .name, .serial, .problem]')" \
        '["hid:serial=A1","/dev/hidraw3","16c0:0486","ItsyBitsy M4","A1",null]'
    ok hid hidmotor -l hid: status -j
    gives_json '[.ok, .result]' '[true,"arrived"]' hid hidmotor -l hid:serial=A1 move 0 20 -10 duration=200ms --wait -j
    ok hid hidmotor -l hid:/dev/hidraw3 gripper close
    gives_json '[.n, .lost, .foreign]' '[300,0,0]' hid hidmotor -l hid:16c0:0486 ping -n 300 -j
    ok hid hidmotor -l hid: record "$D/run.csv" -n 10
    same "$(wc -l <"$D/run.csv")" 11
}

@test "hid: missing, several, wrong and forbidden boards are reported with a remedy" {
    mkdir -p "$D/hid/sys" "$D/hid/dev"
    fails_with 4 "hid: board not found — plug it in" hid hidmotor -l hid: status
    board hidraw3 A1
    chmod 0 "$D/hid/dev/hidraw3"
    touch -d '2 seconds ago' "$D/hid/dev/hidraw3"
    rule='KERNEL=="hidraw*", KERNELS=="0003:16C0:0486.*", MODE="0660"'
    fails_with 4 "$rule" hid hidmotor -l hid: status
    prints "$rule" hid hidmotor list
    prints "$rule" hidmotor list --udev
    chmod 600 "$D/hid/dev/hidraw3"
    board hidraw4 B2
    fails_with 4 "hid: several boards — choose one: hid:serial=A1, hid:serial=B2" hid hidmotor -l hid: status
    fails 4 hid hidmotor -l hid:serial=C3 status
    has "$why" "hid:serial=C3: board not found — available: hid:serial=A1, hid:serial=B2"
    ok hid hidmotor -l hid:serial=B2 status
    for path in /dev/null /dev/zero /tmp /bin/sh /dev/none; do
        fails_with 4 "hid:$path: " hid hidmotor -l "hid:$path" status
    done
}

@test "hid: a board unplugged during a move is reported with exit 7" {
    board hidraw3 A1
    under_way hid hidmotor -l hid: -v move 60 0 0 duration=20s --wait
    wait_for client "38 07 00 00"
    end "$pid"
    wait "$client" && false || same $? 7
    wait_for client "hid:/dev/hidraw3: board disconnected"
}
