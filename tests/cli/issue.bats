#!/usr/bin/env bats
# Processes share an arm in another process and pass on its sequence digit.
load common.bash

commands() { # runs three commands, each in its own process
    for words in "deg 1 90" "pos 2 120" "arm 250 45 120"; do
        prints "confirmed" armctl "$@" -l "$D/arm" $words
    done
}

@test "a one-shot command moves, is confirmed and exits 0" {
    prints "result=confirmed" armctl -l 'sim:?turn-speed=20000' deg 1 90
    has "$stderr" simulator
    gives_json '[.ok,.result]' '[true,"confirmed"]' armctl -l 'sim:?turn-speed=20000' -j deg 1 90
}

@test "--seq auto finds the sequence digit after a restart or loss; without auto a wrong digit exits 3" {
    arm
    ok armctl -l "$D/arm" deg 1 90
    for round in 1 2 3; do
        end "$pid"
        arm
        commands
        [ "$round" != 2 ] || ok armctl -l "$D/arm" deg 1 9
    done
    end "$pid"
    arm
    ok armctl -l "$D/arm" deg 1 90
    rm -r "$D/state"
    gives_json '[.result,.flipped]' '["confirmed",true]' armctl -j -l "$D/arm" deg 1 80
    end "$pid"
    rm -r "$D/state"
    arm
    ok armctl -l "$D/arm" deg 1 90
    fails_with 3 "confirm" armctl -q -l "$D/arm" --seq 0 --confirm-timeout 50ms deg 1 80
}

@test "an alias, the environment, TCP and Unix sockets reach an arm" {
    arm
    config armctl '[link]' "desk = $D/arm"
    ok armctl -l @desk deg 1 90
    ARMCTL_LINK=$D/arm gives_json .flipped null armctl -j deg 1 80
    start tcp armctl sim --listen tcp-listen:0 --turn-speed 20000
    matches "$url" "tcp:*:[1-9]*"
    ok armctl -l "$url" deg 1 90
    ok armctl -l "$url" deg 1 80
    start unix armctl sim --listen "unix-listen:$D/socket" --turn-speed 20000
    ok armctl -l "$url" deg 1 90
}

@test "commands succeed on simulators with quirks of the published firmware; an unknown quirk is rejected" {
    for quirk in no-reack bare-confirm; do
        gives_json .result '"confirmed"' armctl -l "$fast&quirks=$quirk" -j deg 1 90
    done
    ok armctl -l "$fast&quirks=pulse-deg" pulse 1 1500
    fails_with 2 "bare-confirm" armctl sim --quirks nope
}

# bats test_tags=long
@test "two thousand commands of a script succeed over a faulty link in virtual time" {
    for ((i = 0; i < 2000; i++)); do echo "deg 1 $((i % 360))"; done >script
    ok armctl -q -l "$fast&drop=5%&dup=5%&seed=7" --retries 50 --format '%{angle}' run script
    same "$(md5sum <<<"$output")" "$(sed 's/deg 1 //' script | md5sum)"
}

@test "ping prints one answer, or the statistics of several answers" {
    gives_json '[.n, .lost, .retries]' '[1,0,0]' armctl -q -j -l "$fast" ping
    gives_json '[.n, .lost, .retries, .p50_ms, .max_ms]' '[3,0,0,0,0]' armctl -q -j -l "$fast" ping -n 3
    fails 3 armctl -q -j -l "$fast&drop=100%" --retries 1 ping -n 3
    same "$(json '[.n, .lost, .p50_ms]')" '[1,1,null]'
}
