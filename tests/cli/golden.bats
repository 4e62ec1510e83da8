#!/usr/bin/env bats
# Runs every golden case as arguments, script and JSON; see golden.sh.
load common.bash

golden() {
    run bash "$root/tests/cli/golden.sh" "$BIN" "$1"
    [ "$status" = 0 ] || { grep -A 9 '^not ok' <<<"$output" && false; }
    [ "$(grep -c '^ok' <<<"$output")" -ge 40 ]
}

@test "armctl passes its golden cases" { golden armctl; }
@test "hidmotor passes its golden cases" { golden hidmotor; }
@test "canpid passes its golden cases" { golden canpid; }
@test "unitysim passes its golden cases" { golden unitysim; }
@test "ezphys passes its golden cases" { golden ezphys; }
