#!/usr/bin/env bats
# Runs against the simulator; LINK=URL names your device.
bats_require_minimum_version 1.5.0

setup() { link=${LINK:-sim:?time=virtual}; }

@test "the arm reaches its target" {
    hidmotor -q -l "$link" <<'END'
move 0 45 -30 duration=500ms --wait
expect 'm2.position>42 and m2.position<48'
END
}

@test "a target beyond the limit is refused" {
    run -6 hidmotor -q -l "$link" move 0 400 0
}
