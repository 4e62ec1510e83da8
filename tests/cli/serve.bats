# A server and its clients: sharing a device, and the lease.
load server.bash

@test "two programs use one board without any option" {
    serve s hidmotor -l sim:
    same "$url" "serve:$(place hidmotor)"
    background hidmotor -q watch -j >seen 2>/dev/null
    sees '.msg == "positions"' seen
    remarks "has sim: open — connecting through it" hidmotor move 0 45 -30 --wait
    has "$output" "move result=arrived"
    end "${started[1]}"
    [ "$(jq -s 'map(select(.msg == "positions" and .m2.position > 40)) | length' seen)" -gt 3 ]
    prints_like "*0.72*" hidmotor --no-attach -q -l sim: status # uses its own simulator
    fails_with 4 "this socket belongs to a server — write -l $url" hidmotor -l "unix:$(place hidmotor)" status
}

# both TOOL LINK PATTERN COMMAND…: serves the link and runs the command in one client; requires that a second
# client, which watches, prints PATTERN ("-": anything).
both() {
    local tool=$1 link=$2 watched=$3
    serve "$tool" "$tool" -l "$link"
    background "$tool" -q watch -j >"$tool.seen" 2>/dev/null
    sleep 0.2
    remarks "$tool serve (pid $pid) has $link open — connecting through it" "$tool" "${@:4}"
    for _ in {1..100}; do
        [ "$watched" = - ] || grep -q -- "$watched" "$tool.seen" && return
        sleep 0.05
    done
    echo "$tool: $watched was not seen" && false
}

@test "the other four tools share a device over slcan, pty, UDP and TCP" {
    start bus canpid sim --listen slcan:tcp-listen:0
    both canpid "$url" '"msg":"pid","board":"lknee"' setpoint 10deg --max-jump 90deg -b lknee -c pos
    ok canpid -q stop
    start arm armctl sim --listen pty:arm
    config armctl '[joint base]' 'index = 1' 'kind = rotate' 'min = 0' 'max = 360' 'home = 0'
    both armctl "$D/arm" - deg 1 9
    has "$output" "result=confirmed"
    start unity unitysim sim --listen udp-listen:31004?reply=127.0.0.1:31005
    ok unitysim -q -l "$url" scene basic
    both unitysim "$url" feedback drive elbow=+20 --for 0.3s
    start world ezphys-sim --listen 0 --scene arm4
    both ezphys "$url" axis motor joint2 1 100 --for 0.3s
}

@test "exit codes, messages and output formats are the same as without a server" {
    fails_with 2 "serve: time=virtual is not supported" hidmotor -q -l "$fast" serve
    serve s hidmotor -l sim:
    fails_with 6 "shoulder: 400 deg is out of range" hidmotor -q move 0 400 0
    fails 2 hidmotor -q mvoe 0
    ok hidmotor -q --csv status
    same "${lines[0]}" "$(hidmotor -q --no-attach -l "$fast" --csv status | head -n 1)"
    ok hidmotor -q --format '%{cmd} %{msg} %{t}' --time none status
    same "$output" "$(hidmotor -q --no-attach -l "$fast" --format '%{cmd} %{msg} %{t}' --time none status)"
    gives_json '[.cmd, .ok, .result]' '["move",true,"sent"]' hidmotor -q -j move 0 20 0
    printf 'move 0 20 0\nmove 0 200 0\n' >script
    exits_with 6 "script:2:1: shoulder" hidmotor -q run script
    run -6 --separate-stderr hidmotor -q -j -l serve: move 0 200 0
    same "$(json '[.error, .exit]')" '["limit",6]'
}

@test "a client of a served simulation uses the names of its bodies" {
    serve s ezphys -l sim:pendulum
    ok ezphys -q watch -j --fields bob.position.z -n 2
    prints "m" ezphys -q plot bob.position.z --for 0.2s
}

# commands PID: requires that the last line of $output names hidmotor with this process id as the commander, for
# no longer than this test has run.
commands() {
    same "$(json "if .commander | .program == \"hidmotor\" and .pid == $1 and .idle_s <= .for_s and
        .for_s <= $((SECONDS + 1)) then true else .commander end")" true
}

@test "a second client is refused and told who holds the lease; --take takes it over, serve --release frees it" {
    SECONDS=0
    serve s hidmotor -l sim: --deadman 20s
    mkfifo first
    hidmotor -q -k <first >said.first 2>told.first 3>&- &
    local one=$!
    started+=("$one")
    exec 7>first
    echo 'velocity 5 0 0' >&7
    held hidmotor
    until grep -q velocity said.first; do sleep 0.02; done
    run -1 --separate-stderr hidmotor -q move 0 10 0
    matches "$stderr" "hidmotor: hidmotor (pid $one, *) has held the lease for * s — wait, or take over with --take; 'stop' always works"
    ok hidmotor -q status # any client may read
    matches "$(tail -n 1 <<<"$output")" "lease holder: hidmotor (pid $one, *) for *.* s"
    ok hidmotor -q -j status
    commands "$one"
    ok hidmotor -q -j list
    commands "$one"
    prints_like "$url *device=sim: commander=hidmotor (pid $one, *) for *.* s" hidmotor -q list
    ok hidmotor -q move 0 10 0 --take
    until grep -q "has taken over — stopped" told.first; do sleep 0.02; done
    # The second client has released the lease.
    echo 'move 0 0 0' >&7
    until grep -q move said.first; do sleep 0.02; done
    same "$(holder hidmotor)" "$one"
    echo serve --release >&7
    becomes 0 holder hidmotor
    gives_json .commander null hidmotor -q -j status
    prints_no commander hidmotor -q status
    ok hidmotor -q move 0 10 0
    exec 7>&-
}

# rival TOOL MOTION…: starts a motion and requires that a second one is refused at once, also from a file. With
# --take, the second stops the first, whose program reports it.
rival() {
    local tool=$1 held
    shift
    background "$tool" -q "$@" 2>first
    held=$client
    becomes "$held" holder "$tool"
    fails 1 "$tool" -q "${second[@]}"
    matches "$why" "$tool: $tool (pid $held, *) has held the lease for * s — wait, or take over with --take; 'stop' always works"
    [ ! -e poses.csv ] || fails 1 "$tool" -q play poses.csv
    kill -0 $held # the refused command did not wait
    ok "$tool" -q --take "${second[@]}"
    wait $held && false || same "$?" 3
    has "$(<first)" "has taken over — stopped"
}

@test "a second motion is refused at once, and --take stops the first" {
    serve u unitysim -l sim:
    second=(move hand=2200)
    rival unitysim drive elbow=5 --for 100s
    serve h hidmotor -l sim:
    printf '%s\n' t,m1,m2,m3 0,0,0,0 1,0,10,0 >poses.csv
    second=(move 0 10 0)
    rival hidmotor move 0 60 0 duration=100s --wait
    # armctl moves in confirmed steps: it must not start the next one.
    rm poses.csv
    printf '%s\n' '0.3 hold 1' '0.6 lefty -1' '100 hold 0' >pad.events
    "$root/tests/cli/pad_player.py" --channels pad.events >pad.ndjson
    printf '%s\n' '[joint lift]' 'index = 2' 'speed = 20' >arm.ini
    export ARMCTL_CONFIG=$D/arm.ini
    serve a armctl -l sim:
    ok armctl -q deg lift 20
    second=(deg lift 10)
    rival armctl teleop --channels pad.ndjson
    same "$(armctl -q -j status | jq -c .lift.target)" 10
    printf '%s\n' t,lift 0,10 100,180 >path.csv
    rival armctl play path.csv
    # The late confirmation of the motion does not confirm its stop.
    ok armctl -q -l serve:armctl deg lift 25
    rival armctl deg lift 180
    wait_for a 'has taken over — stopped: returned to the last confirmed position (DEG2,025)'
}

# asks TOOL LINK MOTION…: requires that status and stop are answered during a motion.
asks() {
    local tool=$1 link=$2
    serve "$tool" "$tool" -l "$link" --deadman 20s
    "$tool" -q "${@:3}" >"$tool.moved" 2>&1 3>&- &
    local mover=$!
    held "$tool"
    ok "$tool" -l serve: -q -j status
    same "$(cat "$tool.moved")" "" # the motion continues
    ok "$tool" -l serve: stop -q # stop does not wait for the motion, either
    wait $mover && false || same "$?" 3
    end "$pid"
}

@test "status and stop do not wait for another client's motion" {
    asks hidmotor sim: move 0 30 0 duration=60s --wait
    asks canpid sim: step --from 0deg --to 5deg --for 60s -b lknee -c pos
    asks unitysim 'sim:?scene=basic' drive elbow=+5 --for 60s
    asks ezphys 'sim:?scene=arm4' motor elbow 0.1 100 --for 600s
    config armctl '[joint base]' 'index = 1' 'kind = rotate' 'min = 0' 'max = 360' 'home = 0'
    start arm armctl sim --listen pty:arm --turn-speed 2deg/s
    asks armctl ./arm deg 1 90 --confirm-timeout 60s
}

@test "a busy device without a server is reported with its holder and a hint at serve" {
    start sim armctl sim --listen pty:arm
    background armctl -v -l ./arm ping -n 1000000 >/dev/null 2>frames
    until grep -q ack frames; do sleep 0.02; done # proves that the device is in use
    fails_with 4 "armctl (pid" armctl -q -l ./arm ping
    has "$why" "armctl serve"
}

@test "a server survives the shell that started it" {
    sh -c 'hidmotor -q serve -l sim: 2>ready & echo $! >pid'
    started+=("$(cat pid)")
    until grep -q ready: ready; do sleep 0.02; done
    ok hidmotor -q move 0 10 0 --wait
}

@test "a server reports a socket in use, reuses a dead one and leaves that of its successor" {
    serve s hidmotor -l sim:
    fails_like 4 "hidmotor: serve: *: busy: in use by hidmotor serve (pid $pid)*" hidmotor serve -l sim:
    end "$pid" KILL
    serve again hidmotor -l sim:
    ok hidmotor -q status
    serve one hidmotor -l sim: --listen unix:place
    first=$pid
    rm place
    serve two hidmotor -l sim: --listen unix:place
    end "$first"
    ok hidmotor -q -l serve:place status
    end "$pid"
    [ ! -e place ]
}

@test "jog moves the joint by keys at a client's terminal" {
    serve s hidmotor -l sim: --deadman 20s
    terminal <<<"
        launch hidmotor jog base; want {base: 0 deg, step}
        type +; want {base: 5 deg}
        type \033\[5~; want {step 10}
        type \033\[D; want {base: -5 deg}
        type q
        ends 0"
    exits_with 2 "jog: no terminal" hidmotor jog base </dev/null
    gives_json .m1.target -5 hidmotor -q -j status
}

@test "the s key of watch and plot stops another program's motion" {
    serve s hidmotor -l sim:
    for screen in watch 'plot m2.position'; do
        hidmotor -q -j move 0 80 0 duration=60s --wait >moved 2>/dev/null &
        mover=$!
        TERM=xterm terminal 100 <<<"
            launch hidmotor $screen; want {s STOP}
            while {[catch {exec jq -e -s {.[0].m2.target > 0} << [exec hidmotor -q -j status]}]} {}
            type s
            want {stop result=confirmed}
            type q; ends 0"
        wait $mover && false
        same "$(jq -r 'select(.cmd) | .result + " " + .error' moved)" "stopped stopped"
    done
}

@test "the server of a second device is found by its link" {
    start one armctl sim --listen pty:arm1
    start two armctl sim --listen pty:arm2
    serve s1 armctl -l "$D/arm1"
    same "$url" "serve:$(place armctl)"
    local first=$pid
    serve s2 armctl -l "$D/arm2"
    matches "$url" "serve:$XDG_RUNTIME_DIR/armwire/armctl-*arm2.sock"
    remarks "armctl serve (pid $pid) has $D/arm2 open — connecting through it" armctl -l "$D/arm2" ping -n 1
    ok armctl -l "$url" -q ping -n 1
    remarks "armctl serve (pid $first) has $D/arm1 open — connecting through it" armctl ping -n 1
    end "$first"
    remarks "has $D/arm2 open — connecting through it" armctl ping -n 1
    fails_with 4 busy armctl serve -l "$D/arm2"
}

@test "the device stops after each ending of commander or server in docs/sharing.md" {
    for tool in $tools; do
        timeout 120 python3 "$root/tests/cli/serve_kills.py" "$D" "$tool" "${SERVE_KILLS:-1}" \
            --within "${WITHIN:-1000}" # allows for a busy machine; serve_kills.py alone measures times
    done
    run -0 python3 "$root/tests/cli/serve_kills.py" table "$root/docs/sharing.md"
}

@test "a silent commander gets the error that its motion was stopped" {
    serve s hidmotor -l sim: --deadman 1s # a busy machine would exceed a shorter time
    background hidmotor < <(echo 'velocity 5 0 0'; exec sleep 20) >said 2>&1
    local silent=$client
    becomes "$silent" holder hidmotor
    kill -STOP "$silent"
    wait_for s "sent nothing for 1"
    kill -CONT "$silent"
    wait "$silent" && false || same "$?" 3
    has "$(<said)" "sent nothing for 1"
}

# faster COMMAND…: sets the speed as another client until $player ends, and requires at least one success. Runs
# COMMAND after the first success.
faster() {
    local n=0 begun
    until hidmotor -q speed 80% --take >/dev/null 2>&1; do
        held_up "$(<err)"
        kill -0 "$player"
    done
    "$@"
    begun=$SECONDS
    while hidmotor -q speed 80% --take >/dev/null 2>&1; do
        n=$((n + 1))
        sleep 0.05
    done
    [ $n -gt 0 ] || [ $((SECONDS - begun)) -gt 2 ] # the machine may have stalled meanwhile
}

# ends_by REASON: requires that $player exits with 3 for this reason, or skips the test if a busy machine caused
# the end.
ends_by() {
    local status=0
    wait "$player" || status=$?
    has "$(<err)" "$1" || held_up "$(<err)"
    same "$status" 3
    has "$(<err)" "$1"
}

@test "a speed change by another client does not reset the commander's --deadman" {
    serve s hidmotor -l sim: --deadman 1s
    printf 't,m1,m2,m3\n0,0,0,0\n60,0,40,0\n' >slow.csv
    background hidmotor -q play slow.csv >out 2>err
    player=$client
    until hidmotor -q -j status | jq -e '.m2.target > 0.1' >/dev/null; do kill -0 "$player"; done # the motion has begun
    faster kill -STOP "$player"
    kill -CONT "$player"
    ends_by 'the lease holder sent nothing for '
    # Lines of a script are signs of life. This script's writer sends no more.
    end "$pid"
    serve long hidmotor -l sim: --deadman 20s
    background hidmotor -q --deadman 1500ms < <(echo 'play slow.csv'; exec sleep 100) >out 2>err
    player=$client
    faster true
    ends_by 'no input for '
}

@test "a motion stops when its script ends; the motion of a single command continues" {
    serve s hidmotor -l sim:
    remarks " — still moving at the end of the commands" hidmotor <<<'move -80 30 -60 duration=20s'
    same "$(hidmotor -q -j status | jq .m1.target)" "$(hidmotor -q -j status | jq .m1.target)"
    ok hidmotor -q move 80 30 -60 duration=1s
    becomes 80 sh -c 'hidmotor -q -j status | jq .m1.target'
}

@test "a server without watchdog process allows no motion and does not spin without descriptors" {
    start arm hidmotor sim --listen tcp-listen:127.0.0.1:0
    serve s hidmotor -l "$url"
    server=$pid
    ok hidmotor -q move 0 20 0 --wait
    # Leaves one descriptor for the next client.
    free=$(find "/proc/$server/fd" -mindepth 1 -printf '%f\n' | sort -n |
        awk '{ open[$1] } END { for (n = 0; n in open; n++); print n + 1 }')
    prlimit --pid "$server" --nofile="$free"
    kill -KILL "$(pgrep -P "$server" armwire-watch)"
    fails_with 7 "cannot start the watchdog process (Too many open files)" hidmotor -q move 0 10 0
    ok hidmotor -q status
    prlimit --pid "$server" --nofile=2
    before=$(cut -d' ' -f14 "/proc/$server/stat")
    sleep 1
    after=$(cut -d' ' -f14 "/proc/$server/stat")
    [ $((after - before)) -lt 20 ]
    end "$server"
}

@test "with --deadman 0, the motion of a suspended commander continues" {
    run -1 timeout 60 python3 "$root/tests/cli/serve_kills.py" "$D" hidmotor 1 --deadman 0 stop
    has "$output" "no stop"
}

@test "other server versions, TCP addresses and foreign sockets are rejected" {
    python3 - <<'END' &
import socket, struct
hello = struct.pack("=IIIBBxxIIq", 32 + 56, 0, 64, 0, 0, 0, 0, 0) + b"0.0.9".ljust(32, b"\0") + b"hidmotor".ljust(24, b"\0")
listener = socket.socket(socket.AF_UNIX)
listener.bind("old")
listener.listen()
for _ in range(2):
    one = listener.accept()[0]
    one.sendall(hello)
    hello = b"\n" * 20
END
    started+=($!)
    until [ -S old ]; do sleep 0.02; done
    sleep 0.1
    fails_with 4 "the server runs a different version, armwire 0.0.9 — restart it" hidmotor -q -l serve:old status
    fails_with 4 "not an armwire server" hidmotor -q -l serve:old status
    fails_with 2 "forward the socket with ssh -L" hidmotor serve -l sim: --listen tcp:127.0.0.1:0
}

@test "a command without -l names the server that does not answer" {
    serve s hidmotor -l sim:
    kill -STOP "${started[0]}"
    run -4 --separate-stderr hidmotor -q status
    kill -CONT "${started[0]}"
    has "$stderr" "serve:$(place hidmotor): the server does not answer"
    ok hidmotor -q status
}

@test "a failed connection to a server suggests a remedy, and a group with access to the socket can move and stop" {
    [ "$(id -u)" = 0 ] || skip "needs root to become another user"
    local other=(setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=/)
    chmod 755 "$D" "$BATS_RUN_TMPDIR" "$BATS_SUITE_TMPDIR" "$(dirname "$D")"
    cp "$BIN/hidmotor" hidmotor # other users may not be able to read the build directory
    "${other[@]}" ./hidmotor --version || skip "other users cannot run programs here"
    fails_with 4 "serve:$D/arm: No such file or directory — check that 'serve' is running" \
        hidmotor -l "serve:$D/arm" status
    serve s hidmotor -l sim: --listen "unix:$D/arm"
    fails_with 4 "permission denied (owner root, mode 600) — ask the owner to run: chgrp GROUP $D/arm; chmod 660 $D/arm" \
        "${other[@]}" ./hidmotor -l "serve:$D/arm" status
    chgrp 65534 arm
    chmod 660 arm
    prints "result=arrived" "${other[@]}" ./hidmotor -q -l "serve:$D/arm" move 0 20 -10 --wait
    prints "result=confirmed" "${other[@]}" ./hidmotor -q -l "serve:$D/arm" stop
    mkdir --mode=700 private
    fails_with 4 "permission denied — check the owner and mode of its folder" \
        "${other[@]}" ./hidmotor -l "serve:$D/private/arm" status
}

# fell_silent SECONDS: requires that the reported silence lasted at least this long.
fell_silent() {
    has "$stderr" "no input for "
    awk -v at_least="$1" '{ exit !($1 >= at_least) }' <<<"${stderr##*no input for }"
}

@test "--deadman stops the motion of a silent script with exit 3" {
    run -3 --separate-stderr hidmotor -q -l sim: --deadman 200ms < <(echo "velocity 5 0 0"; sleep 5)
    fell_silent 0.2
    run -3 --separate-stderr hidmotor -q -l sim: --deadman 200ms < <(echo "move 0 60 0 duration=9s --wait"; sleep 5)
    fell_silent 0.2
    # Empty lines are signs of life. Without a motion, none are needed.
    ok hidmotor -q -l sim: --deadman 1s < <(echo "velocity 5 0 0"
        for _ in 1 2 3 4 5; do sleep 0.3; echo; done; echo stop; sleep 1.2)
    # With -k, the next line runs.
    run -3 --separate-stderr hidmotor -q -k -l sim: --deadman 200ms < <(echo "velocity 5 0 0"
        sleep 0.6; echo status)
    has "$output" "m1 base"
    # With virtual time, --deadman uses the link's clock.
    run -3 --separate-stderr hidmotor -q -l "$fast" --deadman 2s \
        < <(echo "move 0 60 0 duration=9s --wait"; sleep 1)
    has "$stderr" "no input for 2"
    ok hidmotor -q -l "$fast" --deadman 2s < <(echo "move 0 60 0 duration=1s --wait"; sleep 0.3)
    # A server gives the same result.
    serve s hidmotor -l sim:
    run -3 --separate-stderr hidmotor -q --deadman 200ms < <(echo "velocity 5 0 0"; sleep 5)
    fell_silent 0.2
    same "$(hidmotor -q -j status | jq .m1.target)" "$(hidmotor -q -j status | jq .m1.target)"
}

@test "--deadman stops the motion even after unread input or the end of input" {
    while read -r tool motion; do
        run -3 --separate-stderr timeout 5 "$tool" -q -l sim: --deadman 300ms \
            < <(printf '%b\n' "$motion"; sleep 0.1; echo; sleep 5)
        fell_silent 0.3
        [ "$tool" = unitysim ] && continue # drive ends with its input
        run -3 --separate-stderr timeout 5 "$tool" -q -l sim: --deadman 300ms \
            < <(printf '%b\n' "$motion")
        fell_silent 0.3
    done <<'END'
unitysim drive elbow=+5
hidmotor move 0 60 0 duration=9s --wait
canpid setpoint 5 -b lknee -c pos\nwatch --for 9s
armctl spd 20\nwatch --for 9s
ezphys motor 1 2 1000 --for 900s
END
    # Lines during a command are signs of life, even before they are read.
    ok hidmotor -q -l sim: --deadman 1500ms < <(echo "move 0 60 0 duration=2.5s --wait"
        for _ in {1..13}; do sleep 0.2; echo; done)
}

@test "a server that is terminated stops the motion and its client exits 7; a client ended by Ctrl-C exits 130" {
    for way in TERM INT client; do
        serve s hidmotor -l sim:
        local server=$pid
        background hidmotor -q move 0 90 -30 duration=60s --wait 2>said
        local mover=$client
        held hidmotor
        if [ "$way" = client ]; then
            end_by INT 130 "$mover"
            matches "$(<said)" "hidmotor: stopped: holding *"
        else
            kill "-$way" "$server"
            wait "$mover" && false || same "$?" 7
            same "$(<said)" "hidmotor: the server was shut down and stopped all motion"
            wait "$server" && false || same "$?" "$((128 + $(kill -l "$way")))"
        fi
    done
}

@test "the end of a server gives each reading client one message" {
    for way in TERM KILL; do
        why="$([ $way = TERM ] && echo the server was shut down || echo connection to the server lost)"
        serve s hidmotor -l sim:
        hidmotor -q wait 'm1.position > 500' 2>waits 3>&- &
        local waiter=$!
        mkfifo "to.$way"
        : >answers # creates the file before it is read; the shell's redirection may be too late
        hidmotor -q <"to.$way" >answers 2>reads 3>&- &
        local reader=$!
        started+=("$waiter" "$reader")
        exec 7>"to.$way"
        echo status >&7
        until grep -q elbow answers; do sleep 0.05; done
        ok hidmotor -q status
        kill "-$way" "$pid"
        wait "$waiter" && false || same "$?" 7
        wait "$reader" && false || same "$?" 7
        exec 7>&-
        same "$(<waits)" "hidmotor: $url: $why — check that the device has stopped"
        same "$(<reads)" "hidmotor: $url: $why — check that the device has stopped"
    done
}

@test "the command of each tool's systemd unit is valid; serve notifies systemd of its state and the watchdog" {
    for tool in $tools; do
        sed "s|/usr/bin/|$BIN/|" "$root/docs/packaging/systemd/$tool.service" >"$tool.service"
        command=$(sed -n "s|^ExecStart=$BIN/||p" "$tool.service")
        has "$command" "unix:/run/armwire/$tool.sock"
        read -ra words <<<"$command"
        ok "${words[@]}" --dry-run
    done
    ! command -v systemd-analyze || systemd-analyze verify ./*.service
    python3 - <<'END'
import os, signal, socket, subprocess
for number, path in enumerate(("notify", "\0armwire-test")):
    told = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    told.bind(path)
    told.settimeout(60)
    environment = {**os.environ, "NOTIFY_SOCKET": os.path.abspath(path) if not number else "@armwire-test",
                   "WATCHDOG_USEC": "200000"}
    server = subprocess.Popen(["hidmotor", "-q", "-l", "sim:", "serve"], env=environment)
    assert [told.recv(100) for _ in range(4)] == [b"READY=1", *[b"WATCHDOG=1"] * 3]
    server.send_signal(signal.SIGTERM)
    while (said := told.recv(100)) == b"WATCHDOG=1":
        pass
    assert said == b"STOPPING=1", said
    server.wait()
END
}

@test "a user with access to the device can use its systemd server without an option" {
    unshare -m sh -c 'mount -t tmpfs none /run' 2>/dev/null || skip "nothing may be mounted here"
    unshare -m bash -c 'mount -t tmpfs none /run && exec bash "$@"' bash -ec '
        mkdir -m 750 /run/armwire "$D/theirs"
        RUNTIME_DIRECTORY=/run/armwire hidmotor -q -l sim: serve \
            --listen unix:/run/armwire/hidmotor.sock,unix:alone 2>said 3>&- &
        until [ "$(grep -c "^ready:" said)" = 2 ]; do kill -0 $!; done
        stat -c %a /run/armwire/hidmotor.sock alone
        export XDG_RUNTIME_DIR=$D/theirs
        hidmotor -j gripper close 2>notice
        hidmotor -q -j -l serve: gripper open
        kill $!
        wait $! || [ $? = 143 ]' >out
    [ "$(head -n 2 out | paste -sd' ')" = "660 600" ]
    [ "$(sed 1,2d out | jq -c "select(.cmd == \"gripper\" and .ok)" | wc -l)" = 2 ]
    has "$(cat notice)" "hidmotor serve (pid "
}

@test "a slow reader gets the number of lost messages and does not delay others" {
    serve s canpid -l 'sim:?rate=500'
    python3 - "$(place canpid)" <<'END'
import sys, time
from serve_client import Client
with Client(sys.argv[1]) as reader:
    reader.send("LINK")
    time.sleep(4)
    assert reader.receive("LOST_SOME")[1]["number"] > 0
END
    ok canpid -q ping -n 3
}

# grows FILE: waits until the file grows.
grows() {
    local was now
    was=$(wc -c <"$1")
    for _ in {1..400}; do
        now=$(wc -c <"$1")
        [ "$now" -le "$was" ] || return 0
        sleep 0.05
    done
    echo "nothing more comes into $1" && false
}

@test "watch and record - in a pipe end with their server" {
    for how in "watch -j" "record -"; do
        rm -f seen status
        serve s hidmotor -l sim:
        (hidmotor -q -l serve: $how 2>said 3>&- && false || echo $? >status) 3>&- | cat >seen 3>&- &
        local pipe=$!
        started+=("$pipe")
        until [ -s seen ]; do sleep 0.02; done
        kill -KILL "$pid"
        wait "$pipe"
        same "$(<status)" 7
        has "$(<said)" "connection to the server lost"
    done
}

@test "watch and record wait for the next server without spinning" {
    for tool in hidmotor ezphys canpid; do
        serve "$tool.1" "$tool" -l sim:
        "$tool" -q watch -j >"$tool.seen" 2>"$tool.said" 3>&- &
        reader=$!
        "$tool" record "$tool.pcapng" 2>>"$tool.said" 3>&- &
        recorder=$!
        started+=("$reader" "$recorder")
        grows "$tool.seen"
        grows "$tool.pcapng"
        end "$pid" KILL
        ticks() { awk '{ print $14 + $15 }' "/proc/$1/stat"; }
        sleep 0.2
        before=$(($(ticks "$reader") + $(ticks "$recorder")))
        sleep 1
        [ $(($(ticks "$reader") + $(ticks "$recorder") - before)) -lt 50 ] # together less than half of one CPU
        serve "$tool.2" "$tool" -l sim:
        grows "$tool.seen"
        grows "$tool.pcapng"
        kill -INT "$reader" "$recorder"
        wait "$recorder"
        has "$(<"$tool.said")" "connection to the server lost — reconnecting" "reconnected"
        end "$pid"
    done
}
