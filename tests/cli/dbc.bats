#!/usr/bin/env bats
# The generated DBC file follows the format's grammar and decodes frames as canpid does.
load common.bash

# dbc OPTION…: checks the file of this variant with 2000 frames of all messages and boards.
dbc() {
    canpid describe --as dbc "$@" >canpid.dbc
    python3 "$root/tests/cli/frames.py" 2000 >frames.log
    canpid decode -j "$@" frames.log >records
    prints "values of 78 messages of 78" python3 "$root/tests/cli/dbc_check.py" canpid.dbc frames.log <records
}

@test "the generated DBC decodes every message of every board as canpid does" { dbc; }

@test "the generated DBC describes the sensors in the firmware's layout" {
    dbc --sensors-layout fw
    has "$(cat canpid.dbc)" "current : 16|10@1+"
}

@test "the DBC comparison detects a wrong scale, position or name" {
    dbc
    for change in 's/0.045/0.046/' 's/: 4|14@1-/: 5|13@1-/' 's/"tor"/"torque"/' \
        's/SIG_VALTYPE_ 65 value : 1;//' 's/m2 : 0|32/m2 : 0|31/'; do
        canpid describe --as dbc | sed "$change" >wrong.dbc
        run python3 "$root/tests/cli/dbc_check.py" wrong.dbc frames.log <records
        [ "$status" != 0 ]
    done
}

@test "describe --as dbc is rejected by the tools other than canpid" {
    for tool in $(grep -vx canpid <<<"$tools"); do
        fails_with 2 "not a CAN protocol" $tool describe --as dbc
        same "$output" ""
    done
}
