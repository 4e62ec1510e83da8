#!/usr/bin/env bats
# Runs against the simulator; LINK=URL names your device.
bats_require_minimum_version 1.5.0

setup() { link=${LINK:-sim:?time=virtual}; }

@test "the knee follows its setpoint" {
    canpid -q -l "$link" <<'END'
setpoint 10deg -b lknee -c pos --approach 20deg/s --verify
wait 'lknee.lever_angle>7deg' --for 3s
END
}

@test "a setpoint beyond the range is refused" {
    run -6 canpid -q -l "$link" setpoint 300deg -b lknee -c pos
}
