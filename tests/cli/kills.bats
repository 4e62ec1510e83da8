#!/usr/bin/env bats
# bats file_tags=long
# Each tool, ended at a random moment, stops its device. KILLS: number of runs. HOLDS: number of runs with --hold, which
# must not stop. WITHIN: time limit for each stop, ms.
load common.bash

stops() {
    python3 "$root/tests/cli/stops.py" "$1" "$D" "$2" "$3" ${WITHIN:+--within "$WITHIN"} "${@:4}"
}

# Ends the tool at random moments: the stop is the last message, and the device comes to rest.
kills() {
    run stops kills "$1" "${KILLS:-60}"
    [ "$status" = 0 ] || { echo "$output" && false; }
    printf '# %s\n' "${lines[@]: -2}"
}

# Repeats this with --hold, to prove that the tests detect a missing stop.
hold() {
    run -1 stops kills "$1" "${HOLDS:-4}" --hold
    has "$output" "no stop"
}

@test "armctl ended at any moment sends a stop" { kills armctl; }
@test "canpid ended at any moment sends a stop" { kills canpid; }
@test "hidmotor ended at any moment sends a stop" { kills hidmotor; }
@test "unitysim ended at any moment sends a stop" { kills unitysim; }
@test "ezphys ended at any moment sends a stop" { kills ezphys; }
@test "armctl --hold: the kill tests detect a missing stop" { hold armctl; }
@test "canpid --hold: the kill tests detect a missing stop" { hold canpid; }
@test "hidmotor --hold: the kill tests detect a missing stop" { hold hidmotor; }
@test "unitysim --hold: the kill tests detect a missing stop" { hold unitysim; }
@test "ezphys --hold: the kill tests detect a missing stop" { hold ezphys; }
