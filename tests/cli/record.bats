#!/usr/bin/env bats
# Each tool: a session with a simulator is recorded, looked at by Wireshark, sent again, watched and
# drawn; recorders that are killed, full disks, marks, the last minute, times.
load common.bash
load shark.bash

# What each tool does in its session: a script. The same simulator is started for it and for its
# replay; what it answers to the last line is its state.
declare -gA session=(
    [armctl]='deg 1 90 2 45
pos 4 20
deg 1 30'
    [hidmotor]='move 10 20 -30 --wait
gripper open
gains
velocity 5 0 0
move 15 25 -20 duration=200ms --wait'
    [canpid]='set kp 0.6 -b lknee -c tor
setpoint 2Nm -b lknee -c tor
aux 1 2.5 -b rhip
watch -n 36'
    [unitysim]='scene slam-dunk --fps 60
limits set elbow 1800 2100
drive elbow=+45 hand=close --for 2s
camera set -185 500 -7 66 270 0'
    [ezphys]='motor 1 2 1000 --for 0.1s
force 1 3 --for 0.02s
reset
motor 1 1 500 --for 0.05s'
)
declare -gA drawn=([armctl]=angle [hidmotor]=m1.position [canpid]=torque [unitysim]=elbow.position
    [ezphys]=displacement)

free_port() {
    python3 -c 'import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])'
}

# simulate TOOL NAME: a fresh simulator in a process of its own, $url.
simulate() {
    case $1 in
    armctl) start "$2" armctl sim --listen "pty:$D/$2" --turn-speed 20000 --slide-speed 20000 ;;
    hidmotor) start "$2" hidmotor sim --listen "unix-listen:$D/$2" ;;
    canpid) start "$2" canpid sim --listen "slcan:pty:$D/$2" ;;
    unitysim) start "$2" unitysim sim --listen "udp-listen:0?reply=127.0.0.1:$(free_port)" ;;
    ezphys) start "$2" ezphys sim --scene pendulum --listen 0 ;;
    esac
}

# state TOOL RECORDING: what the simulator at $url is like after it, in a form that can be compared.
# The arm tells nothing but what it did, so its answers are its state.
state() {
    case $1 in
    armctl) armctl decode -j --time none "$2" | jq -c 'select(.dir == "rx")' ;;
    hidmotor) hidmotor -l "$url" -j status | jq -c 'select(.m1) | .[] |= (objects.setpoint // empty)' ;;
    canpid) canpid -l "$url" watch -j -n 3 --where 'lknee.setpoint>-1' | jq -c '[.board, .setpoint]' ;;
    unitysim)
        unitysim -l "$url" -j status | jq -c '[.elbow, .hand]'
        unitysim -l "$url" -j camera get | jq -c '.. | objects | select(.rx) | [.x, .y, .z, .rx]'
        ;;
    ezphys) ezphys -l "$url" -j --time none watch -n 4 ;;
    esac
}

# record_session TOOL: its session with a fresh simulator, in TOOL.pcapng; its state in $state.
record_session() {
    simulate "$1" first
    ok "$1" -q -l "$url" --record "$1.pcapng" <<<"${session[$1]}"
    state=$(state "$1" "$1.pcapng")
    [ -n "$state" ]
    end "$pid"
}

proves() {
    record_session "$1"

    agree "$1" "$1.pcapng" # Wireshark sees what decode sees: every field of every message
    [ "$(wc -l <records)" -gt 8 ]

    simulate "$1" second
    ok "$1" -q -j -l "$url" --record again.pcapng replay "$1.pcapng"
    same "$(json .ok)" true
    same "$(json .sent)" "$("$1" decode -j "$1.pcapng" | grep -c '"dir":"tx"')"
    same "$(state "$1" again.pcapng)" "$state"
    end "$pid"

    # On a bus all hear all; else what comes from the device is heard.
    [ "$1" = canpid ] && heard='"dir"' || heard='"dir":"rx"'
    "$1" -q -l "log:$1.pcapng?speed=max" watch -j >watched
    "$1" decode -j "$1.pcapng" | grep "$heard" | diff - watched
    ok "$1" plot "${drawn[$1]}" "$1.pcapng" --out run.svg
    ok grep -c '<path\|<polyline' run.svg
}

@test "a session of armctl: Wireshark, replay, log:, plot" { proves armctl; }
@test "a session of hidmotor: Wireshark, replay, log:, plot" { proves hidmotor; }
@test "a session of canpid: Wireshark, replay, log:, plot" { proves canpid; }
@test "a session of unitysim: Wireshark, replay, log:, plot" { proves unitysim; }
@test "a session of ezphys: Wireshark, replay, log:, plot" { proves ezphys; }
