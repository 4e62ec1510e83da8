#!/usr/bin/env bats
# Runs against the simulator; LINK=URL names your device.
bats_require_minimum_version 1.5.0

setup() { link=${LINK:-sim:?time=virtual}; }

@test "a joint reaches its target" {
    armctl -q -l "$link" <<'END'
deg 1 90
expect deg joint=1 angle=90
END
}

@test "a target beyond the limit is refused" {
    run -6 armctl -q -l "$link" deg 1 400
}
