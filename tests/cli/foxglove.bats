#!/usr/bin/env bats
# serve --foxglove, to a client of Python's own library; tests/mcap/npm.sh has the one of those who made the protocol.
load common.bash

fox() { "$root/tests/cli/foxglove.py" "$@"; }

# shows TOOL LINK [OPTION…]: a server of a simulated device; $at is where Foxglove finds it.
shows() {
    line=
    start s "$1" serve -l "$2" --listen "unix:$D/socket" --foxglove=0 "${@:3}"
    server=$pid
    [[ $url == ws* ]] || wait_for s "ready: ws"
    at=${line:+${line#ready: }}
    at=${at:-$url}
}

# seen TOOL LINK TOPIC…: all that is said until these have come; a command in $did is under way meanwhile.
seen() {
    shows "$1" "$2"
    if [ -n "${did:-}" ]; then
        # shellcheck disable=SC2086 # words
        "$1" -q -l "serve:$D/socket" $did >/dev/null &
        started+=($!)
    fi
    fox "$at" look "${@:3}" >seen
    jq_itself -se '.[0] | .name == "'"$1 $2"'" and .capabilities == ["services"]' seen
    jq_itself -se 'map(.services[]?.name) == ["/stop"]' seen
    end "$server"
    rm -f s.err
}

@test "each tool: the channels of MCAP with their values, joints in rad" {
    did="move 0 45 -30 --wait" seen hidmotor 'sim:' /hidmotor/positions /hidmotor/velocities /joint_states /armwire/frames
    jq_itself -se 'last.last["/joint_states"].name == ["m1", "m2", "m3"]' seen
    jq_itself -se 'last.last["/hidmotor/positions"] | .m2.setpoint | type == "number"' seen
    jq_itself -se 'map(.channels[]?) | any(.schemaName == "hidmotor/msg/Positions" and (.schema | contains("# deg")))' seen
    seen canpid 'sim:' /canpid/lknee/joint /canpid/rhip/sensors /joint_states
    did="deg 1 90" seen armctl 'sim:' /joint_states
    did="motor hinge 2 1000 --for 2s" seen ezphys 'sim:?scene=pendulum' /joint_states /ezphys/timestamp
    did="move elbow=2300" seen unitysim 'sim:' /joint_states /unitysim/feedback
}

@test "the service stops what another one moves, who is told; nobody commands by this way" {
    shows hidmotor 'sim:'
    hidmotor -l "serve:$D/socket" move 0 45 -30 duration=30s --wait >moved 2>&1 3>&- &
    mover=$!
    started+=($mover)
    becomes '"hidmotor"' sh -c 'echo "{\"lease\":true}" | timeout 0.3 socat -t 0.3 - UNIX-CONNECT:socket | jq -c "select(.serve) | .commander.program // empty"'
    fox "$at" stop >answers
    same "$(jq -sc 'map(.success)' answers)" '[true,true]'
    has "$(<answers)" "holding"
    wait "$mover" && status=0 || status=$?
    same "$status" 3
    has "$(<moved)" "stopped by Foxglove"
    ok fox "$at" rude
    has "$output" "advertise: not here"
    has "$output" "there is no such service"
    ok hidmotor -q -l "serve:$D/socket" status # the server is as well as before
}

# bats test_tags=long
@test "19 clients read, one does not: they lack nothing, and it is told what it has lost" {
    shows canpid 'sim:'
    ok fox "$at" crowd 1000000
    json '.starved_ms > 300 or (.lost == [] and .least > 0.5 * .most and .gap_ms < 5000)' | grep -qx true ||
        same "$output" "as many for all, and nothing lost"
    has "$output" "left out"
}

@test "where it listens: this machine only, unless said; what is wrong is said" {
    shows hidmotor "$fast"
    matches "$at" 'ws://127.0.0.1:*'
    fails 4 hidmotor -l "$fast" serve --listen "unix:$D/other" --foxglove="${at#ws://}"
    has "$why" "Address already in use"
    fails 2 hidmotor -l "$fast" serve --listen "unix:$D/other" --foxglove=here
    has "$why" "--foxglove: here — write ADDRESS:PORT"
    exits 2 armwire-foxglove
    end "$server"
    [ ! -e socket ]
}

# kept TOOL LINK COMMAND…: every path of the tool's layout is in a recording of this.
kept() {
    ok "$1" -q -l "$2" --record "$1.mcap" "${@:3}"
    fox "$root/docs/example/$1.foxglove.json" layout "$1.mcap"
    fox "$root/docs/example/$1.plotjuggler.xml" curves "$1.mcap"
}

# bats test_tags=plain
@test "each tool has layouts that show something at once: every curve is in a recording" {
    kept hidmotor "$fast" move 0 45 -30 --wait
    kept canpid "$fast" setpoint 10deg -b lknee -c pos --verify
    kept armctl "$fast" deg 1 90
    kept ezphys 'sim:?scene=pendulum' motor hinge 2 1000 --for 0.1s
    kept unitysim "$fast" move elbow=2300
}
