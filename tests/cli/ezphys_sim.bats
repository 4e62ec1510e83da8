#!/usr/bin/env bats
# bats file_tags=long
# ezphys-sim, the stand-in for EZPhysics: its command line is tested here. ezphys_oracles.py tests
# physics and bad clients through its own implementation of the wire.

load common

oracle() { ok python3 "$root/tests/cli/ezphys_oracles.py" "$@"; }

# ---- Physics, wire and clients -------------------------------------------------------------------

@test "motion, forces, contacts and energy of ezphys-sim match the formulas" {
    oracle free_fall many_steps motors brake angle_wraps feedback forces slider axes pushes stops \
        contacts energy replay_is_identical all_finite
}

@test "messages have the documented order, and all wires carry the same values" {
    oracle order reset_in_the_middle wires
}

@test "the simulator survives invalid data and lost or late clients, and real time follows the clock" {
    oracle hostile bad_messages flood abuse reconnect late_answer real_time motors_in_real_time \
        dials_out stopped_client
}

# ---- Command line --------------------------------------------------------------------------------

@test "--help, --version, --list, --check and --names work, also with the scene of docs/scenes.md" {
    ok ezphys-sim --help
    matches "${lines[1]}" "Examples"
    has "$output" "--lock-step[=N]"
    prints_like "ezphys-sim [0-9]*.[0-9]*.[0-9]* (armwire)" ezphys-sim -V
    prints "humanoid" ezphys-sim --list
    prints "16 bodies, 15 joints with 19 axes, steps of 5 ms" ezphys-sim --check humanoid
    gives $'body 1 bob\njoint 1 hinge bob world' ezphys-sim --names pendulum
    awk '/^```/ { inside = !inside; next } inside' "$root/docs/scenes.md" |
        sed '/^\$/,$d' >swing.scene
    prints "1 body, 1 joint with 1 axis, steps of 5 ms: a swing that a motor drives" ezphys-sim --check ./swing.scene
    gives_json .id 1 ezphys -q -l sim:./swing.scene watch joint_axis --where 'angular_velocity>0.05' --once -j
}

@test "invalid command lines, scenes and ports and a full disk are reported" {
    fails_with 2 "did you mean '--scene'?" ezphys-sim --scen arm4
    fails_with 2 "did you mean 'arm4'?" ezphys-sim amr4
    fails 2 ezphys-sim --wire le33
    fails 2 ezphys-sim -x
    fails_with 2 "--timeout: value missing" ezphys-sim --timeout
    fails 6 ezphys-sim --step-size 2s
    fails 2 ezphys-sim --limb-force during
    fails 4 ezphys-sim ./nosuch.scene
    fails 4 ezphys-sim --listen nosuch.invalid:1
    fails 4 ezphys-sim --connect 127.0.0.1:9 --connect-timeout 0
    fails 4 ezphys-sim --fd 0
    printf 'body bob sphere 0.1 mass 1\njoint hinge hing bob world\n' >my.scene
    fails 2 ezphys-sim ./my.scene
    same "$why" "ezphys-sim: my.scene:2:13: unknown kind of joint 'hing' — did you mean 'hinge'?"
    start one ezphys-sim --listen 0
    fails_with 4 "choose another port" ezphys-sim --listen "${url#tcp:}"
    for option in --help --man --version --list --check --names; do
        fails 7 bash -c "ezphys-sim $option >/dev/full"
        has "$why" "standard output: No space left on device — free some space"
    done
}

@test "the ready line prints a working link; a signal ends the simulator with exit 128 + N" {
    start one ezphys-sim pendulum --listen 0
    gives_json .step 0 ezphys -l "$url" watch -j -n 1
    end_by INT 130 "$pid"
    start one ezphys sim --scene falling --listen 0 --lock-step=10
    gives_json .step 10 ezphys -l "$url" watch timestamp -j -n 2
    end_by TERM 143 "$pid"
}

# ---- Scenes and sim: links -----------------------------------------------------------------------

@test "sim: starts the simulator and ends it with the client, even if the client is killed" {
    remarks "this is the simulator" ezphys -l 'sim:arm4?real-time=1&interval=1ms' watch timestamp -j -n 3
    for scene in pendulum humanoid; do
        ok ezphys -q -l "sim:?scene=$scene" watch timestamp -j --once
        same "$(json .step_size)" "$([ $scene = pendulum ] && echo 0.001 || echo 0.005)"
    done
    mkfifo "$D/out" "$D/err"
    ezphys -q -l 'sim:?real-time=1' watch timestamp -j >"$D/out" 2>"$D/err" 3>&- &
    pid=$!
    started+=("$pid")
    exec {out}<"$D/out" {err}<"$D/err"
    read -r -t "$patience" line <&"$out"
    has "$line" '"step"'
    pgrep -P "$pid" ezphys-sim
    kill -9 "$pid"
    timeout "$patience" cat <&"$err" # read returns once every writer has closed the pipe
}

@test "sim: reports the wait for a command, an invalid option and a missing ezphys-sim" {
    ok bash -c "(echo 'motor hinge 1 10' && sleep 0.4 && echo stop) |
        ezphys -q -l 'sim:?timeout=50ms' 2>&1"
    has "$output" "no answer to step 1 for 0.05 s" "client reconnected"
    fails_with 2 "did you mean 'pendulum'?" ezphys -l 'sim:?scene=pendullum' status
    fails 2 ezphys -l 'sim:?stepsize=1ms' status
    fails 6 ezphys -l 'sim:?step-size=5s' status
    cp "$BIN/ezphys" alone
    PATH=/usr/bin:/bin fails_with 4 "install the package ezphys-sim" ./alone -l sim: status
}
