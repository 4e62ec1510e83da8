#!/usr/bin/env bats
# armwire-foxglove with a client in plain Python; tests/mcap/npm.sh uses Foxglove's own client.
load common.bash

fox() { "$root/tests/cli/foxglove.py" "$@"; }

# serves TOOL LINK: starts a server of the device with the socket $D/socket.
serves() {
    start d "$1" -q -l "$2" serve --listen "unix:$D/socket"
    served=$pid
}

# shows TOOL LINK [OPTION…]: records into armwire-foxglove; $at is its URL.
shows() {
    mkfifo frames
    "$1" -q -l "$2" ${packets:+--packets "$packets"} record - >frames 2>recorded 3>&- &
    recorder=$!
    started+=("$recorder")
    start s sh -c 'exec armwire-foxglove --port 0 "$@" <frames' sh "${@:3}"
    server=$pid at=$url
}

# over: ends the recorder and waits until armwire-foxglove ends.
over() {
    end "$recorder" INT
    wait "$server"
    rm -f frames s.err d.err
}

# seen TOOL LINK TOPIC…: saves all messages until each of these topics has arrived; runs the command in $did.
seen() {
    serves "$1" "$2"
    shows "$1" "serve:$D/socket"
    if [ -n "${did:-}" ]; then
        background "$1" -q -l "serve:$D/socket" $did >/dev/null
    fi
    fox "$at" look "${@:3}" >seen
    jq_itself -se '.[0] | .name == "'"$1 $2"'" and .capabilities == [] and .metadata.version != ""' seen
    over
    end "$served"
}

@test "each tool publishes the same channels and values as in MCAP, with joints in rad" {
    did="move 0 45 -30 --wait" seen hidmotor 'sim:' /hidmotor/positions /hidmotor/velocities /joint_states /armwire/frames
    jq_itself -se 'last.last["/joint_states"].name == ["m1", "m2", "m3"]' seen
    jq_itself -se 'last.last["/armwire/frames"].link == "sim"' seen
    jq_itself -se 'last.last["/hidmotor/positions"] | .m2.setpoint | type == "number"' seen
    jq_itself -se 'map(.channels[]?) | any(.schemaName == "hidmotor/msg/Positions" and (.schema | contains("# deg")))' seen
    seen canpid 'sim:' /canpid/lknee/joint /canpid/rhip/sensors /joint_states
    did="deg 1 90" seen armctl 'sim:' /joint_states
    did="motor hinge 2 1000 --for 2s" seen ezphys 'sim:?scene=pendulum' /joint_states /ezphys/timestamp /ezphys/hinge/joint_axis
    did="move elbow=2300" seen unitysim 'sim:' /joint_states /unitysim/feedback
}

@test "names from config and packet files appear in Foxglove" {
    config canpid '[board neck]' 'id = 0x100' '[board knee]' 'id = 0x40'
    printf '[packet extra]\nid = 0x65C\nvalue = u8 deg\n' >own.packets
    printf '(%d.0) can0 %s\n' 1 05E#000000000000 1 11E#000000000000 1 65C#07 1 7FE#000000000000 99 05E#000000000000 >can.log
    packets=own.packets shows canpid log:can.log
    fox "$at" look /canpid/neck/joint /canpid/knee/joint /canpid/extra >seen
    jq_itself -se 'last.last["/canpid/extra"].value == 7' seen
    jq_itself -se 'map(.channels[]?) | any(.schema | contains("KNEE=64")) and all(.topic | contains("7E0") | not)' seen
    over
}

@test "/stop runs a command and stops another program's motion" {
    serves hidmotor 'sim:'
    shows hidmotor "serve:$D/socket" --stop "hidmotor -q -l serve:$D/socket stop"
    background hidmotor -l "serve:$D/socket" move 0 45 -30 duration=30s --wait >moved 2>&1
    mover=$client
    until [ "$(python3 "$root/tests/cli/serve_client.py" who socket)" = "$mover" ]; do :; done
    fox "$at" stop >answers
    same "$(jq -sc 'map(.success)' answers)" '[true,true]'
    has "$(<answers)" "stop result=confirmed"
    wait "$mover" && false || same $? 3
    has "$(<moved)" "stopped by hidmotor"
    prints "advertise: not supported" fox "$at" rude
    has "$output" "service not found"
    wait_for s "/stop: stop result=confirmed"
    over
}

@test "a stop in progress completes when the input ends or armwire-foxglove is killed" {
    shows hidmotor 'sim:' --stop 'touch begun; sleep 0.5; echo slow; echo slow >&2; touch done'
    fox "$at" stop >answers 2>/dev/null 3>&- &
    client=$!
    until [ -e begun ]; do sleep 0.02; done
    over
    [ -e done ]
    wait $client || true # the client would reconnect
    same "$(head -n 1 answers)" '{"success": true, "message": "slow slow"}'
    rm begun done
    shows hidmotor 'sim:' --stop 'touch begun; sleep 0.5; echo slow; echo slow >&2; touch done'
    background fox "$at" stop >/dev/null 2>&1
    until [ -e begun ]; do sleep 0.02; done
    kill "$server"
    becomes done sh -c 'ls | grep -x done || true'
}

@test "/stop reports success only for exit status 0, otherwise the command's message" {
    shows hidmotor 'sim:' --stop 'echo "no device" >&2; exit 4'
    ok fox "$at" stop
    same "$(json .success) $(json .message)" 'false "no device"'
    over
    shows hidmotor 'sim:' --stop 'exit 3'
    ok fox "$at" stop
    same "$(json .success) $(json .message)" 'false "exit 3"'
    over
    shows hidmotor 'sim:' --stop 'if'
    gives_json .success false fox "$at" stop
    over
}

# bats test_tags=long
@test "a client that does not read gets a report of its loss, and 19 others lose nothing" {
    shows canpid 'sim:'
    ok fox "$at" crowd 1000000
    json '.starved_ms > 300 or (.lost == [] and .least > 0.5 * .most and .gap_ms < 5000)' | grep -qx true ||
        same "$output" "as many for all, and nothing lost"
    has "$output" "messages dropped"
}

@test "armwire-foxglove listens on this machine only and ends with its input" {
    shows hidmotor 'sim:'
    matches "$at" 'ws://127.0.0.1:*'
    fails 4 armwire-foxglove --port "${at##*:}" </dev/null
    has "$why" "Address already in use — choose another port with --port"
    run bash -c "hidmotor -q -l sim: record - | armwire-foxglove --port ${at##*:}; echo \${PIPESTATUS[*]}"
    same "${lines[-1]}" "141 4"
    over
    run bash -c "hidmotor -q -l sim: record - --for 0.2s | armwire-foxglove --port 0; echo \${PIPESTATUS[*]}"
    same "${lines[-1]}" "0 0"
    run bash -c "hidmotor -q -l hid:/dev/none record - | armwire-foxglove --port 0; echo \${PIPESTATUS[*]}"
    same "${lines[-1]}" "4 0"
}

@test "local pages may connect, others only with --origin" {
    shows hidmotor 'sim:' --origin https://app.foxglove.dev --origin http://lab:8080
    ok fox "$at" origin http://localhost:8080 https://localhost http://127.0.0.1:3000 'http://[::1]' file:// \
        https://app.foxglove.dev http://lab:8080
    hasnt "$output" refused
    ok fox "$at" origin https://evil.example http://localhost.evil.example http://127.0.0.1.evil.example null \
        http://lab https://app.foxglove.dev.evil.example "http://$(printf 'a%.0s' {1..3000})"
    hasnt "$output" permitted
    wait_for s "connection from https://evil.example refused — permit it with --origin URL"
    prints_no refused fox "$at" origin http://localhost:8080 # rejected clients do not affect this one
}

# bats test_tags=long
@test "flooding clients neither delay another client's /stop nor fill the memory" {
    shows canpid 'sim:' --stop true
    ok fox "$at" flood 4 subscribe talk begin call
    json '.p99_ms < 1000' | grep -qx true || same "$output" "quick"
    awk '/VmHWM/ { small = $2 < 65536 } END { exit !small }' "/proc/$server/status"
    over
}

@test "invalid options and input are reported" {
    fails_with 2 "'here' is not a port" armwire-foxglove --port here
    fails 2 armwire-foxglove --port 65536
    fails 2 armwire-foxglove 8765
    exits 2 armwire-foxglove --fast
    fails_with 2 "stdin: not a capture" armwire-foxglove --port 0 <<<"hello, this is not a capture"
    fails 2 armwire-foxglove --port 0 < <(printf '\n\r\r\n\34\0\0\0\115\74\53\32\1\0\0\0\377\377\377\377\377\377\377\377\34\0\0\0')
    has "$why" "pipe in the output of TOOL record -"
    prints "--stop 'COMMAND'" armwire-foxglove --help
}

# kept TOOL LINK COMMAND…: requires that a recording contains every path of the tool's layout.
kept() {
    ok "$1" -q -l "$2" --record "$1.mcap" "${@:3}"
    fox "$root/docs/example/$1.foxglove.json" layout "$1.mcap"
    fox "$root/docs/example/$1.plotjuggler.xml" curves "$1.mcap"
}

# bats test_tags=long
@test "every curve of each tool's layouts exists in a recording" {
    kept hidmotor "$fast" move 0 45 -30 --wait
    kept canpid "$fast" setpoint 10deg --max-jump 90deg -b lknee -c pos --verify
    kept armctl "$fast" deg 1 90
    kept ezphys 'sim:?scene=pendulum' motor hinge 2 1000 --for 0.1s
    kept unitysim "$fast" move elbow=2300
}
