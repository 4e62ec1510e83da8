#!/usr/bin/env bats
# bats file_tags=long
# Safe stop, for all tools: ended at any moment. KILLS sets how many, HOLDS how many of those where it
# must be missing, WITHIN the time in ms that all of them have.
load common.bash

stops() {
    python3 "$root/tests/cli/stops.py" "$1" "$D" "$2" "$3" ${WITHIN:+--within "$WITHIN"} "${@:4}"
}

# Ended at any moment: the stop comes and is the last word, the device comes to rest.
kills() {
    run stops kills "$1" "${KILLS:-60}"
    [ "$status" = 0 ] || { echo "$output" && false; }
    printf '# %s\n' "${lines[@]: -2}"
}

# The same where nothing is to be sent: the tests above would notice.
hold() {
    run -1 stops kills "$1" "${HOLDS:-4}" --hold
    has "$output" "no stop"
}

@test "armctl: ended at any moment" { kills armctl; }
@test "canpid: ended at any moment" { kills canpid; }
@test "hidmotor: ended at any moment" { kills hidmotor; }
@test "unitysim: ended at any moment" { kills unitysim; }
@test "ezphys: ended at any moment" { kills ezphys; }
@test "armctl --hold: the tests above see that nothing is stopped" { hold armctl; }
@test "canpid --hold: the tests above see that nothing is stopped" { hold canpid; }
@test "hidmotor --hold: the tests above see that nothing is stopped" { hold hidmotor; }
@test "unitysim --hold: the tests above see that nothing is stopped" { hold unitysim; }
@test "ezphys --hold: the tests above see that nothing is stopped" { hold ezphys; }
