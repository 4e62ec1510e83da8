#!/usr/bin/env bats
# unitysim with its simulator: every command and limit; no joint stays driven.
load common.bash

# Runs a command with the simulator in virtual time. virtual_json adds -j.
virtual() { ok unitysim -q -l "$fast" "$@"; }
virtual_json() { ok unitysim -q -j -l "$fast" "$@"; }
virtual_gives() { gives_json "$1" "$2" unitysim -q -j -l "$fast" "${@:3}"; }

# Starts a simulator that several processes can use; $url is its link. It sends to a port that was just free.
simulator() {
    local port
    port=$(free_port)
    start sim unitysim sim --listen "udp-listen:0?reply=127.0.0.1:$port" "$@"
}

# Ends the simulator and sets $line to its counters.
counters() {
    kill "$pid"
    wait_for sim "datagrams received"
}

# elbow FILTER: prints the elbow's velocity and a value from status.
elbow() { unitysim -q -j -l "$url" status | jq -c "[.elbow.velocity, $1]"; }
limits_of() { # prints the position limits of these joints and their source
    for joint; do
        jq -c "select(.joint == \"$joint\" and .of == \"position\") | [.min,.max,.from]" <<<"$output"
    done | paste -sd ' '
}
stands() { same "$(elbow 0)" '[0,0]'; }

# datagrams HEX…: sends each to the simulator.
datagrams() {
    local port=${url#udp:127.0.0.1:}
    python3 -c 'import socket, sys
out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for text in sys.argv[2:]:
    out.sendto(bytes.fromhex(text), ("127.0.0.1", int(sys.argv[1])))' "${port%%\?*}" "$@"
}

# sending COMMAND…: starts the command and waits for its first control packet; $client is its process id.
sending() {
    under_way unitysim -v "$@"
    wait_for client "-> FF FF 01 14"
}

# rows FILE COUNT: writes a sequence of short motions of all joints.
rows() {
    python3 - "$2" >"$1" <<'PYTHON'
import sys
joints = ["Shoulder", "Elbow", "Wrist Rotate", "Wrist Flex", "Hand"]
print("Joint,Motion Type,Position,Velocity,Tolerance,Delay (ms)")
for i in range(int(sys.argv[1])):
    print(f"{joints[i % 5]},Auto,{2048 + (-1) ** (i // 5) * 40 + i},{45 if i % 2 else 90},10,{i % 3 * 20},")
PYTHON
}

scene40="FF FF 00 28 01 1E 00 00 01 00 00 01 00 00 01 00 00 01 00 00 01 00 00 01 04 04 01 0C A4 06 0A 0A 04 04 01 0C 16 03 00 0D 88 07 F0 0A 1B"
scene38="FF FF 00 26 ${scene40:12:120}1D"

# ---- Frames --------------------------------------------------------------------------------------

@test "encode and --dry-run print the exact bytes, with 40 or 38 for a scene; decode reads both" {
    gives "$scene40" unitysim encode scene scene=1 frame_rate=30
    gives "$scene38" unitysim -l 'udp:?compat=38' encode scene scene=1 frame_rate=30
    UNITYSIM_LINK='sim:?compat=38' gives "$scene38" unitysim encode scene scene=basic
    gives "$scene40" unitysim -l 'udp:?compat=40' encode scene scene=1
    fails 2 unitysim -l 'udp:?compat=39' encode scene scene=1
    for frame in "$scene40" "$scene38"; do
        ok unitysim decode -j --dir tx "$frame"
        same "$(json '[.msg,.scene,.frame_rate,.elbow.max,.camera.y]')" '["scene","basic",30,2570,0]'
    done
    ok unitysim --dry-run -l udp:256.0.0.1 scene basic
    same "${lines[1]}" "   $scene40"
    ok unitysim --dry-run -l 'udp:?compat=38' scene basic
    same "${lines[1]}" "   $scene38"
    ok unitysim --dry-run drive shoulder=-67 elbow=45 wrist_rotate=stop wrist_flex=keep hand=open
    same "${lines[1]}" "   FF FF 01 14 00 43 00 02 01 2D 00 01 02 00 00 00 03 00 00 03 04 5A 00 01 0F"
    ok unitysim --dry-run -j stop
    same "$(json .bytes)" '"FF FF 01 14 00 00 00 00 01 00 00 00 02 00 00 00 03 00 00 00 04 00 00 00 E0"'
    ok unitysim --dry-run camera set -185 500 0 66 270 0
    same "${lines[1]}" "   FF FF 02 26 B9 00 00 F4 01 01 00 00 01 42 00 01 0E 01 01 00 00 01 04 04 01 0C A4 06 0A 0A 04 04 01 0C 16 03 00 0D 88 07 F0 0A 3C"
    gives_json '[.ok,.dry_run,.elbow.ticks]' '[true,true,2048]' unitysim --dry-run -j move elbow=0deg
}

@test "the simulator accepts both scene sizes and counts damaged datagrams, and decode explains them" {
    simulator
    local damaged=("FF FF 03 FD" "FE FF 03 FC" "FF FF 00 28 D7" "FF FF 09 F6" "${scene40% *} 1C"
        "FF FF 01 14 00 E0")
    local reason=("checksum: " "header: " "size: " "unknown type 9" "checksum: " "size: ")
    datagrams "$scene40" "$scene38" "FF FF 03 00 FC" "${damaged[@]}"
    for ((k = 0; k < ${#damaged[@]}; k++)); do
        fails_with 5 "${reason[k]}" unitysim decode --dir tx "${damaged[k]}"
    done
    ok unitysim -q -l "$url" status # proves that all earlier datagrams were handled
    counters
    has "$line" "9 datagrams received, 3 accepted (0 partly, 1 of unusual size)"
    has "$line" "dropped for header 1, checksum 3, size 1, type 1"
    wait_for sim "last dropped: "
}

# ---- Several processes ---------------------------------------------------------------------------

@test "scene, move, camera, limits and watch can be used from other processes" {
    simulator
    fails_with 3 "load a scene: unitysim scene basic" unitysim -l "$url" --timeout 0.3s status
    gives_json '[.ok,.scene,.name,.result]' '[true,1,"basic","loaded"]' unitysim -j -l "$url" scene basic
    ok unitysim -j -l "$url" move elbow=2300 hand=2600
    same "$(json '[.ok,.result,(.elbow.ticks > 2289 and .elbow.ticks < 2311),(.hand.ticks > 2589 and .hand.ticks < 2611)]')" \
        '[true,"arrived",true,true]'
    gives_json '[.ok,.x,.y,.z,.rx,.ry,.rz]' '[true,-185,500,0,66,270,0]' unitysim -j -l "$url" camera get
    ok unitysim -j -l "$url" camera set y=700 rx=-10
    same "$(json '[.ok,.x,.y,.z,.rx,.ry,.rz]')" '[true,-185,700,0,350,270,0]' # ignores whole turns
    gives_json '[.ok,.result]' '[true,"sent"]' unitysim -j -l "$url" limits set elbow 1800 2200
    ok unitysim -j -l "$url" limits # the next process uses the saved limits; the camera is unchanged
    same "$(limits_of elbow hand)" '[1800,2200,"device"] [1928,2800,"device"]'
    gives_json '[.y,.rx]' '[700,350]' unitysim -j -l "$url" camera get
    refuses 6 unitysim -q -l "$url" move elbow=2300
    ok unitysim -q -j -l "$url" watch -n 3 # the elbow has returned into its limits
    same "$(json '[.msg,(.elbow.position <= 2230)]')" '["feedback",true]'
    ok unitysim -j -l "$url" scene basic # loading the scene restores the default limits
    ok unitysim -j -l "$url" move elbow=2300
}

# In real time, this test requires only a maximum rate; make bench measures the jitter.
@test "feedback arrives every 15 ms" {
    virtual_json watch -n 100
    same "$(jq -s '[.[].t * 1000 | round] | [.[0] + range(100) * 15] == .' <<<"$output")" true
    virtual_gives '[.n,.lost,(.feedback_n > 30),.feedback_p50_ms,.feedback_p99_ms]' '[5,0,true,15,15]' ping -n 5
    simulator --scene basic
    prints_lines 100 unitysim -q -j -l "$url" watch -n 100 # in real time, messages are never early
    same "$(jq -s '[.[].t] | (.[-1] - .[0]) / 99 * 1000 | . > 10' <<<"$output")" true
    gives_json '[.n,.lost]' '[5,0]' unitysim -q -j -l "$url" --timeout "${patience}s" ping -n 5
}

@test "status and ping print a table, and one record with -j" {
    ok unitysim -q -l "$fast" status
    matches "${lines[0]}" "joint * target * actual unit * fault * age *"
    matches "${lines[2]}" "elbow * - * 0.00 deg * - * 0.???s * 2048 * 0"
    has "${lines[6]}" "grasp x=-482.2mm y=124.3mm z=0.0mm"
    ok unitysim -q -j -l "$fast" status
    same "$(json '[.elbow.ticks, .elbow.actual, .elbow.unit, .elbow.target, .elbow.fault, .grasp.x]')" \
        '[2048,0,"deg",null,null,-482.2]'
    ok unitysim -q -l "$fast" ping -n 1
    matches "${lines[0]}" " * n * lost * min/ms * mean/ms * p50/ms * p95/ms * p99/ms * max/ms"
    matches "${lines[3]}" "feedback *"
    same "${#lines[@]}" 4
}

@test "list finds a running simulator without sending anything" {
    gives_json '.link' '"udp:127.0.0.1:30004?listen=30005"' unitysim -j list
    if [ "$(json '[.simulator,.client]')" = '[false,false]' ]; then
        start sim unitysim sim --scene 1
        listed() { unitysim -j list | jq -c '[.simulator,.feedback,.client]'; }
        becomes '[true,true,false]' listed # list listens for 0.2 s
        counters
        has "$line" "unitysim: 0 datagrams received"
    fi
}

@test "list --dry-run prints nothing, also while another client has the port" {
    python3 -c 'import socket, time
client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
try:
    client.bind(("", 30005))
except OSError:
    pass  # another test uses the port
print("bound", flush=True)
time.sleep(60)' >port 3>&- &
    started+=("$!")
    until grep -qs bound port; do sleep 0.05; done
    gives "" unitysim --dry-run list
}

@test "a second client on the port and a missing listener are reported" {
    simulator --scene 1
    mkfifo seen
    unitysim -q -l "$url" watch >seen 2>/dev/null 3>&- &
    started+=("$!")
    exec {seen}<seen
    read -r -t "$patience" line <&"$seen" # proves that it has the port
    fails_with 4 "end that client, or use another port at both ends" unitysim -l "$url" status
    end "${started[-1]}"
    end "$pid"
    exits_with 3 "no program is listening" unitysim -l "$url" --timeout 0.3s scene basic
}

@test "another client that drives the arm is reported" {
    simulator --scene 1
    port=${url#udp:127.0.0.1:}
    python3 - "${port%%\?*}" 3>&- <<'PYTHON' &
import socket
import sys
import time
frame = bytes.fromhex("FF FF 01 14 00 00 00 00 01 14 00 01 02 00 00 00 03 00 00 00 04 00 00 00")
frame += bytes([~sum(frame[2:]) & 0xFF])
out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
while True:  # often enough that this is always the arm's last command
    out.sendto(frame, ("127.0.0.1", int(sys.argv[1])))
    time.sleep(0.001)
PYTHON
    started+=("$!")
    sending -l "$url" drive elbow=-45 <<<""
    wait_for client "commands the arm"
    exec {trace}<&-
    end_by TERM 143
}

# ---- Motions -------------------------------------------------------------------------------------

@test "move accepts ticks, degrees and hand names, and exits 3 if the target is not reached" {
    virtual_gives '[.ok,.result]' '[true,"arrived"]' move elbow=7.6deg wrist_flex=-30deg hand=open shoulder=2100
    same "$(json '[.elbow.ticks - 2134, .wrist_flex.ticks - 1707, .hand.ticks - 2800, .shoulder.ticks - 2100] | map(. >= -10 and . <= 10) | all')" true
    same "$(json '(.elbow.actual - (.elbow.ticks * 360 / 4096 - 180)) | . < 0.01 and . > -0.01')" true
    virtual_gives '.elbow.ticks - 2100 | . >= -3 and . <= 3' true move elbow=2100 velocity=20deg/s tolerance=3
    prints "result=arrived elbow.ticks=2" unitysim -q -l "$fast" <<<'{"cmd":"move","elbow":2100}'
    run -3 --separate-stderr unitysim -q -j -l "$fast&stuck=elbow" move elbow=2300 hand=2600 timeout=3s
    same "$(json '[.ok,.error,.result,.elbow.ticks]')" '[false,"timeout","not-reached",2048]'
    has "$stderr" "elbow at 2048, target 2300 ticks"
    exits_with 3 "no feedback" unitysim -q -l "$fast&scene=0" move elbow=2300
}

@test "limits and names are checked before anything is sent" {
    refuses_with 6 "out of range (1700 to 2570" unitysim -q -l "$fast" move elbow=2571
    refuses 6 unitysim -q -l "$fast" move elbow=90deg
    refuses 6 unitysim -q -l "$fast" move elbow=2100 velocity=46
    refuses 6 unitysim -q -l "$fast" drive hand=+91
    refuses_with 2 "did you mean 'elbow'?" unitysim -q -l "$fast" move ebow=2100
    refuses_with 2 "did you mean 'velocity'?" unitysim -q -l "$fast" move elbow=2100 velocty=4
    refuses 2 unitysim -q -l "$fast" move velocity=4
    refuses 2 unitysim -q -l "$fast" move elbow=nan
    refuses 2 unitysim -q -l "$fast" move elbow=30mm
    refuses 2 unitysim -q -l "$fast" move elbow=2100 elbow=2200
    refuses 2 unitysim -q -l "$fast" drive
    refuses_with 2 "did you mean 'slam-dunk'?" unitysim -q -l "$fast" scene slam-duck
    refuses 6 unitysim -q -l "$fast" scene 256
    virtual move elbow=2571 --force --timeout 1s || true
    ok unitysim -q -l "$fast" move hand=2700 velocity=200 --force
}

@test "drive moves for a time, stops at a joint's limit, and --clamp limits the speed" {
    virtual_json drive elbow=+45 hand=close --for 0.5s
    same "$(json '[.ok,.result,(.elbow.ticks > 2180 and .elbow.ticks < 2260),(.hand.ticks < 2040)]')" '[true,"stopped",true,true]'
    simulator --scene 1
    ok unitysim -q -l "$url" drive elbow=-30deg/s --for 0.3s
    stands
    printf '[joint elbow]\nmin = 2000\nmax = 2100\n' >u.ini
    for drive in elbow=+45 elbow=-45; do
        virtual_json --config u.ini drive $drive --for 3s
        same "$(json '[.result, (.elbow.ticks > 1985 and .elbow.ticks < 2115)]')" '["stopped",true]'
    done
    ok unitysim --config u.ini -l "$fast" drive elbow=+45 --for 3s
    has "$stderr" "elbow: stopped at 2104 ticks, its limit is 2100"
    gives_json '.elbow.ticks < 1720' true unitysim -q -j -l "$fast" --config u.ini drive elbow=-45 --for 3s --force
    remarks_no "limit" unitysim -l "$fast" drive hand=open --for 3s # up to the limit of the simulator
    ok unitysim -v -q -j -l "$fast" drive elbow=-1000 hand=5 --clamp --for 0.05s
    has "$stderr" "elbow.velocity=45 elbow.state=decrease"
    same "$(json .clamped)" 1
    fails 2 unitysim -q -l "$fast" drive elbow=fast --clamp
    fails 2 unitysim -q -l "$fast" drive elbow=nan --clamp
}

@test "a control record drives until the next one, silence or the end of input" {
    simulator --scene 1
    mkfifo lines
    exec {lines}<>lines
    echo '{"msg":"control","elbow":{"velocity":10,"state":"increase"}}' >&"$lines"
    sending -l "$url" --deadman 2s -j <lines
    echo '{"msg":"control","elbow":{"velocity":45,"state":"increase"}}' >&"$lines"
    wait_for client "elbow.velocity=45 elbow.state=increase"
    wait_for client "no input for"
    ended 3
    stands
    ok unitysim -q -j -l "$url" <<<'{"msg":"control","elbow":{"velocity":45,"state":"increase"}}'
    stands
}

@test "teach and teleop are refused if standard input is the script" {
    fails 2 unitysim -q -l "$fast" <<<$'teach points.csv\n\nq'
    has "$why" "stdin:1:1: teach: standard input is already the script"
    printf '[teleop emg]\nenable = on\nelbow1 = elbow velocity 50%%\n' >emg.ini
    fails 2 unitysim -q --config emg.ini -l "$fast" <<<$'teleop --map emg --channels -\non,elbow1\n1,0'
    has "$why" "stdin:1:1: teleop: standard input is already the script"
    start served unitysim -l sim: serve
    ok unitysim -q teach points.csv <<<$'\nq'
    ok unitysim -q teach points.csv --every 20ms --for 0.1s
}

@test "jog moves from the joint's position, in ticks or deg" {
    while IFS='|' read -r words joint low high; do
        ok unitysim -q -j -l "$fast" jog $words
        same "$words: $(json "[.cmd,.result,(.$joint.ticks >= $low and .$joint.ticks <= $high)]")" "$words: [\"jog\",\"arrived\",true]"
    done <<'END'
elbow +50|elbow|2095|2101
elbow -5deg|elbow|1988|1994
elbow 0.1rad|elbow|2110|2116
hand 10tick|hand|2055|2061
END
    refuses 6 unitysim -q -l "$fast" jog elbow +2000
    refuses 2 unitysim -q -l "$fast" jog elbow 5kg
    refuses 2 unitysim -q -l "$fast" jog elbo +5
    refuses_with 2 "no terminal" unitysim -q -l "$fast" jog elbow </dev/null
    prints_like "*elbow.ticks=2[01]??*" unitysim -q -l "$fast" move elbow=+2100 # numbers are absolute except in jog
}

@test "limits come from a file, the config file or earlier commands" {
    printf '# narrow\nelbow 2000 2100\n' >narrow
    virtual_json limits --limits narrow
    same "$(limits_of elbow)" '[2000,2100,"narrow"]'
    refuses 6 unitysim -q -l "$fast" --limits narrow move elbow=2150
    config unitysim '[joint hand]' 'max = 45deg'
    ok unitysim -j limits
    same "$(limits_of hand elbow)" '[1928,2560,"table, config"] [1700,2570,"table"]'
    ok unitysim limits save all
    same "$(tail -n 1 all)" "hand 1928 2560"
    ok unitysim -q -l "$fast" limits load all
    printf 'elbow 2000 2100\nelbow 1 2\n' >twice
    refuses_with 2 "twice:2:1: duplicate joint elbow" unitysim -q -l "$fast" limits load twice
    refuses 6 unitysim -q -l "$fast" limits set elbow 2100 2000
    refuses 2 unitysim -q -l "$fast" limits set elbow
    config unitysim '[joint hnd]' 'max = 45deg'
    fails_with 2 "did you mean 'hand'?" unitysim limits
}

@test "camera views are saved, replaced, used and listed in the published file format" {
    ok unitysim -q -l "$fast" camera save front
    same "$(<"$D/config/armwire/CameraViews.csv")" "front,-185,500,0,66,270,0"
    printf 'Default,0,0,0,0,0,0\nTop Down,0,900,0,90,270,0,\n' >v.csv
    gives_json '[.view,.y,.rx]' '["Top Down",900,90]' unitysim --views v.csv -j camera views
    gives_json '[.ok,.x,.y,.rx]' '[true,0,900,90]' unitysim -q -j -l "$fast" --views v.csv camera use "top down"
    virtual_json --views v.csv camera save Default
    same "$(head -n 1 v.csv)" "Default,-185,500,0,66,270,0"
    virtual_json --views v.csv scene 4 --camera "Top Down"
    refuses_with 2 "did you mean 'Top Down'?" unitysim -q --views v.csv -l "$fast" camera use "Top Dwn"
    refuses 2 unitysim -q --views v.csv -l "$fast" scene 4 --camera nothing
    echo 'a,1,2,3,4,x,6' >bad.csv
    fails_with 5 "bad.csv:1:11: ry: 'x'" unitysim --views bad.csv camera views
    refuses 6 unitysim -q -l "$fast" camera set 70000 1 2 3 4 5
    fails 6 unitysim -q --force -l "$fast" camera set 1e39 1 2 3 4 5 # beyond the range of integers
    fails 6 unitysim -q --force -l "$fast" camera set y=4294967396
}

@test "a gap in the feedback is reported, and the move completes after it" {
    simulator --scene 1
    sim=$pid
    sending -l "$url" move wrist_rotate=2900 velocity=40 timeout=20s
    kill -STOP "$sim"
    wait_for client "02 00 00 00 03 00 00 00 04 00 00 00 E0  control" # stops all joints
    kill -CONT "$sim"
    ended 0
    has "$rest" "no feedback for"
    has "$(<client.out)" "result=arrived"
    pid=$sim
}

# ---- Sequences -----------------------------------------------------------------------------------

@test "a sequence of 30 rows reaches each position, also with 20 % loss; --for ends a loop" {
    rows thirty.csv 30
    gives_json '[.ok,.result,.rows,.rounds]' '[true,"played",30,1]' unitysim -q -j -l "$fast" play thirty.csv
    same "$(grep -c '"row":' <<<"$output")" 30
    for seed in 1 2 3; do
        ok unitysim -q -j -l "$fast&drop=20%&seed=$seed" play thirty.csv --repeat 2
        same "$(json '[.ok,.result,.rows,.rounds]')" '[true,"played",30,2]'
    done
    simulator --scene 1
    rows ten.csv 10
    gives_json '[.ok,.rows]' '[true,10]' unitysim -j -l "$url&drop=20%&seed=4" play ten.csv
    has "$stderr" "feedback messages were lost"
    stands
    ok unitysim -q -j -l "$fast" <<<$'play thirty.csv\nstatus'
    # Positions in the last row of each joint.
    same "$(jq -sc '.[-1] | [.shoulder.ticks - 2033, .elbow.ticks - 2034, .wrist_rotate.ticks - 2035, .wrist_flex.ticks - 2036, .hand.ticks - 2037]
        | map(. >= -12 and . <= 12) | all' <<<"$output")" true
    ok timeout "$patience" unitysim -q -j -l "$fast" play thirty.csv --loop --for 3s
    same "$(json '[.ok,.result]')" '[true,"stopped"]'
    same "$(json '.ms >= 3000 and .ms < 4500')" true
}

@test "an invalid row is reported with its line, and nothing is sent" {
    simulator
    rows broken.csv 30
    sed -i '17s/Auto/Atuo/' broken.csv
    refuses_with 5 "broken.csv:17:" unitysim -q -l "$url" play broken.csv
    has "$why" "did you mean 'Auto'?"
    rows broken.csv 30
    sed -i '31s/,90,10/,90,2/; 31s/,45,10/,45,2/' broken.csv
    refuses_with 6 "broken.csv:31:" unitysim -q -l "$url" play broken.csv
    refuses 2 unitysim -q -l "$url" play nowhere.csv
    counters
    has "$line" "unitysim: 0 datagrams received"
}

@test "play fails at a row that times out, and limits a target that is out of range" {
    printf 'Joint,Motion Type,Position,Velocity,Tolerance,Delay (ms)\nHand,Auto,2100,90,10,0,\nElbow,Auto,2300,45,10,0,\n' >s.csv
    run -3 --separate-stderr unitysim -q -j -l "$fast&stuck=elbow" play s.csv --row-timeout 2s
     has "$stderr" "s.csv:3:1: timed out after 2 s: elbow at 2048, target 2300 ticks — check the scene for joint limits and obstacles"
    same "$(json '[.ok,.result]')" '[false,"not-finished"]'
    printf 'Joint,Motion Type,Position,Velocity,Tolerance,Delay (ms)\nElbow,Auto,4000,45,10,0,\n' >s.csv
    remarks "s.csv:2:1: elbow 4000 is out of range (1700 to 2570" unitysim -j -l "$fast" play s.csv
    has "${lines[0]}" '"goal":2570'
}

@test "commands work with the URL that a simulator with reply=sender prints" {
    start sim unitysim sim --scene 1 --listen "udp-listen:0?reply=sender"
    has "$url" "?listen=0&greet=1"
    ok unitysim -q -l "$url" status
    ok unitysim -q -l "$url" move elbow=2300
}

@test "a row of type User waits for another program's motion" {
    simulator --scene 1
    other=${url/listen=*/listen=0}
    printf 'Joint,Motion Type,Position,Velocity,Tolerance,Delay (ms)\nElbow,User,2300,45,20,0,\nHand,Auto,2100,90,10,0,\n' >s.csv
    mkfifo said
    unitysim -q -j -l "$url" play s.csv >said 2>err 3>&- &
    client=$!
    started+=("$client")
    exec {fd}<said
    said[player]=$fd
    wait_for player '"kind":"user"'
    background unitysim -q -l "$other" drive elbow=+45 >/dev/null 2>&1
    wait_for player '"joint":"hand"'
    end "$!"
    wait_for player '"cmd":"play"'
    same "$(jq -c '[.ok,.result]' <<<"$line")" '[true,"played"]'
}

@test "teach records points from standard input, and play plays them" {
    printf '\n\nq\n' | { ok unitysim -l "$fast" teach t.csv; }
    same "$(wc -l <t.csv)" 6
    same "$(sed -n 4p t.csv)" "Wrist Rotate,Auto,2048,90,10,0,"
    virtual_json play t.csv
    fails_with 2 "no positions recorded" unitysim -q -l "$fast" teach u.csv </dev/null
    fails_with 7 "/dev/full: No space left on device" unitysim -q -l "$fast" teach /dev/full <<<$'\nq'
    simulator --scene 1
    other=${url/listen=*/listen=0}
    background unitysim -q -l "$other" drive elbow=+30 >/dev/null 2>&1
    ok unitysim -q -l "$url" teach moving.csv --every 100ms --for 1s --velocity 20
    end "$!"
    [ "$(grep -c 'Elbow,Auto,.*,20,10,0,' moving.csv)" -gt 2 ]
}

# ---- Failures and interrupts ---------------------------------------------------------------------

@test "a signal stops move and play, and the stop is reported" {
    simulator --scene 1
    rows thirty.csv 30
    for command in "move elbow=2500 velocity=10" "play thirty.csv"; do
        sending -l "$url" -j $command
        ended 143 TERM
        has "$rest" "stopped: all joints"
        same "$(tail -n 1 client.out | jq -c '[.ok,.error,.exit]')" '[false,"stopped",143]'
        stands
    done
}

@test "records of commands are replayed as commands, with their results" {
    control=$(unitysim encode control elbow.velocity=45 elbow.state=increase)
    { printf '%s\n' "$control" "$control" "$control" "$control" "$control" "$control" "$control"
      unitysim encode update camera.y=400 elbow.max=2400
      unitysim encode camera_request; } | unitysim decode -j --dir tx >commands
    echo status >>commands
    ok unitysim -q -j -l "$fast" <commands
    same "$(jq -c 'select(.y) | [.cmd,.ok,.y]' <<<"$output" | xargs)" \
        "[update,true,400] [camera_request,true,400]"
    same "$(json '.elbow.ticks > 2060')" true
    fails 6 unitysim -q -l "$fast" <<<'{"msg":"control","elbow":{"velocity":46,"state":"increase"}}'
    fails 6 unitysim -q -l "$fast" <<<'{"msg":"update","elbow":{"min":2400,"max":1800}}'
    fails 6 unitysim -q -l "$fast" <<<'{"msg":"scene","scene":1,"frame_rate":1e300}'
    fails 2 unitysim -q -l "$fast" <<<'{"msg":"scene","scene":1,"frame":1}'
}

@test "replay repeats a recorded motion and stops the arm at its end" {
    simulator --scene 1
    ok unitysim -q -l "$url" --record drive.pcapng drive elbow=-20 --for 0.3s
    cp drive.pcapng cut.pcapng
    until unitysim decode cut.pcapng 2>/dev/null | grep ' control ' | tail -n 1 | grep -q elbow.velocity=20; do
        truncate -s -100 cut.pcapng # removes the stop from the recording
        [ -s cut.pcapng ]
    done
    ok unitysim -q -l "$url" scene basic
    gives_json '[.ok,(.sent > 0)]' '[true,true]' unitysim -q -j -l "$url" replay cut.pcapng
    stands
    same "$(elbow '(.elbow.ticks < 2040)')" '[0,true]'
    ok unitysim -q -l "$url" --record fast.pcapng drive elbow=+60 --for 0.1s --force
    refuses_with 6 "elbow.velocity: 60 is out of range (max 45)" unitysim -q -l "$url" replay fast.pcapng
    sending -l "$url" replay drive.pcapng --loop
    ended 129 HUP
    stands
}

@test "the prompt ends at Ctrl-D directly after Ctrl-C, also during a stop" {
    simulator --scene 1
    terminal <<<"
        launch unitysim -l $url; want {unitysim> }
        ask {drive elbow=+30 -v} {FF FF 01 14}
        type \003\004
        want {stopped: all joints}
        ends 0"
    terminal <<<"
        launch unitysim -l $url; want {unitysim> }
        type scene\ sla\003\004; ends 0"
    terminal <<<"
        launch unitysim -l $url; want {unitysim> }
        ask {drive elbow=+30 -v} {FF FF 01 14}
        type \003
        type help\ limits\n\004
        want {stopped: all joints} {show, set, load or save the limits of the joints}
        ends 0"
    stands
}

# ---- Views ---------------------------------------------------------------------------------------

@test "view in a pipe prints one picture without control characters, in ASCII without UTF-8" {
    prints "from above" unitysim -q -l "$fast" view
    has "$output" "elbow         2048     0.0" "⣀"
    hasnt "$output" $'\e'
    LC_ALL=C virtual view
    same "$(LC_ALL=C grep -c '[^ -~]' <<<"$output")" 0
    has "$output" "|--"
}

@test "Ctrl-Z returns the terminal to the shell, and fg returns it to view" {
    export TERM=xterm
    terminal <<<"
        launch env {PS1=shell> } bash --norc --noprofile -i; want {shell> }
        ask {unitysim -q -l sim: view} wrist_flex
        type \032; want \[?1049l Stopped {shell> }
        ask fg \[?1049h wrist_flex
        type q; want \[?1049l {shell> }
        ask {echo status \$?} {status 0} {shell> }
        type exit\r; ends 0"
}

@test "complete lists joints, scenes, views and models" {
    prints "elbow=" unitysim complete -- drive ""
    has "$output" "hand=open"
    prints "cup-stacking" unitysim complete -- scene ""
    echo 'Top,0,900,0,90,270,0' >v.csv
    UNITYSIM_VIEWS=v.csv prints "Top" unitysim complete -- scene 4 --camera ""
    prints "nominal" unitysim complete -- sim --model ""
}

# ---- Missing and foreign simulators --------------------------------------------------------------

@test "commands without a simulator exit 3 and name the missing peer" {
    url="udp:127.0.0.1:$(free_port)?listen=$(free_port)"
    while IFS='|' read -r command why; do
        run -3 --separate-stderr unitysim -q -j -T 200ms -l "$url" $command
        echo "# $command: $stderr"
        has "$stderr" "$why"
        same "$(json '[.ok,.exit]')" '[false,3]'
    done <<'END'
stop|stop sent, no feedback: no program is listening at 127.0.0.1:
drive elbow=45 --for 0.1s|stop sent, no feedback: no program is listening at 127.0.0.1:
control elbow.velocity=10 elbow.state=increase|stop sent, no feedback: no program is listening
record r.csv --for 0.1s|record: no data received — check the simulator with 'list'
record r.pcapng --for 0.1s|record: no messages received
watch --for 0.1s|watch: no messages received
watch -n 3 --for 0.1s|watch: no messages received
status|no feedback
END
}

@test "feedback from other addresses than the peer's is refused" {
    home=$(free_port) ours=$(free_port)
    url="udp:127.0.0.1:$home?listen=$ours"
    # Sends elbow feedback of 2300 every 15 ms from another address of this machine.
    python3 -c 'import socket, sys, time
out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
out.bind(("127.0.0.2", 0))
while True:
    out.sendto(bytes.fromhex(sys.argv[2]), ("127.0.0.1", int(sys.argv[1])))
    time.sleep(0.015)' "$ours" "$(unitysim encode --dir rx feedback shoulder.position=2048 shoulder.velocity=0 \
        elbow.position=2300 elbow.velocity=0 wrist_rotate.position=2048 wrist_rotate.velocity=0 \
        wrist_flex.position=2048 wrist_flex.velocity=0 hand.position=2048 hand.velocity=0)" 3>&- &
    started+=($!)
    run -3 --separate-stderr unitysim -j -l "$url" move elbow=2300 timeout=2s
    same "$(json .ok)" false
    has "$stderr" "refused a datagram from 127.0.0.2:"
    gives_json .ok true unitysim -j -l "$url&from=any" move elbow=2300 timeout=60s
}

@test "play reads unitysim's recordings, and record and plot use degrees" {
    unitysim -q -l "$fast" --record run.pcapng move elbow=2300
    ok unitysim -q -l log:run.pcapng record run.csv
    same "$(head -1 run.csv)" "t,shoulder.position,elbow.position,wrist_rotate.position,wrist_flex.position,hand.position"
    matches "$(tail -1 run.csv)" "*,0,21.*,0,0,0"
    gives_json .joints 5 unitysim -q -j -l "$fast" play run.csv
    ok unitysim -q -l "$fast" record rest.csv --for 0.3s
    ok unitysim -q -l "$fast" play rest.csv
    for file in run.csv run.pcapng; do
        ok unitysim plot "$file" elbow.position
        matches "${lines[0]}" "*elbow.position *21.* deg*"
    done
    ok unitysim -q -l "$fast" plot elbow.position --for 0.3s
    matches "${lines[0]}" "*elbow.position *0.000 deg*"
    printf '# one joint\nelbow\n0\n5\n' >one.csv
    gives_json '[.joints, .duration]' '[1,0.5]' unitysim -q -j -l "$fast" play one.csv --every 500ms
    fails_with 5 "or give --columns elbow --every 20ms" unitysim -q -l "$fast" play one.csv
}
