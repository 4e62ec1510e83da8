#!/usr/bin/env bats
# ezphys with its simulator: every command, lock-step without stalls, safe motors.
load common.bash
unset "${!EZPHYS_@}"

# sim SCENE COMMAND…: runs a command with its own simulator.
sim() { ok ezphys -q -l "sim:$1" "${@:2}"; }

# Starts a simulator that several programs can use; $url is its link.
simulator() { start simulator ezphys-sim --listen 0 "$@"; }

# near A B RELATIVE: fails if A and B differ by more than this ratio.
near() {
    jq -ne --argjson a "$1" --argjson b "$2" --argjson r "$3" \
        '(($a - $b) | fabs) <= $r * (($b | fabs) + 1e-12)' >/dev/null ||
        { echo "$1 is not near $2" && false; }
}

# fake SCRIPT: starts a simulator that runs this Python script; sets $url and $pid. The script has s (the
# connection), message(step) (framed bytes of a step), answer() and say().
fake() {
    cat >fake.py <<PYTHON
import socket, struct, sys, time
def packet(kind, id, payload): return struct.pack("<III", kind, id, len(payload)) + payload
def message(step, rate=0.0):
    body = packet(5, 0, struct.pack("<if", step, 0.01)) + packet(3, 7, struct.pack("<ff", 0.5, rate))
    return struct.pack("<II", 8 + len(body), 2) + body
def answer(s):
    head = s.recv(8, socket.MSG_WAITALL)
    if len(head) < 8: return None
    size, count = struct.unpack("<II", head)
    return head + (s.recv(size - 8, socket.MSG_WAITALL) if size > 8 else b"")
def say(*words): print(*words, file=sys.stderr, flush=True)
listener = socket.create_server(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 0))
say(f"ready: tcp:127.0.0.1:{listener.getsockname()[1]}")
s, _ = listener.accept()
s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
$1
PYTHON
    start fake python3 fake.py
}

# ---- Packets -------------------------------------------------------------------------------------

@test "encode uses the framing of the config file and reports an invalid one" {
    config ezphys '[wire mine]' 'base = be32' 'long = 8' 'msg = rest16'
    ok ezphys encode --wire mine --dir rx timestamp step=1 step_size=1
    same "$output" "00 18 00 00 00 05 00 00 00 00 00 00 00 0C 00 00 00 00 00 00 00 01 3F 80 00 00"
    config ezphys '[wire mine]' 'msg = size99'
    exits_with 2 "ezphys.ini:2:1: " ezphys encode --wire mine reset
    remarks "ezphys.ini:2:1: " ezphys encode reset
}

# ---- Motor motion --------------------------------------------------------------------------------

@test "a motor starts with min(v, fmax dt / I) and reaches its velocity" {
    sim arm4 motor waist 2 1e6 --for 0.5s -j
    near "$(json .velocity)" 2 1e-5
    near "$(json .displacement)" 1 1e-3
    same "$(json '[.cmd,.ok,.joint,.step,.time]')" '["motor",true,"waist",250,0.5]'
}

@test "watch prints four types of messages; reset and advance report the step and the time" {
    sim pendulum watch -n 10 -j
    same "$(wc -l <<<"$output")" 10
    same "$(jq -c .msg <<<"$output" | sort -u | wc -l)" 4
    sim pendulum reset -j
    same "$(json '[.ok,.step]')" '[true,0]'
    sim pendulum advance 100 -j
    same "$(json '[.ok,.exchanges,.step,.time]')" '[true,100,100,0.1]'
}

# bats test_tags=long
@test "2000 steps after a reset repeat every packet exactly" {
    local commands='motor left-knee 0.5 50\nforce waist 20 --for 0.1s\nadvance 2000\nreset\n'
    printf "$commands$commands" | ezphys -q -l sim:humanoid --record run.pcapng -j >out
    ezphys decode -j --time none run.pcapng >all || true
    grep '"dir":"rx"' all | awk '/"timestamp"/ && /"step":0,/ { part++ } { print > ("part" part) }'
    [ "$(grep -c timestamp part1)" -gt 2000 ]
    cmp part1 part2
}

# ---- Lock-step -----------------------------------------------------------------------------------

@test "hz reports neither stalls nor losses in lock-step, and a real-time factor near 1 with --real-time" {
    simulator --scene humanoid --lock-step=1
    gives_json '[.lost,.stalls,.damaged,.steps_per_message]' '[0,0,0,1]' ezphys -l "$url" hz --for 2s -j
    jq -e '.rate > 10 and .real_time_factor > 0.05' <<<"$output" >/dev/null
    simulator --scene pendulum --real-time --interval 10ms
    for _ in {1..10}; do # other load may slow the simulator down or let it catch up
        ok ezphys -l "$url" hz --for 1s -j
        ! jq -e '.lost < 20 and .real_time_factor > 0.8 and .real_time_factor < 1.2' <<<"$output" ||
            return 0
    done
    false
}

@test "hz reports five steps per message with --lock-step=5, and motor works with presets and custom wires" {
    simulator --scene arm4 --lock-step=5
    gives_json '[.steps_per_message,.lost]' '[5,0]' ezphys -l "$url" hz -n 200 -j
    for wire in be32 packed8 stream name32 le32,long=8 endian=be,msg=rest32,pkt=type16+id16; do
        ok ezphys -q -l sim:arm4 --wire "$wire" motor waist 1 1000 --for 0.2s -j
        near "$(json .velocity)" 1 1e-4
    done
}

@test "a peer with free-running messages gets one answer per message" {
    fake '
for step in range(200):
    s.sendall(message(step))
    a = answer(s)
    if step == 150: say("150 answered")
s.settimeout(0.2)
try: say("more:", s.recv(100))
except TimeoutError: say("no more")'
    ezphys -q -l "$url" watch -n 100000 --for 2s >/dev/null &
    wait_for fake "150 answered"
    wait_for fake "no more"
}

@test "messages in pieces are read; damaged and partial ones are counted and skipped" {
    fake '
good = message(0)
for step in range(30):
    m = message(step)
    if step == 10: m = b"\xff\xff\xff\x7f" + m[4:]
    if step == 15: m = m[:20]
    for i in range(0, len(m), 7): s.sendall(m[i:i + 7])
    if answer(s) is None: say("gone at", step); break
say("through")
time.sleep(20)'
    ezphys -l "$url" hz -n 30 -j >out 2>err &
    client=$!
    wait_for fake "through"
    wait "$client"
    grep -q 'no data for a second\|does not fit' err
}

# Without valid messages commands fail and readers end.
@test "noise, invalid data, silence and messages of another framing are reported" {
    fake '
while True:
    try: s.sendall(bytes(4096))
    except OSError: s, _ = listener.accept()'
    for command in status 'motor 1 2 10 --for 1s' 'motor 1 2 10' stop ping 'advance 2' limits; do
        fails_with 5 "received data is not a message" ezphys -q -T 300ms -l "$url" $command
    done
    fails 3 timeout "$patience" ezphys -q -l "$url" watch --for 100ms
    start other ezphys-sim pendulum --wire packed8 --listen 127.0.0.1:0
    fails_with 5 "--wire" ezphys -q -T 300ms -l "$url" status
    fake '
s.sendall(message(0)); answer(s)
while True:
    try: s.sendall(bytes(4096))
    except OSError: break'
    fails_with 5 "received data is not a message" timeout "$patience" ezphys -q -T 300ms -l "$url" motor 7 2 10 --for 1s
    fake 'time.sleep(30)'
    exits_with 3 "waiting for tcp:" ezphys -l "$url" -T 2s advance
    has "$stderr" ": no message yet"
}

# ---- Safety --------------------------------------------------------------------------------------

# The peer sends the signal itself, and no data until the stop arrives, ten times. On a busy machine the fastest
# stop counts (stops.bats and make bench measure all).
@test "the stop is sent within 10 ms of the signal while the simulator is busy" {
    fake '
import os, signal
times = []
while len(times) < 10:
    for step in range(3):
        s.sendall(message(step, 2.0)); answer(s)
    say("busy")
    killer, _ = listener.accept()
    client = int(killer.recv(20)); start = time.time()
    os.kill(client, signal.SIGINT)
    kind = 0
    while kind != 3 or velocity != 0:
        a = answer(s)
        kind, velocity, torque = struct.unpack_from("<I", a, 8)[0], *struct.unpack_from("<ff", a, 20)
    times.append(time.time() - start)
    killer.close()
    say("stop, torque %g" % torque)
    if len(times) < 10: s, _ = listener.accept()
times.sort()
say("quickest %.3f ms" % (1000 * times[0]))
time.sleep(20)'
    for _ in {1..10}; do
        ezphys -l "$url" motor 7 2 50 --for 100s 2>err &
        client=$!
        wait_for fake busy
        echo "$client" >"/dev/tcp/127.0.0.1/${url##*:}"
        wait_for fake "stop, torque 50"
        wait "$client" && false || same $? 130
        grep -q "stop sent, not confirmed" err # then the connection stays silent
    done
    wait_for fake quickest
    jq -ne "${line//[^0-9.]/} < 10" >/dev/null
}

@test "watch and hz end at the end of a recording" {
    ok ezphys -q -l sim: --record run.pcapng watch joint_axis -n 20
    for command in "watch joint_axis -j" "watch -j" "hz"; do
        ok timeout 20 ezphys -q -l log:run.pcapng $command
        [ -n "$output" ]
    done
}

@test "stop holds all joints; --coast releases them" {
    simulator --scene pendulum
    ok ezphys -l "$url" motor 1 2 1000 --for 0.1s --coast
    gives_json '[.joints,.result]' '[1,"held"]' ezphys -l "$url" stop -j
    ok ezphys -l "$url" watch joint_axis -n 20 -j
    near "$(json '.angular_velocity + 1')" 1 1e-3
    gives_json .result '"off"' ezphys -l "$url" stop --coast -j
    ok ezphys -l "$url" watch joint_axis -n 100 -j
    jq -se '.[-1].angular_velocity | fabs > 0.1' <<<"$output" >/dev/null
}

@test "hz reports a lost connection, reconnects and continues" {
    simulator --scene pendulum
    first=$pid port=${url##*:}
    under_way ezphys -l "$url" hz --for 1000s
    sleep 0.5
    kill -9 "$first"
    wait_for client "connection lost"
    wait_for client "waiting for $url:"
    start again ezphys-sim --listen "$port" --scene pendulum
    wait_for client "reconnected"
    end_by INT 130
}

@test "ezphys can connect to a simulator and wait for its connection" {
    start echo ezphys -l tcp-listen:0 -T 20s advance 10 -j
    fails 4 ezphys -l tcp:127.0.0.1:1 hz
    background ezphys-sim --connect "${url#tcp:}" --scene pendulum 2>/dev/null
    wait "$pid"
    same "$(tail -n 1 echo.out | jq -c '[.ok,.step]')" '[true,10]'
}

# Returns the velocity of a joint in an answer, or None.
velocity='
def velocity(a, joint):
    at, v = 8, None
    while at < len(a):
        kind, id, length = struct.unpack_from("<III", a, at)
        if kind == 3 and id == joint: v = struct.unpack_from("<f", a, at + 12)[0]
        at += 12 + length
    return v'

@test "a restart of the simulation during a motion is reported, and the joints are stopped" {
    printf 't,joint7\n0,0.5\n5,2\n' >way.csv
    for words in "move joint7=2.5" "jog joint7 2" "play way.csv --max-lag 9rad"; do
        fake "$velocity"'
step, left, v = 0, 20, None
while True:
    s.sendall(message(step))
    a = answer(s)
    if a is None: break
    said = velocity(a, 7)
    v = v if said is None else said
    left -= bool(v)
    step = 0 if v and left == 0 else step + 1
say("last", v)'
        fails_with 1 "another program restarted the simulation" timeout "$patience" ezphys -q -l "$url" $words
        wait_for fake "last 0.0"
    done
    fake '
for step in list(range(20)) + list(range(20)):
    s.sendall(message(step)); answer(s)
say("through")
time.sleep(20)'
    exits_with 1 "another program restarted the simulation" ezphys -l "$url" motor 7 1 1 --for 100s
}

@test "a joint that lags is not moved faster than --speed or play's --max-speed" {
    printf 't,joint7\n0,0.5\n1,1\n' >way.csv
    while read -r most words; do
        fake "$velocity"'
step, fastest = 0, 0 # the joint does not move
while True:
    s.sendall(message(step))
    a = answer(s)
    if a is None: break
    fastest = max(fastest, velocity(a, 7) or 0)
    step += 1
say("fastest", fastest)'
        run --separate-stderr timeout "$patience" ezphys -q -l "$url" $words
        [ "$status" = 1 ] || same "$status" 3
        wait_for fake "fastest $most"
    done <<'END'
0.5 move joint7=2.5 --speed 0.5rad/s --kp 100
0.25 jog joint7 2 --speed 0.25 --kp 100
0.75 play way.csv --max-speed 0.75 --kp 100 --max-lag 9rad
END
}

@test "a joint discovered late does not redirect a motion to another joint" {
    printf 'joint 7 knee thigh shin\njoint 8 hip world thigh\n' >names
    fake "$velocity"'
def both(step):
    body = packet(5, 0, struct.pack("<if", step, 0.01))
    joints = (7,) if step < 1 else (7, 8)
    for id in joints: body += packet(3, id, struct.pack("<ff", 0.5, 0))
    return struct.pack("<II", 8 + len(body), 1 + len(joints)) + body
import threading # a free-running simulator shows steps only after the one that was answered
step, moved, there = 0, set(), True
def listen():
    global moved, there
    while there:
        a = answer(s)
        there = a is not None
        moved |= {id for id in (7, 8) if a and velocity(a, id)}
threading.Thread(target=listen).start()
while there:
    try: s.sendall(both(step))
    except OSError: break
    step += 1
    time.sleep(0.02)
say("moved", *sorted(moved), "of", step)'
    run -3 --separate-stderr timeout "$patience" ezphys -q -l "$url" --names names move knee=0.6
    wait_for fake "moved 7 of"
}

# ---- Names and records ---------------------------------------------------------------------------

@test "the -j output of a motor command is accepted as input" {
    ezphys -q -j -l sim: motor hinge 2 1000 >records
    gives_json '[.cmd,.ok,.joint]' '["axis_motor",true,"hinge"]' ezphys -q -j -l sim: <records
    fails 2 ezphys -q -l sim: <<<'{"msg":"axis_motor","id":1,"velocity2":1,"max_torque2":1}'
}

@test "unknown names are rejected with a suggestion, and nothing is sent" {
    fails_with 2 "did you mean 'left-knee'?" ezphys -q -l sim:humanoid motor left-kne 1 1
    fails_with 2 "has 1 axis, but the command is for 2" ezphys -q -l sim:humanoid motor left-knee 1 1 1 1
    fails_with 2 "joint '9' not found — available: hinge" ezphys -q -l sim: motor 9 1 1
    fails 2 ezphys -q -l sim: force 9 1
    fails 2 ezphys -q -l sim: motor hinge nan 1
    fails 2 ezphys -q -l sim: motor hinge 1 inf
    fails 6 ezphys -q -l sim: motor hinge 1 -5
    fails_with 2 "did you mean 'bob'?" ezphys -q -l sim: watch bab
    printf 'joint 1 humanoid.knee\nbody 1 humanoid.shin\n' >names
    simulator --scene pendulum
    ok ezphys -l "$url" --names names watch 'humanoid.*' -n 2 -j
    same "$(jq -c .msg <<<"$output" | tr '\n' ' ')" '"limb" "joint_axis" '
    printf 'joint 1 knee\njoin 2 hip\n' >names
    fails_with 5 "names:2:1: unknown object 'join'" ezphys -q -l "$url" --names names status
    EZPHYS_SCENE=humanoid ok ezphys complete -- motor left-k
    same "$(cut -f 1 <<<"$output")" left-knee
    fake '
say("answered:", "yes" if s.sendall(message(0)) or answer(s) else "no")'
    fails_with 2 "joint '9' not found — available: joint7" timeout 20 ezphys -q -l "$url" motor 9 1 1
    wait_for fake "answered: no"
    fake '
s.sendall(message(0))
say("type", struct.unpack("<I", answer(s)[8:12])[0])'
    run -7 timeout 20 ezphys -q -l "$url" motor 9 1 1 --force # the joint may exist with its send switch off
    wait_for fake "type 3"
}

@test "--dry-run opens nothing, prints the bytes, and does not change the session's state" {
    ok ezphys motor 3 2rad/s 100Nm --dry-run
    has "$output" "2C 00 00 00 01 00 00 00 03 00 00 00 03 00 00 00 18 00 00 00 00 00 00 40 00 00 C8 42"
    prints "axis_force id=11" ezphys --scene humanoid force left-knee 1Nm --dry-run
    prints "14 00 00 00 01 00 00 00 01 00 00 00 00 00 00 00 00 00 00 00" ezphys reset --dry-run
    prints "name=knee" ezphys --wire name32 motor knee 1 1 --dry-run
    printf '%s\n' 'motor 1 1 10' 'advance 1' 'motor 1 5 10 --dry-run' \
        'reset --dry-run --wire be32' 'advance 1' 'status' >script
    prints '"velocity1":5' ezphys -q -j -l 'sim:?scene=pendulum' --timeout 3s <script
    same "$(jq -s '[.[] | select(.cmd == "advance") | .step] | .[1] - .[0]' <<<"$output")" 1
}

# ---- play, probe, info -------------------------------------------------------------------------

@test "play follows a trajectory and reports its errors" {
    printf 't,waist,elbow\n0,0,0\n1,0.5,-0.3\n2,0,0\n' >path.csv
    sim arm4 play path.csv -j
    same "$(json '[.ok,.points,.joints,.waist.rms < 0.02,.elbow.rms < 0.02]')" '[true,3,2,true,true]'
}

@test "probe recognises the framing of captures and rejects noise" {
    for wire in le32 be32 packed8 stream name32 le32,long=8; do
        ok ezphys -q -l sim:humanoid --wire "$wire" watch -n 600 --record cap.pcapng
        ok ezphys probe -j cap.pcapng
        same "$(head -n 1 <<<"$output" | jq -c '[.wire,.sure]')" "[\"$wire\",true]"
        rm cap.pcapng
    done
    head -c 20000 /dev/urandom >noise
    run -5 --separate-stderr ezphys probe noise
}

@test "status prints a line for each axis with the simulator's names, and one record with -j" {
    sim humanoid status
    matches "$output" "*left-hip.axis1 *rad*left-hip.axis2 *rad*left-knee *rad*"
    sim humanoid status -j
    same "$(wc -l <<<"$output")" 1
    same "$(json '[."left-hip".id, ."left-hip".axis2.unit]')" '[10,"rad"]'
    same "$(json '[to_entries[] | select(.value | objects | .id)] | length')" 15
    same "$(jq_itself -c '."left-knee" | keys_unsorted' <<<"$output")" '["id","target","actual","unit","fault","age","velocity","rate"]'
    ok ezphys encode --wire name32 --dir rx joint_axis 'name=kn"ee' displacement=1 angular_velocity=0
    fake "for i in range(200): s.sendall(bytes.fromhex('$output'))
time.sleep(20)"
    gives_json '."kn\"ee".actual' 1 timeout 20 ezphys -j -q --wire name32 -l "$url" status
}

@test "jog moves one axis from its position; limits prints limits and their source" {
    while IFS='|' read -r scene words low high; do
        sim $scene jog $words -j
        same "$words: $(json "[.cmd,.result,(.displacement >= $low and .displacement <= $high)]")" \
            "$words: [\"jog\",\"arrived\",true]"
    done <<'END'
pendulum|hinge +0.2|0.19|0.21
pendulum|1 -10deg|-0.185|-0.165
pendulum|hinge 0.05 --speed 0.2|0.04|0.06
humanoid|left-hip.axis2 0.1|0.09|0.11
END
    fails 1 ezphys -q -l sim: jog hinge 1 --max-torque 0.1
    has "$why" "hinge moves away from its target — check whether motor or encoder is reversed, or the load is too heavy"
    fails_with 3 "rad from its target — check for an obstacle or end stop" ezphys -q -l sim: jog hinge 1 --max-torque 5
    fails_with 2 "did you mean 'hinge'?" ezphys -q -l sim: jog hing 1
    fails 2 ezphys -q -l sim: jog hinge 5kg
    fails_with 2 "no terminal" ezphys -q -l sim: jog hinge </dev/null
    sim pendulum limits -j
    same "$(jq_itself -sc '.[0]' <<<"$output")" '{"joint":"hinge","of":"velocity","min":null,"max":null,"unit":"rad/s","from":"none"}'
    printf '%s\n' 'body arm box 1 0.1 0.1 mass 1 at 0.5 0 1' \
        'joint flap hinge arm world anchor 0 0 1 axis 0 1 0 stops -10deg 1rad' >my.scene
    for url in sim:./my.scene sim:; do # names from the simulator and from --scene
        ok ezphys -q -j -l "sim:./my.scene" --scene my.scene limits flap
        same "$(jq_itself -sc 'map(select(.of == "displacement") | [(.min * 1000 | round), .max, .unit, .from])' <<<"$output")" '[[-175,1,"rad","scene"]]'
    done
    fails_with 2 "did you mean 'hinge'?" ezphys -q -l sim: limits hing
}

@test "list and errors name local simulators and the programs that use them" {
    if unshare -n true 2>/dev/null; then # excludes the simulators of other tests
        gives "" unshare -n ezphys list
        has "$stderr" "no simulator found on this machine"
    fi
    simulator --scene pendulum
    prints_like "*$url description=server found server=ezphys-sim (pid *)" ezphys list
    background ezphys -q -l "$url" watch >first 2>&1
    until ezphys -j list | grep -q '"holder":"ezphys (pid '; do read -r -t 0.02 _ <> <(:) || true; done
    until [ -s first ]; do read -r -t 0.02 _ <> <(:) || true; done
    fails_with 3 "no message from the simulator: in use by ezphys (pid $client)" ezphys -q -T 300ms -l "$url" status
    exits_with 3 "no message yet: in use by ezphys (pid $client)" ezphys -l "$url" hz --for 1500ms
    end "$client"
    ok ezphys -q -l "$url" status
}

@test "status does not advance a lock-step simulator, and watch reports the steps that it causes" {
    simulator --scene humanoid
    step() { json .step; }
    for command in status "status -j" "status --for 0.2s" status; do
        remarks_no "advanced the simulation" ezphys -l "$url" $command
    done
    has "$output" "waiting for an answer"
    ok ezphys -l "$url" -j watch --where 'step>=0' -n 1
    same "$(step)" 0
    ok ezphys -l "$url" watch -n 500
    matches "$stderr" "ezphys: answered * messages, which advanced the simulation by * steps — use --listen-only to answer none"
    silent ezphys -q -l "$url" watch -n 500
}

@test "view prints a picture without a terminal and reacts to keys on one" {
    prints "step 100  bodies 1  joints 1  contacts 0  grid 0.5 m" timeout 20 ezphys -q -l sim: view --for 100ms
    [ "$(grep -c . <<<"$output")" -gt 11 ]
    sim '?scene=falling' view --for 500ms # the view follows the body
    [ "$(grep -c . <<<"$output")" -gt 6 ]
    simulator --scene box # unnamed bodies are drawn as crosses
    prints "bodies 1" ezphys -q -l "$url" view
    TERM=xterm terminal 80 <<<"
        launch ezphys -q -l sim: view; want {[?1049h} {grid 0.5 m}
        type { }; want paused
        type +-\033\[A\033\[B\033\[C\033\[D
        type q
        want {[?1049l}
        ends 0"
}

@test "plot uses simulation time, so equal runs give equal charts, and continues after a restart" {
    sim '' plot bob.position.z --for 4s
    has "$output" "-4 s  " "1.190 m"
    first=$output
    sim '' plot bob.position.z --for 4s
    same "$output" "$first"
    sim '' plot bob.position.z --for 4s --out run.svg -j
    same "$(json .samples)" 4000
    fake '
for step in [*range(10), *range(10)]:
    s.sendall(message(step))
    if not answer(s): break
'
    gives_json .samples 17 timeout 20 ezphys -q -l "$url" plot joint7.displacement --for 150ms --out run.svg -j
}

# results FILTER: applies a jq filter to the results in $output.
results() { jq -sc "map(select(.cmd)) | $1" <<<"$output"; }

@test "each command advances the simulation by one step, and a force acts in that step" {
    cat >rail.scene <<'SCENE'
gravity 0 0 0
step 1ms
body cart box 0.5 0.3 0.2 mass 2 at 0 0 1
joint rail slider cart world axis 1 0 0
SCENE
    for wire in le32 packed8 name32; do
        for _ in {1..20}; do echo "force rail 23"; done >pushes
        ok ezphys -q -j --wire $wire -l sim:./rail.scene run pushes
        same "$(results 'map(.step) == [range(1; 21)]')" true
        near "$(results '.[-1].velocity')" 0.23 1e-5
    done
    for _ in {1..20}; do printf 'motor rail 0.1 100\nforce rail 0\nstop\nadvance 2\n'; done >moves
    ok ezphys -q -j -l sim:./rail.scene run moves
    same "$(results 'map(.step) == [range(20) | 5 * . + (1, 2, 3, 5)]')" true
    ok ezphys -q -j -l sim:./rail.scene \
        <<<$'motor rail 0.1 100\nreset\nmotor rail 0.1 100 --for 0.1s\nforce rail 1'
    same "$(results 'map(.step)')" '[1,0,100,102]' # one more step holds the joint at the end
    simulator --scene ./rail.scene # also before the tool knows that the simulator is in lock-step
    ok ezphys -q -j --scene ./rail.scene -l "$url" run pushes
    same "$(results 'map(.step) == [range(1; 21)]')" true
    for _ in {1..20}; do ok ezphys -q -j -l "$url" force 1 23; done
    same "$(results '.[0].step')" 40
    near "$(results '.[0].velocity')" 0.46 1e-5
    # No data arrives before the first read.
    ok timeout 20 ezphys -q -j -l "$url?delay=1ms" <<<$'force 1 23\nforce 1 23\nstop'
    same "$(results 'map(.step)[:2]')" '[41,42]'
}

@test "--state adds all joints to a result, with the values of the recorded messages" {
    ok ezphys -q -j -l sim:cart-pole --state <<<$'force rail 2\nforce rail -2\nstop\nreset'
    same "$(results 'map(.state | [.rail, .pivot] | map(keys)) | unique')" \
        '[[["displacement","velocity"],["displacement","velocity"]]]'
    same "$(results 'map(.state.rail.velocity == .velocity)[:2] | all')" true
    ok ezphys -q -j --record run.pcapng -l sim:cart-pole --state force rail 2
    state=$(results '.[0] | [.state[][]] | sort')
    ok ezphys -q -j decode run.pcapng --dir rx
    same "$state" "$(jq -sc 'map(select(.msg == "joint_axis") | .displacement, .angular_velocity)[4:8] | sort' \
        <<<"$output")"
    sim humanoid --state motor right-hip 0 100
    has "$output" "state.right-hip.axis2.displacement="
    sim arm4 --state --format '%{state.waist.velocity} %{step}' stop
    same "$output" "0 1"
    ok ezphys -q -j -l sim:cart-pole <<<$'force rail 1.2345678\nstatus'
    same "$(results '.[0].velocity == .[1].rail.velocity')" true
}

@test "slider joints use m, m/s and N" {
    sim cart-pole status
    matches "$output" "*rail * 0.0000 m *0.0000m/s*pivot * 0.0000 rad *0.4000rad/s*"
    sim cart-pole limits rail
    same "$(grep -c 'm/s\| N ' <<<"$output")" 3
    sim cart-pole motor rail 0.1m/s 100N
    has "$output" "m velocity="
    sim cart-pole jog rail +5cm
    has "$output" "displacement=0.05"
    fails 2 ezphys -q -l sim:cart-pole motor rail 0.1rad/s 100
    has "$why" "joint 'rail' slides: wrong unit — give values in m, m/s and N"
    fails_with 2 "'rail' slides" ezphys -q -l sim:cart-pole jog rail 5deg
    fails_with 2 "joint 'pivot' rotates: wrong unit — give values in rad, rad/s and Nm" ezphys -q -l sim:cart-pole force pivot 5N
    simulator --scene cart-pole
    ok bash -c 'ezphys-sim --names cart-pole >names'
    prints " 0.0000 m " ezphys -q -l "$url" --names names status
    ok ezphys -q -l "$url" force 1 5N # the joint type is unknown
    ok ezphys -q -l "$url" force 2 5Nm
}

@test "status shows current data of a lock-step simulator without a step, and the rate in real time" {
    for link in sim:pendulum "sim:?scene=pendulum&step-size=5ms"; do
        ok ezphys -q -j -l "$link" status
        json -e '.hinge.age < 0.4' >/dev/null
    done
    simulator --scene pendulum
    ok ezphys -q -j -l "$url" <<<$'status\nmotor 1 0 100\nstatus\nstatus'
    same "$(results '.[3].t - .[1].t < 0.4 and .[3].joint1.rate == null')" true
    same "$(results 'map(.step)')" '[0,1,1,1]'
    start clocked ezphys-sim --listen 0 --scene pendulum --real-time
    ok ezphys -q -j -l "$url" <<<$'status\nstatus'
    jq -se 'all(.joint1.rate > 5) and .[0].step < .[1].step' <<<"$output" >/dev/null
}

@test "--for counts from the start of the motion, not from the first read" {
    simulator --scene pendulum
    under_way ezphys -v -l "$url" --scene pendulum step hinge --from 1 --to 0 --for 1000s
    wait_for client "-> 2C 00"
    end_by TERM 143
}

# bats test_tags=long
@test "200 stops by Ctrl-C at the prompt leave no unread message and do not slow down" {
    ok python3 "$root/tests/cli/ezphys_stops.py" 200
    echo "$output"
    json -e '.ahead == 0 and .last_ms < 10 + 2 * .first_ms' >/dev/null
    ok python3 "$root/tests/cli/ezphys_stops.py" 20 --real-time --interval 2ms
}

# ---- Names in recordings -------------------------------------------------------------------------

@test "recordings store the names and axes of joints for plot, decode and watch" {
    ok ezphys -q -l 'sim:?scene=pendulum' record run.pcapng -n 400
    ok ezphys -q -l 'sim:?scene=pendulum' --record motor.pcapng motor hinge 2 1000 --for 0.05s
    ok ezphys -q -l 'sim:?scene=pendulum' record run.csv -n 400
    ok ezphys -q -l 'sim:?scene=pendulum' record run.ndjson -n 400
    for file in run.pcapng motor.pcapng run.csv run.ndjson; do
        ok ezphys plot hinge.displacement "$file" --out run.svg
        has "$(<run.svg)" hinge.displacement
        ok ezphys plot bob.position.z "$file"
        fails 2 ezphys plot knee.displacement "$file"
        gives_json .damaged 0 ezphys info -j "$file"
    done
    gives_json '[.marks, .messages]' '[0,400]' ezphys info -j run.pcapng
    ok ezphys decode -j --where 'hinge.displacement>0.01' run.pcapng
    same "$(jq -r .msg <<<"$output" | sort -u)" joint_axis
    ok ezphys decode --csv --fields hinge.displacement run.pcapng
    same "${lines[0]}" t,dir,msg,displacement
    same "${#lines[@]}" 101
    prints_lines 5 ezphys -q -l 'log:run.pcapng?speed=max' watch hinge.displacement -n 5
    ok ezphys decode -n 4 -j run.pcapng
    same "$(jq -sc '[.[].name]' <<<"$output")" '[null,"bob","hinge","hinge"]'
    ok ezphys decode -n 3 run.pcapng
    has "${lines[2]}" 'displacement=0 angular_velocity=0rad/s name=hinge'
    same "$(grep -m 1 -o 'joint_axis.*' run.csv | grep -o "[^,]*$")" hinge
    # A name given as an option overrides the recording's name.
    echo 'joint 1 knee' >names
    ok ezphys --names names plot knee.displacement run.pcapng
    fails 2 ezphys --names names plot hinge.displacement run.pcapng
    # Reads several files in one session.
    ok ezphys -q -l 'sim:?scene=humanoid' record man.pcapng -n 2000
    printf 'plot hinge.displacement run.pcapng --out a.svg\nplot hinge.displacement man.pcapng --out b.svg\n' >script
    exits_with 2 "no data for 'hinge.displacement'" ezphys -q run script
    [ -s a.svg ]
    ok ezphys plot '*.axis2.displacement' man.pcapng --out run.svg
    name=$(grep -o '[^<> ]*\.axis2\.displacement' run.svg | head -n 1)
    ok ezphys plot "${name/axis2/axis1}" man.pcapng
    ok ezphys decode -n 3 -j --where "${name/axis2/axis1}>-9" man.pcapng
    same "$(jq -r .axis <<<"$output" | sort -u)" 1
    start pendulum ezphys sim --scene pendulum --listen 0
    echo 'joint 1 my.knee' >names
    ok ezphys -q -l "$url" --names names record mine.pcapng -n 50
    ok ezphys plot my.knee.displacement mine.pcapng
    end "$pid"
}

@test "motor and force fail if the axis state is not a number" {
    fake 'while True:
    for i in range(99):
        s.sendall(message(i, float("nan") if i else 0))
        if answer(s) is None: break
    s, _ = listener.accept()'
    for command in 'motor 7 1 1' 'motor 7 1 1 --for 0.2s' 'force 7 1'; do
        fails_with 5 "joint '7': position is not a number" timeout "$patience" ezphys -q -l "$url" $command
    done
    end "$pid"
}

@test "encode accepts every field that decode prints" {
    ok ezphys -q -l 'sim:?scene=humanoid' record man.pcapng -n 300
    ezphys decode man.pcapng | sed 's/^<- //; s/(.*//' | sort -u -k 1,1 >printed
    while read -ra words; do
        ok ezphys encode --dir rx "${words[@]}"
    done <printed
    same "$(ezphys encode --dir rx joint_axis id=1 axis=2 displacement=0 angular_velocity=0rad/s name=hip)" \
        "$(ezphys encode --dir rx joint_axis id=1 displacement=0 angular_velocity=0)"
    fails 2 ezphys encode axis_force id=1 axis1=1 axes=2
}
