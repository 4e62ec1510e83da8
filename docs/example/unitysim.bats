#!/usr/bin/env bats
# Runs against the simulator; LINK=URL names your device.
bats_require_minimum_version 1.5.0

setup() { link=${LINK:-sim:?time=virtual}; }

@test "the elbow reaches its target" {
    unitysim -q -l "$link" <<'END'
move elbow=2300
expect 'elbow.position>2285 and elbow.position<2315'
END
}

@test "a target beyond the limit is refused" {
    run -6 unitysim -q -l "$link" move elbow=4000
}
