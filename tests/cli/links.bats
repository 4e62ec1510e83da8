#!/usr/bin/env bats
# Missing and invalid links, and commands that must not reach a device.
load common.bash

@test "invalid link URLs, a missing port and a missing link are reported with a hint" {
    fails_with 2 "did you mean 'sim:'" hidmotor -l sim status
    fails_with 4 "hid:/dev/hidraw99: device not found" hidmotor -l /dev/hidraw99 status
    fails_with 2 "use sim:" armctl -l bogus: deg 1 90
    fails_with 2 "bogus" armctl -l 'sim:?bogus=1' deg 1 90
    fails_with 2 "no-reack" armctl -l 'sim:?quirks=nope' deg 1 90
    fails 2 armctl -l 'sim:?drop=lots' deg 1 90
    fails 2 armctl -l tcp:localhost deg 1 90
    fails_with 2 "[link]" armctl -l @nope deg 1 90
    fails 4 armctl -l "$D" deg 1 90
    fails_with 4 "-l" armctl deg 1 90
    has "$why" ARMCTL_LINK "armctl list" "sim:"
    fails_with 4 "/dev/nope" armctl -l serial:/dev/nope deg 1 90
    fails_with 4 "port not found" armctl -l /dev/nope deg 1 90
    fails 4 armctl -l "tty:$D/nope" deg 1 90
    fails 4 armctl -l "unix:$D/nope" deg 1 90
    fails_with 4 "refused" armctl -l tcp:127.0.0.1:1 deg 1 90
}

@test "a port locked or used by another process is reported as busy, with that process" {
    arm
    flock "$D/arm" true # the arm has no lock file yet
    device=$(readlink -f "$D/arm")
    mkfifo locked
    flock -n --no-fork "$device" sh -c 'echo yes >locked; exec sleep 60' 3>&- &
    started+=("$!")
    read -r _ <locked
    fails_with 4 "busy" armctl -l "$D/arm" deg 1 90
    [[ $why =~ busy:\ in\ use\ by\ (flock|sleep|sh)\ \(pid\ [0-9]+\) ]]
    end "$pid"
    arm --turn-speed 1
    background armctl -q -l "$D/arm" -v deg 1 90 2>first.err
    until grep -q -- '->' first.err; do read -r -t 0.02 _ <> <(:) || true; done
    fails_with 4 "busy" armctl -l "$D/arm" deg 1 10
    has "$why" armctl "$client"
    end_by INT 130
}

@test "the 'permission denied' error of a port has a remedy" {
    [ "$(id -u)" = 0 ] || skip "needs root to become somebody else"
    arm
    chmod 755 "$D" "$BATS_RUN_TMPDIR" "$BATS_SUITE_TMPDIR" "$(dirname "$D")"
    device=$(readlink -f "$D/arm")
    chmod 600 "$device"
    cp "$BIN/armctl" "$D/armctl" # other users may not be able to read the build directory
    setpriv --reuid=65534 --regid=65534 --clear-groups "$D/armctl" --version ||
        skip "nobody cannot run programs here"
    fails_with 4 "$D/arm" setpriv --reuid=65534 --regid=65534 --clear-groups "$D/armctl" -l "$D/arm" deg 1 90
    matches "$why" "*ermi*"
    has "$why" " — "
}

@test "invalid input, dry runs, encode, help and a stop without a known position send nothing" {
    peer
    for arguments in "deg 1 nan" "deg 1 400" "deg 1 90.5" "deg 1" "deg 1 90 2" "dge 1 90" "pos 2 -5" \
        "deg nowhere 90" "deg 1 1e999" "deg 1 5mm" "arm 1 2" "--bogus deg 1 90" "encode deg joint=1 angle=90" \
        "--dry-run deg 1 90" "--dry-run arm 250 45 120" "--dry-run send DEG1,090" "stop" "help deg" \
        "--fields nope -j deg 1 90" "--format %{nope} deg 1 90"; do
        run armctl -l "$url" $arguments
    done
    run armctl -l "$url" deg 1 ''
    run armctl -l "$url" <<<'deg 1 nan'
    run armctl -l "$url" <<<'{"cmd":"deg","joint":1}'
    run armctl -l "$url" <<<'{"cmd":"deg","joint":1,"angle":400}'
    run armctl -l "$url" <<<"deg 1 \"90"
    nothing_arrived
}

@test "a valid command reaches the test peer, which proves that the peer detects sent commands" {
    peer
    fails 3 armctl -q -l "$url" --ack-timeout 1ms --retries 0 --seq 0 deg 1 90
    arrived
    same "$arrived" $'0DEG1,090\r'
}

@test "a command whose output disk is full or whose output pipe is closed moves nothing" {
    peer
    for form in -j --csv "--format %{angle}"; do
        exits_with 7 "No space left" bash -c "armctl -l $url $form deg 1 90 >/dev/full"
    done
    closed_pipe
    for form in "" -j --csv; do
        armctl -l "$url" $form deg 1 90 2>err >&"$closed" && false || same $? 141
        same "$(wc -l <err)" 1
    done
    nothing_arrived
}

@test "commands that need no device report a full disk and a closed pipe" {
    exits_with 7 "No space left" bash -c "armctl encode deg joint=1 angle=90 >/dev/full"
    run -7 --separate-stderr bash -c "armctl help >/dev/full"
    closed_pipe
    armctl help >&"$closed" 2>err && false || same $? 141
    yes 30444547312C3039300D0A | armctl decode -j 2>err | head -n 3 >three
    same "${PIPESTATUS[1]}" 141
    same "$(wc -l <three)" 3
}

@test "an arm that never answers gives exit 3" {
    fails_with 3 "no ACK" armctl -q -l "$fast&drop=100%" deg 1 90
    has "$why" " — "
    gives_json '[.result,.moves]' '["confirmed",3]' armctl -l "$fast&drop=20%&seed=3" -j deg 1 90 2 45 1 10
}

@test "-v logs every packet, and -q prints only results and errors" {
    ok armctl -l "$fast" -v deg 1 90
    same "$(grep -c -- '->' <<<"$stderr")" 2
    same "$(grep -c -- '<-' <<<"$stderr")" 2
    has "$stderr" "-> 30 44 45 47 31 2C 30 39 30 0D 0A  deg seq=0 joint=1 angle=90deg"
    has "$stderr" "<- 30 41 43 4B 30 0D 0A  ack seq=0 ack=0"
    hasnt "$output" "->"
    silent armctl -q -l "$fast" deg 1 90
    run -6 --separate-stderr armctl -q -l "$fast" deg 1 400
    same "$(wc -l <<<"$stderr")" 1
}

@test "sim logs and records its traffic like any other command" {
    start arm armctl -v --record served.pcapng sim --listen "pty:$D/arm" --turn-speed 20000
    ok armctl -l "$D/arm" deg 1 20
    wait_for arm "<- 3"
    has "$line" "deg seq="
    wait_for arm "-> 3"
    has "$line" "ack seq="
    end "$pid"
    prints_like "-> deg *"$'\n'"<- ack *" armctl decode served.pcapng
    fails 2 armctl --record served.txt sim --listen "pty:$D/arm"
}

# again TOOL COMMAND RESULT: repeats the command while the simulator ends and restarts.
again() {
    local tool=$1 command=$2 line
    start "$tool" "$tool" sim --listen "unix-listen:$D/$tool.link"
    coproc client { "$tool" -k -q -l "unix:$D/$tool.link" 2>&1 3>&-; }
    local from=${client[0]} to=${client[1]} id=$client_PID
    started+=("$id")
    answer() { # answer PATTERN
        echo "$command" >&"$to"
        read -t "$patience" -r line <&"$from"
        matches "$line" "$1"
    }
    answer "$3"
    end "$pid"
    answer "$tool: *connection lost: *"
    answer "$tool: *start the device or simulator first"
    start "$tool-again" "$tool" sim --listen "unix-listen:$D/$tool.link"
    answer "$3"
    answer "$3"
    exec {to}>&-
    wait "$id" || true
    end "$pid"
}

@test "the next command reopens a lost link" {
    again armctl "deg 1 1" "deg joint=1 angle=1deg result=confirmed *"
    again hidmotor "gripper open" "gripper result=confirmed *"
    again ezphys "advance 3" "advance exchanges=3 *"
    again unitysim "scene 1" "scene scene=1 *"
}

# ---- Killed simulators ---------------------------------------------------------------------------

@test "the link of a killed simulator is reported as stale, and the next simulator takes it over" {
    while read -r tool scheme; do
        start "$tool" "$tool" sim --listen "$scheme$D/$tool"
        first=$url
        end "$pid" KILL
        # Another process opens a terminal that gets the same number.
        : >held
        python3 -c 'import os, sys, time
held = [os.openpty() for _ in range(4)]
print("held", flush=True)
time.sleep(60)' >held 3>&- &
        started+=($!)
        until grep -q held held; do read -r -t 0.02 _ <> <(:) || true; done
        fails 4 "$tool" -l "$first" ping
        case $tool in
        hidmotor) has "$why" "start the device or simulator first" ;;
        *) has "$why" "the simulator (pid $pid) exited" ;;
        esac
        kill "${started[-1]}"
        start "$tool-again" "$tool" sim --listen "$scheme$D/$tool"
        ok "$tool" -q -l "$url" ping -n 1
        run -4 "$tool" sim --listen "$scheme$D/$tool"
        end "$pid"
        [ ! -e "$D/$tool" ]
        [ ! -e "$D/$tool.lock" ]
    done <<'END'
armctl pty:
canpid slcan:pty:
hidmotor unix-listen:
END
}

@test "simulators listen in a directory that only the user can access" {
    for tool in armctl canpid hidmotor; do
        start "$tool" "$tool" sim
        has "$url" ":$D/armwire/$tool-sim"
        end "$pid"
        XDG_RUNTIME_DIR=relative TMPDIR=$D start "$tool-elsewhere" "$tool" sim
        has "$url" ":$D/armwire-$(id -u)/$tool-sim"
        end "$pid"
    done
    same "$(stat -c %a "$D/armwire")" 700
    chmod 755 "$D/armwire"
    fails_with 4 "$D/armwire: directory not private (owner $(id -u), mode 755)" armctl sim
    rmdir "$D/armwire"
    ln -s /tmp "$D/armwire"
    fails_with 4 "not a directory" armctl sim
}
