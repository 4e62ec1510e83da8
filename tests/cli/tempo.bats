#!/usr/bin/env bats
# Speed changes during playback: keys, a typed line, and another program through a server.
load common

# write_recordings: writes motions slow enough for people and busy machines.
write_recordings() {
    printf 't,m1,m2,m3\n0,0,0,0\n90,0,45,0\n' >hidmotor.csv
    printf 't,a\n0,0\n90,45\n' >leader.csv
    printf 'Joint,Motion Type,Position,Velocity,Tolerance,Delay (ms)\nElbow,Auto,2500,2,10,0,\nElbow,Auto,2400,900,10,0,\n' >sequence.csv
    ok hidmotor -q -l "$fast" --record hidmotor.pcapng play hidmotor.csv
}

# Playbacks as TOOL|ARGUMENTS.
playing='hidmotor|play hidmotor.csv --max-jump 90
hidmotor|replay hidmotor.pcapng
hidmotor|follow leader.csv --map m2=a --relative
unitysim|play sequence.csv'

# Presses the keys for faster and slower, edits a line while typing, and types an unknown line.
@test "keys and typed lines change the speed of play, replay, follow and a sequence" {
    write_recordings
    while IFS='|' read -r tool words; do
        TERM=xterm terminal 120 <<<"
            launch $tool -l sim: $words; want {speed 30%', to change the speed}
            want {at 100 %}
            type -
            want {at 90 %}
            type +
            want {at 100 %}
            type spee
            want {> spee}
            type x
            type \177
            type d\ 50%
            want {> speed 50%}
            type \r
            want {at 50 %}
            type faster\r
            want {'faster': unknown during play — use +, - or speed 30%}
            type speed\ 0\r
            want {at 0 %}
            type speed\ 100000%\r
            want {at 1}
            ends 0" || { echo "$tool $words" && false; }
    done <<<"$playing"
}

@test "a typed speed is relative to the file's speed, independent of --speed" {
    write_recordings
    while IFS='|' read -r tool words; do
        TERM=xterm terminal 60 <<<"
            launch $tool -l sim: $words --speed 50%; want {at 50 %}
            type -
            want {at 40 %}
            type speed\ 50%\r
            want {at 50 %}
            type speed\ 100000%\r
            want {at 1}
            ends 0" || { echo "$tool $words" && false; }
    done <<<"$playing"
    ok hidmotor -q -j -l "$fast" play hidmotor.csv --speed 50%
    same "$(jq -r 'select(.cmd) | [.duration, .sent] | @tsv' <<<"$output")" $'90\t9000'
}

@test "play continues after repeated suspensions of its program" {
    printf 't,m1,m2,m3\n0,0,0,0\n4,0,20,0\n' >lift.csv
    background hidmotor -q -l sim: play lift.csv --record run.pcapng >result 2>told
    player=$client
    until [ "$(stat -c %s run.pcapng 2>/dev/null || echo 0)" -gt 10000 ]; do sleep 0.05; done
    python3 - "$player" <<'END'
import os, signal, sys, time
for _ in range(20):
    for number, seconds in ((signal.SIGSTOP, 0.1), (signal.SIGCONT, 0.001)):
        os.kill(int(sys.argv[1]), number)
        time.sleep(seconds)
END
    wait "$player" || { cat told && false; }
}

@test "a speed beyond the limits is reported and reduced to them" {
    printf 't,m1,m2,m3\n0,0,0,0\n30,0,90,0\n' >lift.csv
    TERM=xterm terminal 120 <<<"
        launch hidmotor -l sim: play lift.csv --record run.pcapng
        want {at 100 %}
        type speed\ 999999%\r
        want {speed: limited to 66}
        ends 0"
    hidmotor -q -j decode run.pcapng --dir tx | jq 'select(.msg == "set_setpoints") | [.t, .m2]' |
        jq -s 'map(.[1]) | [.[1:], .[:-1]] | transpose | map((.[0] - .[1]) * 50) | max' >fastest
    [ "$(jq '. <= 201' fastest)" = true ] || { cat fastest && false; }
}

@test "the prompt accepts a speed while its command runs" {
    printf 't,m1,m2,m3\n0,0,0,0\n60,0,45,0\n' >lift.csv
    TERM=xterm terminal 120 <<<"
        launch hidmotor -l sim:; want {hidmotor> }
        type play\ lift.csv\r
        want {at 100 %}
        type speed\ 3000%\r
        want {play points=2}
        want {hidmotor> }
        type \004; ends 0"
}

@test "speed changes another program's play through a server with --take" {
    printf 't,m1,m2,m3\n0,0,0,0\n100,0,45,0\n' >lift.csv
    start server hidmotor -q -l sim: serve --listen unix:arm --deadman 5s
    fails 1 hidmotor -q -l serve:arm speed 50%
    same "$why" 'hidmotor: speed: nothing is playing through this server — start play, replay or follow first'
    fails 2 hidmotor -q -l serve:arm speed fast
    background hidmotor -q -l serve:arm play lift.csv >result 2>told
    player=$client
    until hidmotor -q -l serve:arm --take speed 10% 2>/dev/null; do sleep 0.02; done
    fails 1 hidmotor -q -l serve:arm speed 4000%
    same "$why" "hidmotor: speed: hidmotor (pid $player, $(id -un)) holds the lease — change its speed with --take"
    ok hidmotor -q -l serve:arm --take speed 4000%
    wait "$player"
    matches "$(cat result)" 'play points=2*'
    end "$pid"
}

@test "speed without a server or a running play explains where it can be used" {
    fails_with 2 'start play, replay or follow first' hidmotor -q -l sim: --no-attach speed 30%
    fails 2 hidmotor -q -l sim: speed
    fails 6 hidmotor -q -l sim: speed -1
    fails 2 armctl -q -l sim: speed 30%
}
