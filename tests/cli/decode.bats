#!/usr/bin/env bats
# decode: logs and captures of any size, in each format.
load common.bash

@test "decode loses no line of a long log, and reports an endless line once" {
    python3 "$root/tests/cli/frames.py" 20000 >big.log
    prints_lines 20000 canpid decode -j big.log
    same "$stderr" ""
    canpid decode -j <big.log | diff -q - <(canpid decode -j big.log)
    { head -c 600000 /dev/zero | tr '\0' x && printf '\n044#CDCC4C3D0200\n'; } >long.log
    run -5 --separate-stderr canpid decode long.log
    matches "$output" "* value=1.25Nm *"
    matches "$stderr" "*long.log:1:*1 damaged part, 1 record decoded"
    gives_json .samples 1 canpid plot setpoint long.log --out run.svg -j
}

@test "decode of a CSV or NDJSON file of record suggests info and plot" {
    for tool in canpid hidmotor; do
        ok $tool -q -l "$fast" record own.ndjson -n 3
        ok $tool -q -l "$fast" record own.csv -n 3
        for file in own.ndjson own.csv; do
            exits_with 5 "$tool: $file: these are records, not packets — use 'info' or 'plot'" $tool decode $file
        done
    done
}

@test "decode --port selects the packets of a capture; an invalid port is rejected" {
    ezphys encode axis_force id=7 axis1=0.5 | sed 's/^/> /' |
        "$BIN/../tests/unit/capture/test_pcapng" write ezphys one.pcapng
    prints_like "-> axis_force id=7 *" ezphys decode one.pcapng
    gives "" ezphys decode --port 47002 one.pcapng
    fails 6 ezphys decode --port 70000 one.pcapng
}

@test "decode reports a truncated message or an invalid size, and decodes the next message" {
    ezphys encode --dir rx joint_axis id=1 displacement=1 angular_velocity=2 --raw >whole.bin
    { printf '\060\0\0\0\002\0\0\0' && tail -c +9 whole.bin; } >first.bin
    run -5 --separate-stderr ezphys decode -j --as stream first.bin
    same "$(jq -c 'select(.msg) | .id' <<<"$output")" 1
    has "$stderr" "truncated"
    head -c 8 whole.bin >head.bin
    exits_with 5 "truncated" ezphys decode --as stream head.bin
    fails_with 5 "size 2147483648" ezphys decode 00 00 00 80 01 00 00 00 03 00 00 00 01 00 00 00 08 00 00 00 00 00 80 3F
}

@test "--where filters by msg and dir in recordings, live data and lines from a pipe" {
    ok hidmotor -q -l "$fast" --record run.pcapng move 0 45 -30 --wait
    hidmotor decode -j run.pcapng | jq_itself -c 'select(.msg == "positions" and .dir == "rx")' >both
    hidmotor decode -j run.pcapng --where 'msg=positions and dir=rx' | jq_itself -c . >decoded
    hidmotor decode -j run.pcapng | hidmotor watch -j - --where 'dir = rx and msg = positions' | jq_itself -c . >watched
    ok test -s both
    ok cmp both decoded
    ok cmp both watched
    same "$(hidmotor decode -j run.pcapng --where 'dir=tx' | jq -r .dir | sort -u)" tx
    ok hidmotor -q -j -l "$fast" watch -n 3 --where 'msg!=positions'
    same "$(jq -r .msg <<<"$output" | sort -u)" velocities
    fails 2 hidmotor decode run.pcapng --where msg=positins
    has "$why" "unknown message 'positins' — did you mean 'positions'?"
    fails_with 2 "unknown dir 'up'" hidmotor -l sim: watch --where dir=up
}

# A log with 10 % of frames from other nodes.
shared_bus() {
    python3 "$root/tests/cli/frames.py" 900 | awk '{ print }
        NR % 9 == 0 { sub(/[^ ]*$/, sprintf("%X#0102", 1792 + NR % 5)); print }'
}

@test "frames of other nodes are counted as skipped, not as damaged" {
    shared_bus >bus.log
    prints_lines 900 canpid decode -j bus.log
    matches "$stderr" "canpid: bus.log: skipped 100 frames of other nodes (0x7*, 0x7*) — name a board with -b, *"
    same "$(wc -l <<<"$stderr")" 1
    remarks "skipped 100 frames of other nodes" canpid decode -j - <bus.log
    ok canpid -j info bus.log
    same "$(tail -n1 <<<"$output" | jq -c '[.damaged, .others]')" '[0,100]'
    ok canpid -q plot setpoint bus.log --out run.svg
    remarks "frames of other nodes" canpid -l log:bus.log watch -j
    fails_with 5 "id 700" canpid decode 700#0102
}

@test "decode reads candump dates and reports lines without data, time differences and two interfaces" {
    printf '%s\n' '(1.000000) can0 20000004#0004000000000000' $'\tcontroller-problem{rx-error-warning}' \
        $'\terror-counter-tx-rx{{0}{96}}' '(1.000001) can0 123#R' '(1.000002) can0 123##11122334455667788990A' \
        '  can0  123   [0]  remote request' '  can0  123  [12]  11 22 33 44 55 66 77 88 99 AA BB CC' \
        '  can0  20000004   [8]  00 04 00 00 00 00 00 00   ERRORFRAME' '(2.000000) can0 041#9A99193F0200' >kinds.log
    prints_lines 1 canpid decode -j kinds.log
    same "$stderr" "canpid: kinds.log: skipped 2 error frames, 2 remote frames, 2 CAN FD frames"
    ok canpid -j info kinds.log
    same "$(tail -n1 <<<"$output" | jq -c '[.messages, .damaged]')" '[1,0]'
    echo ' (2026-11-29 13:05:00.249713)  can0  041   [6]  9A 99 19 3F 02 00' >dates.log
    TZ=UTC ok canpid decode -j dates.log
    same "$(json .t)" "$(date -u -d '2026-11-29 13:05:00' +%s).249713"
    printf ' (000.0%s)  can0  041   [6]  9A 99 19 3F 02 00\n' 00000 10000 09990 >steps.log
    for command in decode info; do
        fails_with 2 "decreasing timestamps (candump -t d) — record with candump -t a" canpid $command steps.log
    done
    printf '(1.0) can%d 041#9A99193F0200\n' 0 1 >two.log
    ok canpid decode -j two.log
    same "$stderr" "canpid: two.log: contains frames from interfaces can0 and can1 — select one: grep ' can0 ' FILE"
}
