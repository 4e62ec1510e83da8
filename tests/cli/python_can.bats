#!/usr/bin/env bats
# The simulator as an adapter and as a socketcand server: for python-can, which knows nothing of us,
# and for canpid.
load common.bash

python_can() {
    # Debian's, for which python3-can and python3-serial are installed.
    /usr/bin/python3 -c 'import can, serial' || skip "no python3-can or python3-serial"
    ok /usr/bin/python3 "$root/tests/cli/python_can.py" "$@"
    has "$output" "setpoint shown: True; 18 of 18 packets"
}

# Ten frames by canpid itself.
watched() {
    ok canpid -l "$url" watch -n 10 -j
    same "$(grep -c '"dir":"rx","msg":"\(joint\|pid\|sensors\)"' <<<"$output")" 10
}

@test "slcan on a pty: python-can, then canpid" {
    start sim canpid sim --listen "slcan:pty:$D/bus"
    same "$url" "slcan:tty:$D/bus"
    python_can slcan "$D/bus"
    watched
    python_can slcan "$D/bus"
}

@test "slcan on a pty: canpid commands, and the telemetry shows it" {
    start sim canpid sim --listen "slcan:pty:$D/bus"
    ok canpid -l "$url" setpoint 22.5deg -b lknee -c pos --verify -T "${patience}s"
    ok canpid -l "$url" -j watch -n 40
    has "$(grep '"msg":"pid","board":"lknee"' <<<"$output")" '"setpoint":6.25'
}

@test "slcan by TCP" {
    start sim canpid sim --listen slcan:tcp-listen:0
    matches "$url" "slcan:tcp:127.0.0.1:[0-9]*"
    watched
    watched
}

@test "socketcand: python-can, then canpid" {
    start sim canpid sim --listen socketcand-listen:0/can0
    matches "$url" "socketcand:127.0.0.1:[0-9]*/can0"
    port=${url%/can0}
    port=${port##*:}
    python_can socketcand 127.0.0.1 "$port" can0
    watched
    python_can socketcand 127.0.0.1 "$port" can0
}

@test "socketcand: canpid commands, and the telemetry shows it" {
    start sim canpid sim --listen socketcand-listen:0/can0
    ok canpid -l "$url" setpoint 22.5deg -b lknee -c pos --verify -T "${patience}s"
    ok canpid -l "$url" -j watch -n 40
    has "$(grep '"msg":"pid","board":"lknee"' <<<"$output")" '"setpoint":6.25'
    fails 4 canpid -l "${url%can0}can7" watch -n 1
    has "$why" "could not open bus"
}
