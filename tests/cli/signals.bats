#!/usr/bin/env bats
# Interrupted motions: the stop, its message and the exit status.
load common.bash

# moving LINK OPTION…: starts a motion and waits for its ACK. Sets $client; the log is in client.err, the output
# in client.out.
moving() {
    under_way armctl -v -l "$@" deg 1 350
    wait_for client "<- 30 41 43 4B" # ACK
}

# arm_at_30: starts a slow arm with a profile whose last confirmed position is 30 deg.
arm_at_30() {
    config armctl '[joint base]' 'index = 1' 'kind = rotate' 'min = 0' 'max = 360' 'home = 0'
    arm
    ok armctl -l "$D/arm" deg base 30
    end "$pid"
    arm --turn-speed 50
}

@test "-j reports an interrupted motion as stopped, with exit 130" {
    moving sim: -j
    ended 130 INT
    same "$(tail -n 1 client.out | jq -c '[.cmd,.ok,.error,.exit]')" '["deg",false,"stopped",130]'
}

@test "an interrupt with --hold sends no stop" {
    arm_at_30
    moving "$D/arm" --hold
    ended 130 INT
    hasnt "$rest" "->"
}

@test "a stop without an earlier position sends nothing and reports that it is unknown" {
    arm --turn-speed 1
    moving "$D/arm"
    ended 130 INT
    hasnt "$rest" "->"
    has "$rest" "the earlier position is unknown"
}

@test "a stop without an answer returns quickly" {
    under_way armctl -v -l "sim:?drop=100%" deg 1 350
    wait_for client "->"
    ended 130 INT
    has "$rest" stopped
}

@test "a signal ends a script without running its next line" {
    printf 'deg 1 350\ndeg 1 10\n' >moves
    under_way armctl -v -k -l sim: run moves
    wait_for client "<- 30 41 43 4B"
    ended 143 TERM
    hasnt "$rest" "->"
}

@test "a closed output pipe ends a script without further motion" {
    arm
    config armctl '[joint base]' 'index = 1' 'kind = rotate' 'min = 0' 'max = 360' 'home = 0'
    mkfifo lines results
    armctl -q -l "$D/arm" <lines >results 2>err 3>&- &
    client=$!
    started+=("$client")
    exec {lines}>lines {reader}<results
    echo "deg 1 5" >&"$lines"
    read -r -t "$patience" first <&"$reader"
    matches "$first" "deg joint=1 angle=5deg*"
    exec {reader}<&-
    (printf 'deg 1 %d\n' {11..19} >&"$lines") || true # the client may already have ended
    wait "$client" && false || same $? 141
    kill "$pid"
    wait_for arm "commands executed"
    matches "$line" "*: [12] commands executed*"
}

@test "SIGTERM ends the simulator and removes its link" {
    arm
    [ -L "$D/arm" ]
    kill "$pid"
    wait "$pid" && status=0 || status=$?
    [ "$status" = 0 ] || [ "$status" = 143 ]
    [ ! -e "$D/arm" ]
    [ ! -L "$D/arm" ]
}

@test "SIGTERM ends a program without a device" {
    mkfifo hex
    armctl decode - <hex 3>&- &
    client=$!
    started+=("$client")
    exec {hex}>hex
    kill -INT "$client" # the shell makes background jobs ignore INT
    end_by TERM 143
}

@test "unread standard error neither delays a command nor prevents a stop" {
    arm_at_30
    mkfifo unread
    exec {unread}<>unread
    head -c 65536 /dev/zero >&"$unread" # fills the pipe
    armctl -v -l "$D/arm" --record run.pcapng deg 1 350 2>&"$unread" 3>&- &
    client=$!
    until [ -e run.pcapng ]; do kill -0 "$client"; done
    sent() { armctl -j decode run.pcapng | jq -sc 'map(select(.angle)) | last.angle'; }
    becomes 350 sent
    end_by INT 130
    same "$(sent)" 30 # the last confirmed position
}

@test "dropped lines on standard error are counted and reported later" {
    mkfifo in out unread
    exec {in}<>in {out}<>out {unread}<>unread
    head -c 65536 /dev/zero >&"$unread"
    background armctl -v -l "$fast" <&"$in" >&"$out" 2>&"$unread"
    echo "deg 1 90" >&"$in"
    read -t "$patience" -r line <&"$out"
    has "$line" confirmed
    head -c 65536 <&"$unread" >/dev/null
    echo "deg 1 80" >&"$in"
    said[client]=$unread
    wait_for client "lines dropped here: the reader was too slow"
    wait_for client "44 45 47 31 2C 30 38 30" # DEG1,080
}
