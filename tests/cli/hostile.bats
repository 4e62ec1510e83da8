#!/usr/bin/env bats
# bats file_tags=long
# canpid on joints that are broken: within the bound, with the previous gains, disabled. HOSTILE
# sets how many are ended at a random moment, SEED which.
load common.bash

on() {
    run python3 "$root/tests/cli/hostile.py" all "$1"
    [ "$status" = 0 ] || { grep '^not ok' <<<"$output" && false; }
}

@test "canpid: each command on a sound joint" { on sound; }
@test "canpid: each command on a dead motor" { on dead; }
@test "canpid: each command on an encoder that is stuck" { on stuck; }
@test "canpid: each command on a motor that is reversed" { on reversed; }
@test "canpid: each command against a wall" { on wall:2deg; }
@test "canpid: each command on a joint that is late" { on delay:1s; }
@test "canpid: each command on a loose gear" { on backlash:1deg; }
@test "canpid: each command on much friction" { on coulomb:5%; }
@test "canpid: each command on a joint that runs away" { on unstable; }

@test "canpid: an error of the driver, silence, and another program's stop end what moves" {
    run python3 "$root/tests/cli/hostile.py" events
    [ "$status" = 0 ] || { grep '^not ok' <<<"$output" && false; }
}

@test "canpid: ended at any moment on a broken joint" {
    run python3 "$root/tests/cli/hostile.py" kills "${HOSTILE:-12}"
    [ "$status" = 0 ] || { echo "$output" && false; }
    printf '# %s\n' "${lines[@]: -1}"
}

# In real time: what is slow by itself is no joint that is late.
joints() {
    run python3 "$root/tests/cli/hostile_joints.py" "$1"
    [ "$status" = 0 ] || { grep '^not ok' <<<"$output" && false; }
}

@test "hidmotor: each command on each joint that goes wrong" { joints hidmotor; }
@test "unitysim: each command on each joint that goes wrong" { joints unitysim; }
@test "ezphys: each command on each joint that goes wrong" { joints ezphys; }
