#!/usr/bin/env bats
# Runs against the simulator; LINK=URL names your device.
bats_require_minimum_version 1.5.0

setup() { link=${LINK:-sim:?scene=pendulum}; }

@test "a motor turns the hinge" {
    ezphys -q -l "$link" <<'END'
reset
motor hinge 2 1000 --for 0.1s
expect 'hinge.displacement>0.19 and hinge.displacement<0.21'
END
}

@test "a negative torque is refused" {
    run -6 ezphys -q -l "$link" motor hinge 1 -5
}
