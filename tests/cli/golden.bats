#!/usr/bin/env bats
# Every golden case through the programs: argv, script, JSON. See golden.sh.
load common.bash

golden() {
    run bash "$root/tests/cli/golden.sh" "$BIN" "$1"
    [ "$status" = 0 ] || { grep -A 9 '^not ok' <<<"$output" && false; }
    [ "$(grep -c '^ok' <<<"$output")" -ge 40 ]
}

@test "golden cases of armctl" { golden armctl; }
@test "golden cases of hidmotor" { golden hidmotor; }
@test "golden cases of canpid" { golden canpid; }
@test "golden cases of unitysim" { golden unitysim; }
@test "golden cases of ezphys" { golden ezphys; }
