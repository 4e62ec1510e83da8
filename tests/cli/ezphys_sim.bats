#!/usr/bin/env bats
# bats file_tags=long
# ezphys-sim, the stand-in for EZPhysics: its command line is tested here. ezphys_oracles.py tests
# physics and bad clients through its own implementation of the wire.

load common

oracle() { ok python3 "$root/tests/cli/ezphys_oracles.py" "$@"; }

# ends_with STATUS SIGNAL: ends the last started program.
ends_with() {
    local status=0
    kill "$2" "$pid"
    wait "$pid" || status=$?
    same "$status" "$1"
}

# ---- Physics

@test "a free fall matches the semi-implicit method to the last digit" {
    oracle free_fall many_steps
}
@test "a motor from rest reaches min(v, fmax dt / I) and holds its command" {
    oracle motors
}
@test "a motor at velocity 0 brakes" {
    oracle brake
}
@test "the angle of a hinge wraps" {
    oracle angle_wraps
}
@test "a motor-locked hinge between two bodies reports the right feedback" {
    oracle feedback
}
@test "axis_force acts for one step and appears in the limb, not in the feedback" {
    oracle forces
}
@test "sliders use m and N" {
    oracle slider
}
@test "angles of all joint types change with the sign of their rates" {
    oracle axes pushes
}
@test "joint stops limit the motion" {
    oracle stops
}
@test "contacts report four points of a box, the depth of a ball and pairs of bodies" {
    oracle contacts
}
@test "the energy of a frictionless pendulum drifts less than 1 % in 10 s" {
    oracle energy
}
@test "2,000 steps with motors and contacts repeat bit by bit after a reset" {
    oracle replay_is_identical
}
@test "every scene runs 10,000 steps, and standing bodies stay upright" {
    oracle all_finite
}

# ---- Wire

@test "a message contains timestamp, limbs, axes, feedback and contacts in order" {
    oracle order
}
@test "a reset in the middle of a message works" {
    oracle reset_in_the_middle
}
@test "all wires carry the same values" {
    oracle wires
}

# ---- Clients

@test "invalid numbers are rejected, counted and logged" {
    oracle hostile
}
@test "invalid messages are skipped" {
    oracle bad_messages
}
@test "megabytes of noise cause no memory growth and few log lines" {
    oracle flood
}
@test "the largest accepted numbers do not crash the simulator" {
    oracle abuse
}
@test "the next client finds the world in the state of the last client" {
    oracle reconnect
}
@test "a late answer is reported, and the simulation continues with the next one" {
    oracle late_answer
}
@test "real time follows the wall clock" {
    oracle real_time motors_in_real_time
}
@test "--connect retries until a listener is available" {
    oracle dials_out
}
@test "the simulator survives stopped and killed clients and accepts the next one" {
    oracle stopped_client
}

# ---- Command line

@test "--help begins with examples; --version and --list work" {
    ok ezphys-sim --help
    matches "${lines[1]}" "Examples"
    has "$output" "--lock-step[=N]"
    prints_like "ezphys-sim [0-9]*.[0-9]*.[0-9]* (armwire)" ezphys-sim -V
    prints "humanoid" ezphys-sim --list
}

@test "--check and --names read a scene" {
    prints "16 bodies, 15 joints with 19 axes, steps of 5 ms" ezphys-sim --check humanoid
    gives $'body 1 bob\njoint 1 hinge bob world' ezphys-sim --names pendulum
}

@test "output to a full disk fails with an error" {
    local option
    for option in --help --man --version --list --check --names; do
        fails 7 bash -c "ezphys-sim $option >/dev/full"
        has "$why" "standard output: No space left on device — free some space"
    done
}

@test "invalid command lines are rejected" {
    fails_with 2 "did you mean '--scene'?" ezphys-sim --scen arm4
    fails_with 2 'did you mean "arm4"?' ezphys-sim amr4
    fails 2 ezphys-sim --wire le33
    fails 2 ezphys-sim -x
    fails_with 2 "--timeout needs a value" ezphys-sim --timeout
    fails 6 ezphys-sim --step-size 2s
    fails 2 ezphys-sim --limb-force during
    fails 4 ezphys-sim ./nosuch.scene
    fails 4 ezphys-sim --listen nosuch.invalid:1
    fails 4 ezphys-sim --connect 127.0.0.1:9 --connect-timeout 0
    fails 4 ezphys-sim --fd 0
}

@test "a mistake in a scene is reported with its place" {
    printf 'body bob sphere 0.1 mass 1\njoint hinge hing bob world\n' >my.scene
    fails 2 ezphys-sim ./my.scene
    same "$why" 'ezphys-sim: my.scene:2:13: unknown kind of joint "hing" — did you mean "hinge"?'
}

@test "a port in use is reported" {
    start one ezphys-sim --listen 0
    fails_with 4 "choose another port" ezphys-sim --listen "${url#tcp:}"
}

@test "the ready line gives a working link, and a signal ends it with 128 + its number" {
    start one ezphys-sim pendulum --listen 0
    gives_json .step 0 ezphys -l "$url" watch -j -n 1
    ends_with 130 -INT
}

# ---- Scenes, and sim: links

@test "the scene of docs/scenes.md is valid and moves" {
    awk '/^```/ { inside = !inside; next } inside' "$root/docs/scenes.md" |
        sed '/^\$/,$d' >swing.scene
    prints "1 body, 1 joint with 1 axis, steps of 5 ms: a swing that a motor drives" ezphys-sim --check ./swing.scene
    gives_json .id 1 ezphys -q -l sim:./swing.scene watch joint_axis --where 'angular_velocity>0.05' --once -j
}

@test "sim: starts the simulator and ends it with the client" {
    remarks "this is the simulator" ezphys -l 'sim:arm4?real-time=1&interval=1ms' watch timestamp -j -n 3
    for scene in pendulum humanoid; do
        ok ezphys -q -l "sim:?scene=$scene" watch timestamp -j --once
        same "$(json .step_size)" "$([ $scene = pendulum ] && echo 0.001 || echo 0.005)"
    done
}

@test "sim: ends its simulator even if the client is killed" {
    local out err
    mkfifo "$D/out" "$D/err"
    ezphys -q -l 'sim:?real-time=1' watch timestamp -j >"$D/out" 2>"$D/err" 3>&- &
    pid=$!
    started+=("$pid")
    exec {out}<"$D/out" {err}<"$D/err"
    read -r -t "$patience" line <&"$out"
    has "$line" '"step"'
    pgrep -P "$pid" ezphys-sim
    kill -9 "$pid"
    timeout "$patience" cat <&"$err" # until every writer has closed it
}

@test "sim: reports waiting for a command only if a timeout was given" {
    ok bash -c "(echo 'motor hinge 1 10' && sleep 0.4 && echo stop) |
        ezphys -q -l 'sim:?timeout=50ms' 2>&1"
    has "$output" "no answer to step 1 for 0.05 s"
    has "$output" "client reconnected"
}

@test "sim: mistakes are reported before anything is started" {
    fails_with 2 'did you mean "pendulum"?' ezphys -l 'sim:?scene=pendullum' status
    fails 2 ezphys -l 'sim:?stepsize=1ms' status
    fails 6 ezphys -l 'sim:?step-size=5s' status
    cp "$BIN/ezphys" alone
    PATH=/usr/bin:/bin fails_with 4 "install the package ezphys-sim" ./alone -l sim: status
}

@test "the command sim starts ezphys-sim" {
    start one ezphys sim --scene falling --listen 0 --lock-step=10
    gives_json .step 10 ezphys -l "$url" watch timestamp -j -n 2
    ends_with 143 -TERM
}
