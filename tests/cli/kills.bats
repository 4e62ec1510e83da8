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

@test "armctl sends a stop when terminated at a random moment" { kills armctl; }
@test "canpid sends a stop when terminated at a random moment" { kills canpid; }
@test "hidmotor sends a stop when terminated at a random moment" { kills hidmotor; }
@test "unitysim sends a stop when terminated at a random moment" { kills unitysim; }
@test "ezphys sends a stop when terminated at a random moment" { kills ezphys; }
@test "armctl --hold: the kill tests detect a missing stop" { hold armctl; }
@test "canpid --hold: the kill tests detect a missing stop" { hold canpid; }
@test "hidmotor --hold: the kill tests detect a missing stop" { hold hidmotor; }
@test "unitysim --hold: the kill tests detect a missing stop" { hold unitysim; }
@test "ezphys --hold: the kill tests detect a missing stop" { hold ezphys; }
