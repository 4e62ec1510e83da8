#!/usr/bin/env bats
# teleop with gamepad records in virtual time, and keys on a terminal. tests/unit/control/test_teleop.c tests the
# rules.
load common

# pad TIME=CONTROL:VALUE…: writes pad.ndjson with these events; see pad_player.py. hold is the enabling button.
pad() {
    printf '%s\n' "$@" | tr '=:' '  ' >pad.events
    "$root/tests/cli/pad_player.py" --channels pad.events >pad.ndjson
}

# played TOOL WORD…: runs the tool with a stand-in for armwire-pad that plays pad.events in real time. Replaces
# the shell.
played() {
    mkdir -p played
    [ -e "played/$1" ] || cp "$BIN/$1" played/
    cp "$root/tests/cli/pad_player.py" played/armwire-pad
    exec "$D/played/$1" "${@:2}"
}

drive() { hidmotor -q -l "$fast" teleop --channels pad.ndjson "$@"; }

# ends_of MOTOR: prints its first and last setpoint, rounded to degrees.
ends_of() {
    hidmotor -q -j decode run.pcapng --dir tx |
        jq -r "select(.msg == \"set_setpoints\") | .$1 | round" | sed -n '1p;$p' | xargs
}

@test "a stick moves its joint while the button is held, also if stick and button change at the same time" {
    pad 0.5=hold:1 1.0=lefty:-1 2.0=hold:0 2.5=lefty:0
    ok drive --record run.pcapng -j
    same "$(jq -c '[.cmd, .result, .stops]' <<<"$output")" '["teleop","ended",1]'
    [ "$(jq '.stop_ms < 20' <<<"$output")" = true ]
    read -r first last <<<"$(ends_of m2)"
    # A quarter of the maximum 200 deg/s for a second.
    [ "$first" -le 3 ]
    within 44 "$last" 51
    pad 0.5=hold:1 0.5=lefty:-1 2.0=hold:0
    ok drive --record run.pcapng -j
    read -r first last <<<"$(ends_of m2)"
    [ $((last - first)) -gt 20 ]
    pad 0.5=hold:1 1.0=lefty:-1 1.5=y:1 2.0=hold:0
    ok drive -j --record run.pcapng
    same "$(jq -c '[.stops, .marks]' <<<"$output")" '[1,1]'
    has "$(hidmotor -q info run.pcapng)" success
}

@test "during 45 button presses, teleop moves only the joint of the stick, also with custom packets" {
    local packets events=() i
    for ((i = 0; i < 45; i++)); do
        events+=("$i.1=hold:1" "$i.2=lefty:$((i % 2 ? 32767 : -32768))" "$i.4=hold:0" "$i.6=lefty:0")
    done
    pad "${events[@]}"
    config hidmotor '[teleop mine]' 'enable = rightshoulder' 'lefty = m2 velocity -40deg/s'
    for packets in '' "$root/docs/example/arm42.packets"; do
        printf '%s\n' 'move 20 10 -30 --wait' 'teleop --channels pad.ndjson --map mine' 'move m2=10 --wait' >lines
        ok hidmotor -q -l "$fast" ${packets:+--packets "$packets"} --record run.pcapng -j run lines
        same "$(grep teleop <<<"$output" | jq .stops)" 45
        same "$(hidmotor -q -j decode run.pcapng --dir tx ${packets:+--packets "$packets"} |
            jq -c 'select(.msg == "pid" or .msg == "set_setpoints") | [.m1, .m3] | map(.setpoint? // . | round)' |
            tail -n 1)" '[20,-30]'
    done
}

@test "custom joints are driven and held at their final position" {
    pad 0.5=hold:1 1.0=lefty:-1 2.0=hold:0 2.5=lefty:0
    config hidmotor '[teleop mine]' 'enable = rightshoulder' 'lefty = m2 velocity -40deg/s'
    export HIDMOTOR_PACKETS=$root/docs/example/arm42.packets
    ok drive --map mine --record run.pcapng -j
    same "$(jq -c '[.cmd, .result, .stops]' <<<"$output")" '["teleop","ended",1]'
    read -r first last <<<"$(hidmotor -q -j decode run.pcapng --dir tx |
        jq -r 'select(.msg == "pid") | .m2.setpoint // empty | round' | sed -n '1p;$p' | xargs)"
    [ "$first" -le 3 ]
    within 9 "$last" 11 # a quarter of 40 deg/s for a second
    same "$(hidmotor -q -j decode run.pcapng --dir tx | jq -r .msg | sort -u | xargs)" "pid status"
}

@test "one stick of a config file's map moves two joints" {
    pad 0.5=hold:1 1.0=lefty:-1 2.0=hold:0 2.5=lefty:0
    config hidmotor '[teleop both]' 'enable = rightshoulder' 'lefty = m2 velocity -40deg/s' \
        'lefty = m3 velocity 40deg/s'
    ok drive --map both --record run.pcapng # at a quarter of the speed
    read -r _ last <<<"$(ends_of m2)"
    within 8 "$last" 12
    read -r _ last <<<"$(ends_of m3)"
    within -12 "$last" -8
}

@test "armctl, unitysim, canpid and ezphys move by the expected distance and stop on release" {
    pad 0.5=hold:1 1.0=lefty:-1 2.0=hold:0 2.5=lefty:0
    printf '%s\n' '[joint lift]' 'index = 2' 'min = -180' 'max = 180' >middle.ini # teleop starts at the middle of the range
    while IFS='|' read -r tool words field least most; do
        stderr=stalled
        while [[ $stderr == *stalled* ]]; do # repeats a run that a busy machine stopped; ezphys has no virtual clock
            begun_ms=$((${EPOCHREALTIME/./} / 1000))
            ok $tool $words teleop --channels pad.ndjson --record run.pcapng
        done
        has "$output" 'result=ended stops=1'
        # The events take 2.5 s. A stall of this machine shortens the motion.
        [ $((${EPOCHREALTIME/./} / 1000 - begun_ms)) -lt 3300 ] || least=0
        moved=$("$tool" -q decode run.pcapng -j | jq "select($field != null and (.id // 1) == 1) | $field" |
            sort -g | awk 'NR == 1 { a = $1 } { b = $1 } END { print b - a }')
        [ "$(jq -n "$moved >= $least and $moved <= $most")" = true ] || {
            echo "$tool: $moved is not from $least to $most" && false
        }
    done <<END
armctl|--config middle.ini --force -l $fast|.angle|38|46
unitysim|-l $fast|.elbow.position|70|90
canpid|-l $fast -c pos -b lknee|.measured|0.1|2
ezphys|-l sim:cart-pole|.displacement|0.4|0.6
END
    fails_with 2 '-c' canpid -q -l "$fast" teleop --channels pad.ndjson
}

@test "teleop rejects invalid maps and missing gamepads before anything moves" {
    pad 0.5=hold:1
    fails_with 2 "map 'legs' not found — available: arm" drive --map legs
    fails_with 2 'needs a terminal' hidmotor -q -l sim: teleop --keys
    fails 4 hidmotor -q -l sim: teleop --pad file:nothing
    fails 4 hidmotor -q -l sim: teleop --pad /dev/null
    config hidmotor '[teleop mine]' 'leftx = elbow velocity 30deg/s'
    fails_with 2 'no enabling button' drive --map mine
    config hidmotor '[teleop mine]' 'enable = a' 'leftx = wrist velocity 30deg/s'
    fails_with 2 "joint 'wrist' not found" drive --map mine
}

# arm LINE…: runs a script of armctl in virtual time; the arm has a lift and a gripper.
arm() {
    printf '%s\n' '[joint lift]' 'index = 2' 'max = 180' '[joint grip]' 'index = 5' 'kind = pulse' \
        'min = 1040' 'max = 1600' >arm.ini
    printf '%s\n' "$@" >script
    rm -f run.pcapng
    armctl --config arm.ini -l "${slow:-$fast}" --record run.pcapng run script
}

# steps_of JOINT: prints the sent targets without repetitions.
steps_of() { armctl -q -j decode run.pcapng --dir tx | jq -r "select(.joint == $1) | .angle // .pulse" | uniq | xargs; }

@test "armctl: steps are confirmed one by one while the button is held, and need a known position" {
    pad 0.5=hold:1 1.0=lefty:-1 2.0=hold:0 2.5=lefty:0
    fails 6 armctl -q --config <(printf '[joint lift]\nindex = 2\n') -l "$fast" teleop --channels pad.ndjson
    has "$why" 'no joint has confirmed its position — move lift once, or give --force'
    fails 2 armctl -q -l "$fast" teleop --channels pad.ndjson
    has "$why" "no joint of the map handler is configured — add [joint NAME] sections with an index"
    prints 'teleop result=ended stops=1' arm 'deg lift 90' 'teleop --channels pad.ndjson'
    has "$stderr" 'teleop: position unknown for grip: not driven — move each once'
    # A quarter of half the range per second, in whole degrees. The last target is the stop.
    same "$(steps_of 2)" "$(seq 90 2 114 | xargs)"
    # Each command has been confirmed before the next one is sent.
    same "$(armctl -q -j decode run.pcapng | jq -r 'select(.msg == "deg") | .dir' | head -n -2 | uniq -d)" ''
    ok arm 'teleop --force --channels pad.ndjson'
    same "$(steps_of 2 | cut -d' ' -f1)" 92 # starts at the middle of the range
}

@test "armctl: no step starts after a release, and presses during a step are ignored" {
    # Steps take 2.5 s. During one, the button is released and pressed again, with the stick deflected.
    pad 0.5=hold:1 1.0=lefty:-1 1.5=hold:0 1.6=hold:1 9.0=alive
    slow="$fast&turn-speed=0.8deg/s"
    ok arm '--confirm-timeout 600s deg lift 20' '--confirm-timeout 600s teleop --channels pad.ndjson'
    same "$(steps_of 2)" '20 22'
    has "$output" stops=2
    # While the button is held, the next steps follow at the arm's speed.
    pad 0.5=hold:1 1.0=lefty:-1 7.0=hold:0
    ok arm '--confirm-timeout 600s deg lift 20' '--confirm-timeout 600s teleop --channels pad.ndjson'
    same "$(steps_of 2)" '20 22 24 26'
}

@test "armctl: releasing the button aborts a step at once" {
    start sim armctl sim --listen tcp-listen:127.0.0.1:0 --turn-speed 1deg/s
    printf '%s\n' '[joint lift]' 'index = 2' 'max = 180' >arm.ini
    pad 0.5=hold:1 1.0=lefty:-1 1.5=hold:0
    printf '%s\n' 'deg lift 2' 'teleop --channels pad.ndjson' >script
    prints 'teleop result=ended stops=1' armctl --config arm.ini -l "$url" --record run.pcapng run script
    # The step takes 2 s; until then, the stop returns to the last confirmed position.
    armctl -q -j decode run.pcapng --where 'msg=deg' | jq -r '"\(.dir)\(.angle)"' | tail -n 4 >said
    matches "$(xargs <said)" '*tx4 tx2 tx2*'
    stop_ms=${output##*stop_ms=}
    [ "${stop_ms%.*}" -lt 100 ]
    # The q key aborts a long first step, too.
    printf '[joint lift]\nindex = 2\nspeed = 5\nmax = 180\n' >slow.ini
    TERM=xterm terminal 80 <<<"
        launch armctl -q --config slow.ini -l sim: teleop --force --keys
        want {stopped: press a key}
        type \033\[A
        want {RUNNING}
        type q
        set timeout 3
        want {teleop result=left stops=1}
    "
}

@test "armctl: a delay during a step stops the motion and is reported" {
    start sim armctl sim --listen tcp-listen:127.0.0.1:0 --turn-speed 20deg/s
    printf '%s\n' '[joint lift]' 'index = 2' 'max = 180' >arm.ini
    pad 0.3=hold:1 0.6=lefty:-1 4.0=hold:0
    printf '%s\n' 'deg lift 20' 'teleop --channels pad.ndjson' >script
    background armctl -v --config arm.ini -l "$url" run script >result 2>trace
    until [ "$(grep -c -- '-> .* deg ' trace)" -gt 3 ]; do sleep 0.02; done
    kill -STOP $!
    sleep 0.3 # the watchdog process stops the arm
    kill -CONT $!
    wait $!
    has "$(<trace)" 'stopped: this program stalled'
    has "$(<result)" 'teleop result=ended stops=1'
}

@test "armctl: each key moves one step, and a toggle moves to the other end" {
    arm status >/dev/null 2>&1
    TERM=xterm terminal 80 <<<"
        launch armctl -q --config arm.ini -l sim: teleop --force --keys
        want {[?1049h} {stopped: press a key} {lift} {1320}
        type \033\[A
        want {92} stopped
        type q
        want {result=left stops=1}
        ends 0"
    pad 0.5=hold:1 1.0=b:1 1.1=b:0 12.0=hold:0
    ok arm 'pulse grip 1600' 'teleop --channels pad.ndjson'
    same "$(steps_of 5 | tr ' ' '\n' | sed -n '$p')" 1040
}

@test "keys move and stop the joint until their reported release; the panel shows its state" {
    TERM=xterm terminal 80 <<<"
        launch hidmotor -q -l sim: teleop --keys
        want {[?1049h} {stopped: press a key} shoulder {q stop, quit}
        type \033\[A
        want RUNNING {stopped: press a key} stopped
        type q
        want {result=left stops=1}
        ends 0"
    TERM=xterm terminal 80 <<<"
        launch hidmotor -q -l sim: teleop --keys
        want {[?1049h} {stopped: press a key}
        type \033\[?11u
        want {held to run}
        type \033\[1\;1:1A
        want RUNNING =====
        type \033\[1\;1:3A
        want {stopped: press a key}
        type \033\[1\;1:1A
        want RUNNING
        type \003
        want {[?1049l} {stopped}
        ends 130"
    TERM=xterm terminal 80 <<<"
        launch unitysim -q -l sim: teleop --keys --map sequential
        want {[?1049h} {stopped: press a key} {>elbow}
        type \r
        want \007 {now: wrist_rotate}
        type q; ends 0"
}

# held BUS: simulates a gamepad with the stick deflected from 0.6 s until its loss at 4 s.
held() { printf '%s\n' '0.3 hold 1' '0.6 lefty -1' '4 none' >pad.events && export BUS=$1; }

# drives WORD…: runs teleop with this gamepad; repeats runs that a busy machine delayed.
drives() {
    stderr=stalled
    while [[ $stderr == *stalled* || -z ${GARBLE:-} && $stderr == *'no data from armwire-pad'* ]]; do
        ok played hidmotor -l sim: teleop --pad pad.events "$@"
    done
}

# halts REASON WORD…: runs teleop with this gamepad and requires exactly one stop, for this reason. Repeats runs
# like drives.
halts() {
    local client
    : | tee out told
    until [ -s told ] && ! grep -q stalled told && { [ -n "${GARBLE:-}" ] || ! grep -q 'no data from armwire-pad' told; }; do
        played hidmotor -l sim: teleop --pad pad.events "${@:2}" >out 2>told 3>&- &
        client=$!
        started+=("$client")
        until grep -q 'stopped: ' told; do kill -0 "$client"; sleep 0.02; done
        end_by INT 130
    done
    same "$(grep -o 'stopped: .*' told)" "stopped: $1"
}

@test "a gamepad drives a joint through armwire-pad, and its loss is a stop with exit 7" {
    printf '%s\n' '0.3 hold 1' '0.6 lefty -1' '1.2 none' >pad.events
    exits 7 played hidmotor -j -l sim: teleop --pad pad.events --record run.pcapng
    has "$(jq -r .why <<<"$output")" 'teleop: gamepad disconnected: all joints stopped'
    # After a delay the joint may have moved too little.
    [[ $stderr == *stalled* ]] || hidmotor -q -j decode run.pcapng --dir tx |
        jq -se '[.[] | select(.msg == "set_setpoints")] | last | .duration == 0 and .m2 > 1'
    fails_with 4 "gamepad 'nothing' not found" played hidmotor -q -l sim: teleop --pad nothing
    config hidmotor '[teleop mine]' 'enable = paddle1' 'leftx = elbow velocity 30deg/s'
    fails_with 2 "'played' has no control 'paddle1'" played hidmotor -q -l sim: teleop --pad pad.events --map mine
    cp "$BIN/hidmotor" alone
    PATH=/usr/bin:/bin fails_with 4 'install the package armwire-pad' ./alone -q -l sim: teleop
}

@test "a gamepad's partial lines, old records and garbage stop the motion" {
    held usb
    GARBLE='{"t":1' halts 'no data from armwire-pad'
    GARBLE=$'{"t":1,"age":0}\n' halts 'no data from armwire-pad' # a record without new data
    GARBLE=$'rubbish\n' halts 'input events lost'
    GARBLE=$(printf '%9000s' x) halts 'input events lost'
}

@test "a silent gamepad stops the motion over Bluetooth and with --stale, not over a cable" {
    held bluetooth
    halts 'no data from the gamepad'
    held usb
    halts 'no data from the gamepad' --stale 0.5s
    drives --for 3.5s
    hasnt "$stderr" 'no data from the gamepad'
}

# muscles T: writes a recording of T seconds with 100 records per second from lines "FROM TO NAME VALUE".
muscles() {
    awk -v end="$1" '{ from[NR] = $1; to[NR] = $2; name[NR] = $3; value[NR] = $4 }
        END {
            print "t,on,emg1,emg2"
            for (i = 0; i < end * 100; i++) {
                v["on"] = 0; v["emg1"] = v["emg2"] = 0.05
                for (k = 1; k <= NR; k++) if (i / 100 >= from[k] && i / 100 < to[k]) v[name[k]] = value[k]
                print i / 100 "," v["on"] "," v["emg1"] "," v["emg2"]
            }
        }' >emg.csv
}

emg_map() {
    config hidmotor '[teleop emg]' 'enable = on' 'emg1 = select velocity min=0.1 max=0.6' \
        'emg2 = select velocity -100% min=0.1 max=0.6' 'select = shoulder, elbow' \
        'emg1+emg2 = next above=0.5 lockout=0.8s'
}

@test "muscle channels drive a joint, and both together switch to the next outside the lockout" {
    emg_map
    muscles 4 <<'END'
0.2 3.8 on 1
0.5 1.5 emg1 0.9
1.8 1.9 emg1 0.9
1.8 1.9 emg2 0.9
2.0 2.1 emg1 0.9
2.0 2.1 emg2 0.9
2.3 3.3 emg2 0.6
END
    prints 'result=ended stops=1' hidmotor -l "$fast" teleop --channels emg.csv --record run.pcapng
    same "$(grep -c 'now: ' <<<"$stderr")" 1
    has "$stderr" 'now: elbow'
    read -r _ last <<<"$(ends_of m2)"
    within 44 "$last" 51 # a quarter of the maximum 200 deg/s for a second
    read -r _ last <<<"$(ends_of m3)"
    [ "$last" -le -44 ]
}

@test "a button held from the start counts only after its release; an empty cell keeps the last value" {
    emg_map
    muscles 2 <<'END'
0 2 on 1
0.5 1.5 emg1 0.9
END
    ok hidmotor -q -l "$fast" teleop --channels emg.csv -j
    same "$(jq -c .stops <<<"$output")" 0
    muscles 2 <<<'0 2 on 1'
    prints 'result=ended stops=0' hidmotor -q -l "$fast" teleop --channels emg.csv
    has "$stderr" 'release on first: held since the first record'
    muscles 2 <<<'0.2 2 on 1'
    silent hidmotor -q -l "$fast" teleop --channels emg.csv
    muscles 3 <<'END'
0.2 2.8 on 1
0.5 2.5 emg1 0.9
END
    sed -i '121s/.*/1.19,,,/' emg.csv
    prints 'result=ended stops=1' hidmotor -q -l "$fast" teleop --channels emg.csv
}

@test "a file or stream of channels needs times and all controls of the map" {
    emg_map
    muscles 1 </dev/null
    cut -d, -f2- emg.csv >bare.csv
    fails_with 2 'the file has no times' hidmotor -q -l "$fast" teleop --channels bare.csv
    fails 2 hidmotor -q -l "$fast" teleop --channels nothing.csv
    sed 's/emg2/other/' emg.csv >lacks.csv
    fails 2 hidmotor -q -l "$fast" teleop --channels lacks.csv # motion requires that every channel was seen
    has "$why" "no record has emg2 of map emg (records have: on, emg1, other) — record every control"
    sed '1s/.*/t,channel_1,channel_2,channel_12/' emg.csv >others.csv
    fails 2 hidmotor -q -l "$fast" teleop --channels others.csv
    has "$why" "no record has on, emg1, emg2 of map emg (records have: channel_1, channel_2, channel_12)"
    fails 7 hidmotor -q -l sim: teleop --channels - < <(cut -d, -f1-3 emg.csv)
    has "$why" 'end of the records on standard input, without emg2'
}

# rejects LINE TEXT: replays emg.csv with LINE as line 121, during a motion. Requires the error TEXT, exit code 5
# and a stop.
rejects() {
    awk -v line="$1" 'NR == 121 { $0 = line } { print }' emg.csv >bad.csv
    fails_with 5 "$2" hidmotor -q -l "$fast" --record run.pcapng teleop --channels bad.csv
    hidmotor -q -j decode run.pcapng --dir tx |
        jq -se '[.[] | select(.msg == "set_setpoints")] | last | .duration == 0 and .m2 > 1'
}

@test "a malformed line or value of a file stops the motion and is reported with its line" {
    emg_map
    muscles 3 <<'END'
0.2 2.8 on 1
0.5 2.5 emg1 0.9
END
    rejects garbage "bad.csv:121:1: 'garbage' is not a time"
    rejects '1.19,1,abc,0.05' "bad.csv:121:8: emg1: 'abc' is not a number"
    rejects '1.19,1,"abc",0.05' "bad.csv:121:9: emg1: 'abc' is not a number"
    rejects '1.19,1,nan,0.05' "bad.csv:121:8: emg1: 'nan' is not a number"
    rejects '1.19,1' 'bad.csv:121:1: wrong number of cells: fewer'
    rejects '1.19,1,0,9,0,05' 'bad.csv:121:1: wrong number of cells: more'
    awk -F, 'NR > 1 { printf "{\"t\":%s,\"on\":%s,\"emg1\":%s,\"emg2\":%s}\n", $1, $2, $3, $4 }' emg.csv >emg
    mv emg emg.csv
    rejects garbage 'bad.csv:121:1: not a JSON object: garbage'
    rejects '{"t":1.19,"emg1":null}' 'bad.csv:121:1: emg1: not a finite number'
    rejects '{"t":"soon","emg1":0.9}' "bad.csv:121:1: 'soon' is not a time"
    rejects '{"emg1":0.9}' 'bad.csv:121:1: no time'
}

# lives EVENT: sends records to standard input until the arm moves, then the event, and checks the result. Repeats
# the test if this machine delays the tool by 100 ms, which also stops the motion.
lives() {
    local status=75
    while [ $status = 75 ]; do
        status=0
        python3 - "$1" <<'END' || status=$?
import json, subprocess, sys, time
tool = subprocess.Popen(["hidmotor", "-j", "-l", "sim:", "teleop", "--channels", "-", "--record", "run.pcapng"],
                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
def say(text):
    tool.stdin.write(text + "\n")
    tool.stdin.flush()
def push(on, emg1, times):
    for _ in range(times):
        say(json.dumps({"on": on, "emg1": emg1, "emg2": 0.05}))
        time.sleep(0.01)
def stops_for(why):
    for line in tool.stderr:
        if "stalled" in line:
            tool.kill()
            sys.exit(75)
        if "stopped" in line:
            assert why in line, line
            return
    sys.exit("it has not stopped")
push(0, 0.05, 5)
for line in tool.stderr:
    if "hold to run" in line:
        break
push(0, 0.05, 5)
push(1, 0.05, 10)
push(1, 0.9, 50)
if sys.argv[1] == "silence":
    begun = time.monotonic()
    stops_for("no records received")
    assert time.monotonic() - begun > 0.4
elif sys.argv[1] != "end":
    say(sys.argv[1])
    push(1, 0.9, 5)
    stops_for("stdin:")
    push(1, 0.9, 5) # the button counts as released
tool.stdin.close()
assert tool.wait() == 7
if "stalled" in tool.stderr.read():
    sys.exit(75)
result = json.loads(tool.stdout.read().splitlines()[-1])
assert "end of the records on standard input" in result["why"], result
assert "--channels FILE" in result["why"], result
END
    done
    # The arm moved and was stopped.
    [ $status = 0 ]
    hidmotor -q -j decode run.pcapng --dir tx |
        jq -se '[.[] | select(.msg == "set_setpoints")] | last | .duration == 0 and .m2 > 1'
}

@test "silence, end of input and invalid records on standard input stop the motion" {
    emg_map
    for what in silence end rubbish '{"on":1,"emg1":"x"}' '{"on":null}'; do lives "$what"; done
}

# bats test_tags=long
@test "a suspended or killed teleop still sends the stop" {
    WITHIN=${WITHIN:-400} ok "$root/tests/cli/teleop_still.py" "$BIN" "$D" || { echo "$output" && false; }
}

# bats test_tags=long
@test "suspended or killed play and follow still send the stop" {
    WHAT=play,follow WITHIN=${WITHIN:-400} ok "$root/tests/cli/teleop_still.py" "$BIN" "$D" || { echo "$output" && false; }
}

# bats test_tags=long
@test "the watchdog sends the stop if an experiment is suspended or killed; a resumed experiment exits" {
    ROUNDS=1 WHAT=experiments WITHIN=${WITHIN:-400} ok "$root/tests/cli/teleop_still.py" "$BIN" "$D" || { echo "$output" && false; }
}
