#!/usr/bin/env bats
# canpid on joints that are broken: within the bound, with the gains from before, disabled. HOSTILE
# sets how many are ended at a random moment, SEED which.
load common.bash

@test "canpid: each command on each plant stays within its bound, and says what is wrong" {
    run python3 "$root/tests/cli/hostile.py" all
    [ "$status" = 0 ] || { grep '^not ok' <<<"$output" && false; }
}

@test "canpid: ended at any moment on a broken joint" {
    run python3 "$root/tests/cli/hostile.py" kills "${HOSTILE:-12}"
    [ "$status" = 0 ] || { echo "$output" && false; }
    printf '# %s\n' "${lines[@]: -1}"
}
