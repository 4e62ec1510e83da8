#!/usr/bin/env bats
# bats file_tags=long
# canpid on faulty joints: they stay within their bounds, get their old gains back and end disabled. HOSTILE is the
# number of runs ended at a random moment, SEED the seed of these moments.
load common.bash

on() {
    run python3 "$root/tests/cli/hostile.py" all "$1"
    [ "$status" = 0 ] || { grep '^not ok' <<<"$output" && false; }
}

@test "canpid: every command is safe on a sound joint" { on sound; }
@test "canpid: every command is safe on a dead motor" { on dead; }
@test "canpid: every command is safe on a stuck encoder" { on stuck; }
@test "canpid: every command is safe on an encoder that gets stuck at 1 deg" { on stuck:1deg; }
@test "canpid: every command is safe on a reversed motor" { on reversed; }
@test "canpid: every command is safe on a joint that hits a wall" { on wall:2deg; }
@test "canpid: every command is safe on a joint with dead time" { on delay:1s; }
@test "canpid: every command is safe on a joint with backlash" { on backlash:1deg; }
@test "canpid: every command is safe on a joint with high friction" { on coulomb:5%; }
@test "canpid: every command is safe on an unstable joint" { on unstable; }

@test "canpid: a driver error, silence or another program's stop ends a motion" {
    run python3 "$root/tests/cli/hostile.py" events
    [ "$status" = 0 ] || { grep '^not ok' <<<"$output" && false; }
}

@test "canpid tune disables the driver when interrupted during its first step" {
    ok python3 "$root/tests/cli/hostile.py" interrupt
}

@test "canpid disables sound and faulty joints when terminated at a random moment" {
    run python3 "$root/tests/cli/hostile.py" kills "${HOSTILE:-12}"
    [ "$status" = 0 ] || { echo "$output" && false; }
    printf '# %s\n' "${lines[@]: -1}"
}

# In real time: a delay of the tool must not be mistaken for dead time of the joint.
joints() {
    run python3 "$root/tests/cli/hostile_joints.py" "$1"
    [ "$status" = 0 ] || { grep '^not ok' <<<"$output" && false; }
}

@test "hidmotor: every command is safe on faulty joints" { joints hidmotor; }
@test "unitysim: every command is safe on faulty joints" { joints unitysim; }
@test "ezphys: every command is safe on faulty joints" { joints ezphys; }
