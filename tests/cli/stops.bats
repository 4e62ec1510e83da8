#!/usr/bin/env bats
# Safe stop of all tools for all endings; stops.py lists the endings. KILLS and WAYS are numbers of runs, WITHIN
# is the time limit for each stop, ms.
load common.bash

stops() {
    python3 "$root/tests/cli/stops.py" "$1" "$D" "$2" "$3" ${WITHIN:+--within "$WITHIN"} "${@:4}"
}

# ways TOOL: runs every ending.
ways() {
    run stops ways "$1" "${WAYS:-4}"
    [ "$status" = 0 ] || { echo "$output" && false; }
    printf '# %s\n' "${lines[@]: -2}"
}

@test "armctl: every kind of exit ends in a safe stop" { ways armctl; }
@test "canpid: every kind of exit ends in a safe stop" { ways canpid; }
@test "hidmotor: every kind of exit ends in a safe stop" { ways hidmotor; }
@test "unitysim: every kind of exit ends in a safe stop" { ways unitysim; }
@test "ezphys: every kind of exit ends in a safe stop" { ways ezphys; }

@test "the table of endings in docs/safety.md matches the tests" {
    run -0 python3 "$root/tests/cli/stops.py" readme "$root/docs/safety.md"
}

# ---- The watchdog process ------------------------------------------------------------------------

# unwatched COMMAND…: requires exit status 7 with the reason, and that hidmotor's arm at $url has not moved.
unwatched() {
    exits_with 7 "cannot start the watchdog process (" "$@"
    same "$(hidmotor -q -l "$url" -j status | jq .m2.setpoint)" "$at"
}

@test "no motion starts without a watchdog process" {
    local n nobody=()
    start arm hidmotor sim --listen tcp-listen:127.0.0.1:0
    for n in {60..4}; do # until the descriptors no longer suffice
        prlimit --nofile=$n "$BIN/hidmotor" -q -l "$url" move 0 45 0 2>/dev/null || break
    done
    at=$(hidmotor -q -l "$url" -j status | jq .m2.setpoint)
    unwatched prlimit --nofile=$n "$BIN/hidmotor" -l "$url" move 0 10 0
    has "$stderr" "raise ulimit -n"
    chmod -R a+rwX "$D" # root has no process limit, so another user runs this
    [ "$(id -u)" != 0 ] || nobody=(setpriv --reuid=65534 --clear-groups)
    unwatched "${nobody[@]}" prlimit --nproc=0 "$BIN/hidmotor" -l "$url" move 0 10 0
    has "$stderr" "raise ulimit -u"
    ok "${nobody[@]}" prlimit --nproc=0 "$BIN/hidmotor" -q -l "$url" stop # a stop needs no watchdog process
}

# watchdog_of PID [OTHER]: prints its watchdog process, once this is not OTHER.
watchdog_of() {
    local end=$((SECONDS + patience)) found
    while [ $SECONDS -lt $end ]; do
        found=$(pgrep -P "$1" armwire-watch) && [ "$found" != "${2:-}" ] && echo "$found" && return
        sleep 0.02
    done
    echo "$1 has no watchdog process" && false
}

@test "a killed watchdog process is replaced; if that fails, the motion ends" {
    start arm hidmotor sim --listen tcp-listen:127.0.0.1:0
    under_way hidmotor -q -l "$url" move 60 20 0 --wait duration=20s
    first=$(watchdog_of "$client")
    kill -KILL "$first"
    second=$(watchdog_of "$client" "$first")
    prlimit --pid "$client" --nofile=8
    kill -KILL "$second"
    wait "$client" && false || same $? 7
    wait_for client "cannot start the watchdog process (Too many open files)"
    has "$line" "stopped: holding"
}

# ---- Motions at the end of a script --------------------------------------------------------------

@test "the end of a script stops a motion in progress" {
    echo 'lknee pos kp 3' >kp.gains
    remarks_like "*-> 044#0000C03F*stopped: disabled the driver*" canpid -v -l sim: <<<"setpoint 5deg -b lknee -c pos"
    while read -r command; do # commands that may enable a driver by switching its controller
        ok canpid -v -l sim: <<<"$command -b lknee -c pos --switch"
        matches "$stderr" "*-> 044#0000C03F*stopped: disabled the driver*"
    done <<<$'set kp 1\nset pid 1 0 0\nprecompression 1mm\ngains apply kp.gains'
    ok canpid -v -l sim: --switch <<<$'disable -b lknee -c tor\nset kp 1 -b lknee -c pos'
    has "$stderr" "stopped: disabled the driver"
    remarks_no "stopped" canpid -v -l sim: <<<$'disable -b lknee -c pos\nset kp 1 -b lknee -c pos'
    remarks "stopped: 1 joint held at velocity 0" ezphys -l sim: <<<"motor hinge 1 10"
    exits_with 2 "stopped: holding" hidmotor -l sim: <<<$'move 10 10 10\nnonsense'
}

@test "the end of a script stops a motion that a replay left running" {
    while IFS='|' read -r tool command said from; do
        ok $tool -q -l "$fast" --record on.pcapng --hold $command
        exits_with 0 "$said" $tool -l "$fast" <<<"replay on.pcapng $from"
        remarks_no "stopped" $tool -l "$fast" --hold <<<"replay on.pcapng $from"
    done <<'END'
armctl|spd 100|stopped
armctl|duty 3 500|stopped
canpid|setpoint 5deg -b lknee -c pos --switch|stopped: disabled|--max-jump 11deg
hidmotor|velocity 20 0 0|stopped: holding
END
    ok ezphys -q -l sim:pendulum --record on.pcapng motor hinge 2 100
    exits_with 0 "stopped: 1 joint held" ezphys -l sim:pendulum <<<'replay on.pcapng'
    ok canpid -q -l "$fast" --record off.pcapng <<<$'setpoint 5deg -b lknee -c pos --switch\ndisable -b lknee'
    remarks_no "stopped" canpid -l "$fast" <<<'replay off.pcapng --max-jump 11deg'
}

@test "hidmotor: a script's unfinished motions are stopped at its end" {
    hidmotor -q -l sim: --record move.pcapng move 10 10 10 duration=20s
    hidmotor -q -l sim: --record velocity.pcapng velocity 20 0 0
    mkfifo lines
    exec {quiet}<>lines # keeps the pipe's write end open
    while read -r command; do
        remarks "stopped: holding" hidmotor -l sim: <<<"$command"
        echo "$command" >&"$quiet"
        exits 3 hidmotor -l sim: --deadman 400ms <&"$quiet" # enough time to send the command
        matches "$stderr" "*no input for * s — stopped*" # the report comes during the command or after it
        has "$stderr" "stopped: holding"
        remarks_no "stopped" hidmotor -l sim: --hold <<<"$command"
    done <<<$'move 10 10 10 duration=20s\nhome duration=20s\njog elbow +5 duration=20s\nmoveto 120 50 150 duration=20s\nvelocity 20 0 0\nreplay move.pcapng\nreplay velocity.pcapng\nsend 1848 20000 1 10 10 10 --yes\nsend 1811 20 0 0 --yes'
    for command in "move 10 10 10 duration=20s" "velocity 20 0 0"; do
        remarks_no "stopped" hidmotor -l sim: $command # the motion of a single command continues as documented
    done
    remarks_no "stopped" hidmotor -l "$fast" <<<$'move 10 10 10 duration=1s --wait'
    remarks_no "stopped" hidmotor -l "$fast" <<<$'move 10 10 10 duration=1s\nwatch --for 2s' # the motion is complete
    ok hidmotor -l "$fast" <<<$'move 10 10 10 duration=1s\nwatch --for 1s\nmove 0 0 0 duration=1s\nstop'
    hasnt "$stderr" "stopped:"
}

# setpoint URL: prints the base's setpoint in the simulator.
setpoint() { hidmotor -q -j -l "$1" positions | jq '.m1.setpoint'; }

@test "hidmotor: a crash holds the arm at its current setpoint, not at its start" {
    start board hidmotor sim --listen "unix-listen:$D/board"
    mkfifo lines
    # The test causes this crash.
    ASAN_OPTIONS=handle_segv=0 hidmotor -v --no-attach -l "$url" <lines >/dev/null 2>trace 3>&- &
    client=$!
    exec {lines}>lines
    echo "move 80 0 0 duration=40s mode=linear" >&"$lines"
    until grep -q 'set_setpoints' trace; do sleep 0.02; done
    sleep 4 # the board moves without a report
    end_by SEGV 139
    before=$(setpoint "$url")
    within 7 "${before%.*}" 74
    same "$(setpoint "$url")" "$before" # the setpoint stays constant
    exec {lines}>&-
}

@test "no stop follows the stop of a script, --hold or a single command; drivers still enabled are disabled" {
    remarks_no "stopped" canpid -v -l sim: <<<$'setpoint 5deg -b lknee -c pos\ndisable -b lknee'
    ok canpid -v -l sim: <<<$'setpoint 5deg -b lknee -c pos\nsetpoint 5deg -b rknee -c pos\ndisable -b lknee'
    matches "$stderr" "*-> 044#0000C03F*-> 0A4#0000C03F*stopped*"
    remarks_no "0000C03F" canpid --hold -v -l sim: <<<"setpoint 5deg -b lknee -c pos"
    remarks_no "0000C03F" canpid -v -l sim: setpoint 5deg -b lknee -c pos
    remarks_no "stopped" ezphys -l sim: <<<$'motor hinge 1 10\nstop'
}

@test "a signal during --verify disables the driver, and an unconfirmed stop is reported once" {
    start bus canpid sim --listen slcan:tcp-listen:0 -b rknee
    under_way canpid -v -l "$url" setpoint 5deg -b lknee -c pos --force --verify -T 20s
    wait_for client "-> 044#"
    ended 130 INT
    has "$rest" "-> 044#0000C03F"
    same "$(grep -c "not confirmed" <<<"$rest")" 1
    has "$rest" "stop sent, not confirmed: lknee: no telemetry"
}

@test "a stop without confirmation is not reported as disabled" {
    start bus canpid sim --listen slcan:tcp-listen:0
    under_way canpid -v -l "$url" step -b lknee -c pos --from 0 --to 5 --for 20s
    wait_for client "-> 044#"
    kill -STOP "$pid"
    ended 3
    kill -CONT "$pid"
    has "$rest" "telemetry stopped during the motion — ended"
    has "$rest" "stop sent, not confirmed: lknee: no telemetry"
    hasnt "$rest" "disabled"
}

@test "an orphaned process starts no motion and suggests a remedy" {
    mkfifo go orphan
    setsid -w sh -c '{ read -r _ <go; exec canpid -v -l sim: $0 >orphan 2>&1; } &' \
        "setpoint 5deg -b lknee -c pos" 3>&-
    echo now >go
    run -0 timeout "$patience" cat orphan
    has "$output" "no motion starts — use nohup, setsid or --hold"
    hasnt "$output" "->"
}

@test "the end of a script stops a moving vehicle, even without a profile" {
    remarks_no "stopped" armctl -v -l "$fast" <<<$'spd 100\nspd 0'
    remarks_like "*53 50 44 30 30 30*stopped: motors stopped*" armctl -v -l "$fast" <<<"spd 100" # SPD000
    for line in SPD100 SPD3,500; do
        remarks "stopped: motors stopped" armctl -v -l "$fast" <<<"send $line"
    done
    remarks_no "stopped" armctl -v -l "$fast" <<<"send SPD3,0"
}

@test "an interrupted replay stops its motion" {
    while IFS='|' read -r moves tool; do # $moves is the message that starts the motion
        run timeout --preserve-status -s INT 1 ${tool%% *} -q -l sim: --record sent.pcapng ${tool#* }
        ${tool%% *} -v -l sim: replay --loop sent.pcapng 2>trace >/dev/null 3>&- & # a file never blocks the writer
        client=$!
        started+=("$client")
        until grep -q -- "$moves" trace; do read -r -t 0.02 _ <> <(:) || true; done
        end_by TERM 143
        has "$(<trace)" "stopped: "
    done <<<$'set_setpoints|hidmotor move 60 0 0 duration=20s\n-> 2C 00|ezphys motor hinge 1 100 --for 20s'
}
