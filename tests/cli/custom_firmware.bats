#!/usr/bin/env bats
# Four student boards of the teaching arm with custom packets (docs/example): compares bytes with their own host
# programs and boards, and runs the tool's commands on such firmware.
load common.bash

boards="42 35 10 20"

# host ID HEX RECORD: decodes bytes of the team's host program, padded to a report, and encodes them again.
host() {
    local file=$root/docs/example/arm$1.packets hex=$2
    while [ ${#hex} -lt 128 ]; do hex+=00; done
    gives "$3" hidmotor --packets "$file" --time none decode -j --dir tx "$hex"
    message=$(jq -r .msg <<<"$output")
    ok hidmotor --packets "$file" encode --dir tx "$message" $(jq -r 'del(.dir, .msg) |
        paths(scalars) as $p | ($p | join(".")) + "=" + (getpath($p) | tostring)' <<<"$output")
    same "${output// /}" "$hex"
}

# told ID HEX FIELD…: decodes bytes of the team's board and checks these values.
told() {
    local hex=$2
    while [ ${#hex} -lt 128 ]; do hex+=00; done
    ok hidmotor --packets "$root/docs/example/arm$1.packets" --time none decode --dir rx "$hex"
    shift 2
    for field; do has "$output" "$field"; done
}

@test "packet files of four teams encode and decode the bytes of their host programs" {
    # Sets the waist to 30 degrees at -11.44 ticks per degree; then requests a status.
    host 42 250000009A99ABC3 '{"dir":"tx","msg":"pid","m1":{"setpoint":-30.164064,"velocity":0,"force":0},"m2":{"setpoint":0,"velocity":0,"force":0},"m3":{"setpoint":0,"velocity":0,"force":0}}'
    host 42 2A000000 '{"dir":"tx","msg":"status"}'
    host 42 0D0000000000803F '{"dir":"tx","msg":"grip","servo":1}'
    host 42 19000000 '{"dir":"tx","msg":"torques"}'
    host 42 410000000000003F '{"dir":"tx","msg":"gains","m1":{"kp":0.5,"ki":0,"kd":0},"m2":{"kp":0,"ki":0,"kd":0},"m3":{"kp":0,"ki":0,"kd":0}}'
    # Sets 10, 20 and 30 degrees with gravity compensation of two links.
    host 35 25000000398EE3420000000000000000398E63437F6ABC3D00000000ABAAAA439B3D503D '{"dir":"tx","msg":"pid","m1":10,"gravity1":0,"force1":0,"m2":20,"gravity2":0.092,"force2":0,"m3":30,"gravity3":0.05084,"force3":0}'
    host 35 23000000 '{"dir":"tx","msg":"encoders"}'
    host 35 24000000 '{"dir":"tx","msg":"status"}'
    host 35 22000000CDCCCC3D '{"dir":"tx","msg":"grip","place":0.1}'
    host 35 410000000000003F '{"dir":"tx","msg":"gains","m1":{"kp":0.5,"ki":0,"kd":0},"m2":{"kp":0,"ki":0,"kd":0},"m3":{"kp":0,"ki":0,"kd":0}}'
    host 10 010000000000000000000000000000000000F0C10000000000000000000085C3 '{"dir":"tx","msg":"pid","m1":{"setpoint":0,"velocity":0,"force":0},"m2":{"setpoint":-2.6367188,"velocity":0,"force":0},"m3":{"setpoint":-23.378906,"velocity":0,"force":0}}'
    host 10 02000000A69BC43A30621F37BD37863517B7513A0AD7A33B000000006F12833B3480373A9C500839 '{"dir":"tx","msg":"gains","m1":{"kp":0.0015,"ki":9.5e-06,"kd":1e-06},"m2":{"kp":0.0008,"ki":0.005,"kd":0},"m3":{"kp":0.004,"ki":0.0007,"kd":0.00013}}'
    host 10 370000000000803F '{"dir":"tx","msg":"grip","open":1}'
    host 20 010000000000000000000000000000000000F0C1 '{"dir":"tx","msg":"pid","m1":{"setpoint":0,"velocity":0,"force":0},"m2":{"setpoint":-2.6367188,"velocity":0,"force":0},"m3":{"setpoint":0,"velocity":0,"force":0}}'
    host 20 020000006F12833A000000000AD7233C '{"dir":"tx","msg":"gains","m1":{"kp":0.001,"ki":0,"kd":0.01},"m2":{"kp":0,"ki":0,"kd":0},"m3":{"kp":0,"ki":0,"kd":0}}'
}

@test "packet files of four teams decode the bytes of their boards" {
    # 1024 ticks are 90 degrees; unused bytes in the answers of 42 and 25 are 8.
    told 42 2A000000000080440000004000000000$(printf '00%.0s' {1..24})$(printf '08%.0s' {1..24}) \
        "m1.position=90deg" "m1.velocity=2ticks/s" "m1.torque=0"
    told 42 190000000000003F000080BF00000040$(printf '08%.0s' {1..48}) "<- torques m1=0.5 m2=-1 m3=2"
    told 42 0D0000000000803F "<- grip servo=1"
    told 42 250000000000804400000040000000BF "<- pid m1.position=90deg" "m1.torque=-0.5"
    # The board answers 0x23 and 0x41 alike, with the encoders. Joint i (from 0) has second = i + 0.2, third = i + 0.3.
    encoders=0000803FCDCC4C3E9A99993E000000C09A99993F6666A63F00000000CDCC0C4033331340
    told 35 23000000$encoders "<- encoders m1.position=0.087890625deg" "m1.second=0.2" \
        "m2.position=-0.17578125deg" "m2.third=1.3" "m3.second=2.2"
    told 35 41000000$encoders "<- gains m1.position=0.087890625deg" "m3.third=2.3"
    told 35 24000000000080440000004000000000 "<- status m1.position=90deg" "m1.velocity=2ticks/s"
    told 35 22000000CDCCCC3D "<- grip place=0.1"
    told 35 25000000000000440000000000000000 "<- pid m1.position=45deg"
    told 10 0A000000000080C4 "status m1.position=-90deg"
    told 10 020000006F12833A "<- gains m1.kp=0.001"
    told 10 01000000000080440000004000000000 "<- pid m1.position=90deg" "m1.velocity=2ticks/s"
    told 20 14000000000000000000000000000000000080440000803F "m2.position=90deg" "m2.velocity=1ticks/s"
    told 20 01000000000080440000004000000000 "<- pid m1.position=90deg" "m1.velocity=2ticks/s"
}

@test "move --wait, watch, record and stop support the firmware of four teams" {
    for board in $boards; do
        export HIDMOTOR_PACKETS=$root/docs/example/arm$board.packets
        printf '%s\n' 'move 0 20 -10 --wait' 'jog m2 -5 --wait' stop status >lines
        ok hidmotor -q -l "$fast" -j run lines
        same "$(jq -r 'select(.result) | .result' <<<"$output" | xargs)" "arrived arrived confirmed"
        jq -se '.[-1].m2.actual | . > 12 and . < 18' <<<"$output"
        prints '"msg":"status"' hidmotor -q -l "$fast" watch -j -n 5
        hasnt "$output" positions
        ok hidmotor -q -l "$fast" record run.pcapng --for 0.2s
        unset HIDMOTOR_PACKETS
        prints '"msg":"status","m1":{"position":' hidmotor decode -j run.pcapng
        exits 1 hidmotor -q -l "$fast" --packets "$root/docs/example/arm$board.packets" send 4711 --yes
        has "$stderr" "does not support packet 4711"
    done
}
