#!/usr/bin/env bats
# MCAP: recordings are complete for other programs' readers and for all readers of captures;
# killed recorders; files of other programs. tests/mcap/npm.sh does the same with the libraries of
# the format's authors.
load common.bash

mcap=$BATS_TEST_DIRNAME/../mcap

# proves TOOL: requires that a recording preserves many messages of each type with values over their whole ranges.
proves() {
    "$root/build/tests/mcap/make_frames" "$1" run.pcapng 400 >expected
    ok "$1" -q -l 'log:run.pcapng?speed=max' record run.mcap
    "$mcap/read.py" --equal run.mcap expected
    "$1" -q decode -j run.pcapng >a
    "$1" -q decode -j run.mcap | cmp - a
    cmp <("$1" -q info -j run.pcapng | jq_itself -c 'del(.t)') <("$1" -q info -j run.mcap | jq_itself -c 'del(.t)')
    cmp <("$1" -q -j -l 'log:run.pcapng?speed=max' watch) <("$1" -q -j -l 'log:run.mcap?speed=max' watch)
    "$mcap/read.py" --about run.mcap | jq -e '.profile == "ros2" and .metadata.armwire.tool == "'"$1"'"' >about
}

@test "armctl: MCAP preserves every field of every message" { proves armctl; }
@test "canpid: MCAP preserves every field of every message" { proves canpid; }
@test "ezphys: MCAP preserves every field of every message" { proves ezphys; }
@test "hidmotor: MCAP preserves every field of every message" { proves hidmotor; }
@test "unitysim: MCAP preserves every field of every message" { proves unitysim; }

# topics FILE JQ: applies a filter to its messages.
topics() { "$mcap/read.py" "$1" | jq_itself -sec "$2"; }

@test "a recording contains sent messages, joints in rad, gains and config" {
    config hidmotor '[options]' 'timeout = 2s'
    printf 'gains set elbow.kp=0.02\nmove 10 20 -30 --wait\n' |
        ok hidmotor -q -l "$fast" --record run.mcap
    topics run.mcap 'any(.topic == "/hidmotor/tx/set_setpoints" and .value.m3 == -30)'
    topics run.mcap '[.[] | select(.topic == "/joint_states")] | last.value |
        .name == ["m1", "m2", "m3"] and (.position[1] * 180 / 3.14159265 | . > 19 and . < 21)'
    "$mcap/read.py" --about run.mcap >about
    jq -e '.metadata.gains["m3.kp"] == "0.02" and .attachments["hidmotor.ini"] == "[options]\ntimeout = 2s\n"' about
    jq -e '.metadata.armwire.link == "sim:?time=virtual"' about
    topics run.mcap 'all(.log == .publish)'
    ok hidmotor -q -l "$fast" replay run.mcap
    ok hidmotor -q plot run.mcap m2.position --out run.svg
}

@test "topics contain the board or joint, and the publish time is the device's" {
    ok canpid -q -l "$fast" record run.mcap --for 0.1s
    topics run.mcap 'map(.topic) | unique | contains(["/canpid/lknee/joint", "/canpid/rhip/sensors"])'
    topics run.mcap '[.[] | select(.topic == "/joint_states") | .value.name[0]] | unique | length == 6'
    ok ezphys -q -l 'sim:?scene=pendulum' --record run.mcap motor hinge 2 1000 --for 0.1s
    topics run.mcap '[.[] | select(.topic == "/ezphys/timestamp") | .publish / 1000000] | .[-1] - .[0] >= 99'
    topics run.mcap 'any(.topic == "/joint_states" and .value.name == ["hinge"])'
    ok ezphys -q -l 'log:run.mcap?speed=max' plot hinge.displacement --out run.svg # names come from the recording
    ok armctl -q -l "$fast" --record run.mcap deg 1 90
    topics run.mcap 'any(.topic == "/joint_states" and .value.name == ["joint1"])'
    ok unitysim -q -l "$fast" --record run.mcap move elbow=2048
    topics run.mcap '[.[] | select(.topic == "/joint_states")] | last.value.position[1] | fabs < 0.1'
}

@test "the MCAP file of a killed recorder is complete except for the last 0.1 s" {
    "$mcap/kills.py" "$BIN" "$D"
}

@test "a truncated file is read up to its last complete chunk" {
    ok hidmotor -l "$fast" record run.mcap --for 1s
    has "$stderr" "layouts for Foxglove ($root/docs/example/hidmotor.foxglove.json) and PlotJuggler (hidmotor.plotjuggler.xml)"
    head -c -30 run.mcap >cut.mcap
    exits_with 5 "cut.mcap: file is truncated" hidmotor decode -q cut.mcap
    remarks "cut.mcap: file is truncated" hidmotor info cut.mcap
    remarks "cut.mcap: file is truncated" hidmotor plot cut.mcap m1.position --out cut.svg
    printf 'text' >about.mcap
    exits 2 hidmotor decode about.mcap
    same "$stderr" "hidmotor: about.mcap: not an MCAP file — give a recording in .mcap"
}

@test "a full disk or a dead or slow filter fails the recording and stops the motion" {
    ln -s /dev/full full.mcap
    exits_with 7 "--record: full.mcap: No space left" hidmotor -q -l "$fast" --record full.mcap move 0 10 0
    same "$(grep -c 'No space' <<<"$stderr")" 1
    mkdir other
    printf '#!/bin/sh\nhead -c 2000 >/dev/null\nexit 3\n' >other/armwire-dies
    printf '#!/bin/sh\nkill -STOP $$\n' >other/armwire-stands
    chmod +x other/*
    PATH=$D/other:$PATH
    exits_with 7 "--record: armwire-dies: exit 3" hidmotor -q -l sim: --record run.dies move 0 45 0 --wait
    # The tool waits for a suspended filter only at the end.
    ok hidmotor -q -l sim: -j move 0 5 0 duration=100ms --wait
    exits_with 7 "armwire-stands" hidmotor -q -l sim: --record run.stands move 0 5 0 duration=100ms --wait
}

@test "without armwire-mcap, the error names its package, and nothing moves or is written" {
    mkdir here
    cp "$BIN/hidmotor" here/
    ok hidmotor -q -l "$fast" record run.mcap --for 0.1s
    PATH=/usr/local/bin:/usr/bin:/bin
    exits 2 here/hidmotor -l sim: --record next.mcap move 0 10 0
    same "$stderr" "hidmotor: --record: next.mcap: armwire-mcap not installed — apt install armwire-mcap"
    exits 2 here/hidmotor -l sim: record next.mcap
    [ ! -e next.mcap ]
    for command in decode info plot replay; do
        exits 2 here/hidmotor -l sim: "$command" run.mcap
        has "$stderr" "run.mcap: armwire-mcap not installed — apt install armwire-mcap"
    done
    exits_with 2 ".pcapng or .mcap" here/hidmotor -l sim: --record next.other move 0 10 0
}

@test "frames convert from pcapng to MCAP and back" {
    ok hidmotor -q -l "$fast" --record run.pcapng move 0 10 0
    armwire-mcap write run.mcap <run.pcapng
    armwire-mcap read run.mcap >back.pcapng
    cmp <(hidmotor -q decode -j run.pcapng) <(hidmotor -q decode -j back.pcapng)
    armwire-mcap write - <back.pcapng | cmp - run.mcap
    armwire-mcap cat run.mcap | jq -se 'any(."hidmotor.tx.set_setpoints.m2" == 10) and any(."joint_states.name.0" == "m1")'
    exits 2 armwire-mcap write run.mcap </dev/null
    exits_with 2 "1 argument given — give a verb and one FILE" armwire-mcap read
    exits_with 2 "use write, read or cat; to list the contents, run 'TOOL info FILE'" armwire-mcap info run.mcap
    prints "armwire-mcap cat FILE.mcap" armwire-mcap --help
}

@test "plot and info find values in other programs' MCAP files by name; decode reports no packets" {
    "$mcap/foreign.py" bag.mcap cdr
    ok hidmotor -q info -j bag.mcap
    jq -se 'any(.field == "arm.state.position.1" and .count == 20 and .max == 1.9)' <<<"$output"
    jq -se 'any(.field == "arm.note.text")' <<<"$output"
    ok hidmotor -q plot bag.mcap arm.state.position.1 --out bag.svg
    exits_with 2 "values of another program" hidmotor decode bag.mcap
    exits 4 hidmotor -q -l log:bag.mcap watch
    "$mcap/foreign.py" wrong.mcap other
    exits 2 hidmotor info wrong.mcap
    has "$stderr" "encoding 'other' not supported — use cdr"
    exits 2 hidmotor plot wrong.mcap arm.state.position.1
}
