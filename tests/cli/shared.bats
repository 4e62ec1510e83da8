# Several programs use one served device, and stopped motions stay stopped.
load server.bash

# stays FILTER: requires that this part of a board's status is constant for 0.3 s.
stays() { same "$(hidmotor -q -j status | jq -c "$1")" "$(sleep 0.3; hidmotor -q -j status | jq -c "$1")"; }

@test "a stop, takeover or kill also discards 20 queued motions" {
    for tool in $tools; do
        timeout 200 python3 "$root/tests/cli/serve_kills.py" "$D" "$tool" "${SERVE_KILLS:-1}" --queue 20 \
            --within "${WITHIN:-1000}" kill stranger take device end
    done
}

# bats test_tags=long
@test "frames that the server has not yet read are not sent after a stop" {
    for tool in $tools; do
        timeout 200 python3 "$root/tests/cli/serve_kills.py" "$D" "$tool" "${SERVE_KILLS:-1}" --frames 0,1,20 \
            --within "${WITHIN:-1000}"
    done
}

@test "record during motions loses no message, and neither delays nor stops a motion" {
    for tool in hidmotor canpid unitysim; do
        mkdir "$tool"
        timeout 200 python3 "$root/tests/cli/record_beside.py" "$D/$tool" "$tool" "${RECORD_SECONDS:-2}" --within "${WITHIN:-1000}"
    done
}

@test "a command reads standard input, recordings and scripts on the client side" {
    mkfifo theirs && exec 7<>theirs # the server must not read this
    serve u unitysim -l 'sim:?scene=basic' <theirs
    echo elbow=-20 >&7
    elbow() { unitysim -q -j status | jq .elbow.ticks; }
    before=$(elbow)
    up='{"msg":"control","elbow":{"velocity":20,"state":"increase"}}'
    ok unitysim -q < <(for _ in {1..10}; do echo "$up"; sleep 0.1; done)
    [ "$(elbow)" -gt "$before" ]
    read -r -t "$patience" line <&7
    same "$line" elbow=-20
    exec 7>&-
    end "$pid"
    serve h hidmotor -l sim:
    ok hidmotor -q play - <<<$'t,m1,m2,m3\n0,0,0,0\n0.3,0,5,0'
    ok hidmotor -q run - <<<$'gripper open\nmove 0 10 0 duration=100ms --wait'
    end "$pid"
    serve c canpid -l sim:
    ok canpid -q gains apply - --yes --switch <<<'lknee pos kp 5'
}

@test "teleop through a server uses the client's records and is stopped with it" {
    printf '%s\n' '0.3 hold 1' '0.6 lefty -1' '1.4 hold 0' >pad.events
    "$root/tests/cli/pad_player.py" --channels pad.events >pad.ndjson
    serve s hidmotor -l sim:
    ok hidmotor teleop --channels pad.ndjson -j
    same "$(jq -c '[.cmd, .result, .stops]' <<<"$output")" '["teleop","ended",1]'
    # A busy machine may have stopped the motion early.
    [ "$(hidmotor -q -j status | jq '.m2.target > 1')" = true ] || has "$stderr" stalled
    stays .m2.target
}

@test "the server's limits apply despite a client's --force, unless it was started with --force" {
    printf '%s\n' '[joint base]' 'index = 1' 'kind = rotate' 'min = 0' 'max = 90' 'home = 0' >joints.ini
    export ARMCTL_CONFIG=$D/joints.ini
    while read -r tool frame words; do
        serve "$tool.${words%% *}.strict" "$tool" -l sim:
        fails_with 6 'refused by the server: ' "$tool" -q --force $words
        end "$pid"
        serve "$tool.${words%% *}.lax" "$tool" -l sim: --force -v
        "$tool" -q --force $words || true # the device may refuse it, too
        grep -q -- "-> .*$frame" "$tool.${words%% *}.lax.err"
        end "$pid"
    done <<'END'
hidmotor set_setpoints move 0 200 0
canpid kp set kp 1e9 -b lknee -c pos --switch
armctl angle=300deg deg base 300
unitysim elbow.velocity=1000 drive elbow=+1000 --for 1s
unitysim elbow.velocity=1000 control elbow.velocity=1000 elbow.state=increase
END
    printf '%s\n' '[packet slow_motor]' 'id = 3' 'dir = tx' 'replace = yes' 'moves = yes' \
        'velocity1 = f32 rad/s 0 min=-2 max=2' 'torque1 = f32 Nm 9' 'velocity2 = f32 rad/s 0' \
        'torque2 = f32 Nm 9' 'velocity3 = f32 rad/s 0' 'torque3 = f32 Nm 9' '[stop]' \
        'packet = slow_motor' >slow.packets # the server's limits for an ezphys motor
    serve strict ezphys --packets slow.packets -l "sim:?scene=arm4"
    for words in 'motor shoulder 3 100' 'motor shoulder 3 100 --for 1s'; do
        fails_with 6 'refused by the server: ' ezphys -q --force $words
    done
}

@test "a stop works without free descriptors and at the connection limit of a user" {
    fails_with 4 "raise ulimit -n" prlimit --nofile=200 "$BIN/hidmotor" serve -l sim:
    start s prlimit --nofile=256 "$BIN/hidmotor" serve -l sim: --deadman 20s
    hidmotor < <(echo 'velocity 5 0 0'; exec sleep 60) >mover 2>&1 3>&- & # connects before all other clients
    started+=($!)
    held hidmotor
    python3 - "$(place hidmotor)" <<'END' 3>&- &
import sys, time
from serve_client import Client
idle = []
for _ in range(400):
    try:
        idle.append(Client(sys.argv[1]))
    except OSError:
        break
open("full", "w")
time.sleep(60)
END
    started+=($!)
    until [ -e full ]; do sleep 0.05; done
    for _ in 1 2 3; do
        ok hidmotor -q -l serve: stop
    done
    fails_with 1 "server full; only 'stop' is accepted" hidmotor -q -l serve: move 0 10 0
    wait_for s "stopped by "
}

@test "armctl processes through a server report what the simulator executed" {
    for name in fast slow bare published; do
        SERVED=1 timeout 200 python3 "$root/tests/cli/arm_processes.py" "$D" "$name" 1 "${PROCESSES:-30}" >"$name.out" || {
            cat "$name.out"
            false
        }
    done
}

@test "Ctrl-C while connecting to a server ends the command without opening the device" {
    for tool in $tools; do
        mkdir -p -m 700 "$XDG_RUNTIME_DIR/armwire"
        rm -f came silent
        python3 -c '
import socket, sys, time
end = socket.socket(socket.AF_UNIX)
end.bind(sys.argv[1])
end.listen()
open("silent", "w")
one = end.accept()
open("came", "w")
time.sleep(60)' "$(place "$tool")" 3>&- &
        silent=$!
        started+=("$silent")
        until [ -e silent ]; do kill -0 "$silent"; done
        "$tool" -v stop >out 2>err 3>&- &
        client=$!
        until [ -e came ]; do kill -0 "$client" || { cat err && false; }; done
        kill -INT "$client"
        wait "$client" && false || same "$tool $?" "$tool 130"
        same "$tool: $(grep -c -- '->' err)" "$tool: 0"
        end "$silent"
        rm "$(place "$tool")"
    done
}

@test "one of two simultaneous commanders is refused and does not move after the other is killed" {
    serve s hidmotor -l sim: --deadman 20s
    target() { hidmotor -q -j status | jq .m2.target; }
    for ((i = 0; i < ${PAIRS:-100}; i += 10)); do
        before=$(target)
        : | tee one >two # creates the files before they are read; the shell's redirection may be too late
        hidmotor -q move 0 60 0 duration=30s --wait >one 2>&1 3>&- &
        one=$!
        hidmotor -q move 0 -30 0 duration=30s --wait >two 2>&1 3>&- &
        two=$!
        until grep -q 'has held the lease' one two; do kill -0 $one || kill -0 $two; done
        if grep -q 'has held the lease' one; then
            loser=$one winner=$two
        else
            loser=$two winner=$one
        fi
        wait "$loser" && false || same "$?" 1
        # Waits for the start, because only a started motion is stopped.
        while [ "$(target)" = "$before" ]; do kill -0 "$winner"; done
        end "$winner" KILL
        wait_for s "the lease holder disconnected — stopped"
        stays .m2.target
    done
    python3 - "$(place hidmotor)" "${PAIRS:-100}" <<'END'
import sys
from serve_client import Client
for pair in range(int(sys.argv[2])):
    ends = [Client(sys.argv[1]) for _ in range(2)]
    for end in ends:
        end.send("WANT")
    said = sorted(end.receive("GRANTED", "DONE")[0] for end in ends)
    assert said == ["DONE", "GRANTED"], said
    for end in ends:
        end.close()
END
}

@test "a wait ends with exit 7 as soon as the server is gone" {
    while read -r tool never; do
        serve "$tool" "$tool" -l sim:
        server=$pid
        "$tool" -v wait "$never" >"$tool.said" 2>&1 3>&- &
        waiter=$!
        until grep -q -- '<-' "$tool.said"; do sleep 0.02; done
        end "$server" KILL
        wait $waiter && false || same "$?" 7
    done <<'END'
canpid lknee.torque > 9999
ezphys hinge.displacement > 9999
END
}

@test "a stop arrives in time despite 1,000 idle, flooding or slow connections from one user" {
    serve s hidmotor -l sim: --deadman 20s
    python3 - "$(place hidmotor)" <<'END' 3>&- &
import sys, time
from serve_client import Client
clients = [Client(sys.argv[1]) for _ in range(1000)] # the limit per user is 1,024
for client in (clients[0], clients[999]):
    client.send("WANT")
    client.receive("GRANTED")
    client.send("RELEASE")
for client in clients[:900]: # these subscribe to records and never read them
    client.send("LINK")
for client in clients[900:]:
    client.close()
open("idle", "w")
time.sleep(200)
END
    started+=($!)
    until [ -e idle ]; do kill -0 $!; done
    python3 "$root/tests/cli/serve_flood.py" "$(place hidmotor)" "$pid" --within "${WITHIN:-100}"
}

@test "a script stopped by another client exits 3; with --keep-going its next motion takes the lease again" {
    serve s hidmotor -l sim:
    for keep in '' -k; do
        printf '%s\n' 'move 0 60 0 duration=30s --wait' 'move 0 10 0 duration=200ms --wait' |
            hidmotor $keep >said 2>&1 3>&- &
        script=$!
        held hidmotor
        ok hidmotor -q stop
        wait $script && false || same "$?" 3
        has "$(<said)" "stopped by hidmotor (pid "
        if [ "$keep" ]; then
            has "$(<said)" "hidmotor: holding the lease again" "move result=arrived"
        else
            hasnt "$(<said)" "move result=arrived"
        fi
    done
    # A stop between two lines has the same effect.
    background hidmotor < <(echo 'velocity 5 0 0'; sleep 20) >said 2>&1
    script=$client
    held hidmotor
    ok hidmotor -q stop
    wait_for s "stopped by hidmotor"
    for _ in {1..100}; do
        ! grep -q "stopped by hidmotor" said || break
        sleep 0.05
    done
    has "$(<said)" "stopped by hidmotor (pid "
}

# count TEXT FILE: prints 1 if the file contains TEXT, otherwise 0.
count() { grep -c -m 1 -- "$1" "$2" || true; }

# tried TOOL ARGUMENTS WAY…: ends tune of a served device in each of these ways and requires the gains $kept
# afterwards.
tried() {
    local tool=$1 words=$2 way
    for way in "${@:3}"; do
        : >"$tool.err"
        background "$tool" -v -l "$url" tune $words --yes 2>>"$tool.err" >/dev/null
        becomes 1 count relay: "$tool.err" || { held_up "$(<"$tool.err")" && false; }
        case $way in
        stop) ok "$tool" -q -l "$url" stop ;;
        take) ok "$tool" -q -l "$url" --take stop ;;
        *) kill "-$way" "$client" ;;
        esac
        wait "$client" && false || true
        becomes "$kept" last_gains
    done
}

@test "tune through a server restores the old gains after a kill, an interrupt, a stop and a take-over" {
    start arm hidmotor sim --listen "unix-listen:$D/arm" --drive pid
    local arm=$url
    last_gains() { hidmotor -q -l "serve:$D/server" gains | grep '^m2 pid' | tr '\n' ' '; }
    start server hidmotor -l "$arm" serve --listen "unix:$D/server"
    kept=$(last_gains)
    tried hidmotor m2 KILL INT stop take
    end "$pid"
    start bus canpid sim --listen slcan:tcp-listen:0
    background canpid -v -l "$url" serve --listen "unix:$D/can" >/dev/null 2>can.err
    becomes 1 count ready: can.err
    url=serve:$D/can
    last_gains() { grep -E -- '-> 04[123]#' can.err | tail -n 3 | sed 's/.*board=//' | sort | tr '\n' ' '; }
    kept="lknee value=0 controller=pos lknee value=0.0005 controller=pos lknee value=3 controller=pos "
    # Only KILL, because otherwise a busy driver may leave the client's stop unconfirmed.
    tried canpid "-b lknee -c pos" KILL
}

# bats test_tags=long
@test "tune through a server is not stopped by --deadman while it computes" {
    start server hidmotor -l "sim:?drive=pid" serve --listen "unix:$D/server"
    run --separate-stderr hidmotor -q -l "$url" tune m2 --yes
    held_up "$stderr"
    hasnt "$stderr" silent
    has "$output" "outcome="
}

@test "clients leave no process or descriptor behind" {
    serve s hidmotor -l sim:
    files() { find "/proc/$pid/fd" -mindepth 1 | wc -l; }
    # The server may still be closing a connection.
    fewest() { for _ in {1..40}; do files && sleep 0.02; done | sort -n | head -n 1; }
    come() { for _ in {1..5}; do hidmotor -q gripper open >>said; done; }
    come
    before=$(fewest)
    come
    same "$(grep -c confirmed said)" 10
    [ "$(fewest)" -le "$before" ]
    [ "$(ps --ppid "$pid" -o stat= | grep -c Z)" -le 1 ] # one may remain until the server's next event
}

@test "clients can connect and stop with a DBC file of thousands of long names" {
    python3 - >big.dbc <<'END'
print('VERSION ""\n\nBU_: HOST DEVICE')
for m in range(500):
    print(f"\nBO_ {1024 + m} A_MESSAGE_WITH_A_LONG_NAME_{m:03d}: 8 DEVICE")
    for s in range(16):
        print(f' SG_ a_signal_with_a_long_name_{s:02d} : {4 * s}|4@1+ (1,0) [0|15] "" HOST')
END
    serve big canpid -l sim: --dbc big.dbc
    ok canpid -q --dbc big.dbc setpoint 10deg --max-jump 90deg -b lknee -c pos
    ok canpid -q --dbc big.dbc stop
}
