#!/usr/bin/env bats
# The simulator as an slcan adapter for python-can and canpid.
load common.bash

python_can() {
    # Skips the tests without Debian's python3-can and python3-serial.
    /usr/bin/python3 -c 'import can, serial' || skip "no python3-can or python3-serial"
    prints "setpoint shown: True; 18 of 18 packets" /usr/bin/python3 "$root/tests/cli/python_can.py" "$@"
}

# Reads ten frames with canpid.
watched() {
    ok canpid -l "$url" watch -n 10 -j
    same "$(grep -c '"dir":"rx","msg":"\(joint\|pid\|sensors\)"' <<<"$output")" 10
}

@test "python-can and later canpid use slcan on the same pty" {
    start sim canpid sim --listen "slcan:pty:$D/bus"
    same "$url" "slcan:tty:$D/bus"
    python_can "$D/bus"
    watched
    python_can "$D/bus"
}

@test "canpid commands over slcan on a pty change the telemetry" {
    start sim canpid sim --listen "slcan:pty:$D/bus"
    ok canpid -l "$url" setpoint 22.5deg --max-jump 90deg -b lknee -c pos --verify -T "${patience}s"
    ok canpid -l "$url" -j watch -n 40
    has "$(grep '"msg":"pid","board":"lknee"' <<<"$output")" '"setpoint":6.25'
}

@test "python-can uses slcan over TCP" {
    start sim canpid sim --listen slcan:tcp-listen:0
    matches "$url" "slcan:tcp:127.0.0.1:[0-9]*"
    watched
    watched
}

# bats test_tags=long
@test "logs of python-can are recognised and converted as suggested" {
    /usr/bin/python3 -c 'import can' || skip "no python3-can"
    echo '(1700000000.000000) can0 05F#80F8730806FF' >run.log
    /usr/bin/python3 -m can.logconvert run.log it.asc
    for command in "decode FILE" "-q info FILE" "plot velocity FILE" "-l log:FILE watch"; do
        ok canpid -q ${command//FILE/it.asc}
    done
    same "$(canpid decode -j it.asc)" "$(canpid decode -j run.log)"
    while IFS='|' read -r ending what; do
        /usr/bin/python3 -m can.logconvert run.log "it.$ending"
        advice="python3 -m can.logconvert it.$ending it.log"
        for command in "decode FILE" "info FILE" "-l sim: replay FILE" "plot velocity FILE" \
            "-l log:FILE watch"; do
            run --separate-stderr canpid -q ${command//FILE/it.$ending}
            # The link log: exits with the status of a missing link, and the same reason.
            [ "$status" = 2 ] || [[ $status == 4 && $command == *log:* ]]
            same "$stderr" "canpid: it.$ending is $what — convert it first: $advice"
        done
        PATH=/usr/bin:$PATH $advice
        same "$(canpid decode it.log)" "$(canpid decode run.log)"
        rm it.log
    done <<'END'
blf|a Vector BLF log
trc|a PEAK TRC log
csv|a CSV log of python-can
db|an SQLite log of python-can
END
    fails_with 2 "stdin is a PEAK TRC log" canpid decode <it.trc
    has "$why" "FILE OUT.log"
}
