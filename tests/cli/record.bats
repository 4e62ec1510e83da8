#!/usr/bin/env bats
# Each tool: a recorded session is decoded by Wireshark, replayed, watched and plotted; killed
# recorders, full disks, marks, times.
load common.bash
load shark.bash

# The script of each tool's session. The session and its replay use equal new simulators, whose final states are
# compared.
declare -gA session=(
    [armctl]='deg 1 90 2 45
pos 4 20
deg 1 30'
    [hidmotor]='move 10 20 -30 --wait
gripper open
gains
velocity 5 0 0
move 15 25 -20 duration=200ms --wait'
    [canpid]='disable -b lknee -c tor
set kp 0.6 -b lknee -c tor
setpoint 1Nm -b lknee -c tor
aux 1 2.5 -b rhip
watch -n 36'
    [unitysim]='scene slam-dunk --fps 60
limits set elbow 1800 2100
drive elbow=+45 hand=close --for 2s
camera set -185 500 -7 66 270 0'
    [ezphys]='motor 1 2 1000 --for 0.1s
force 1 3 --for 0.02s
reset
motor 1 1 500 --for 0.05s'
)
declare -gA drawn=([armctl]=angle [hidmotor]=m1.position [canpid]=torque [unitysim]=elbow.position
    [ezphys]=displacement)

# simulate TOOL NAME: starts a new simulator in another process; $url is its link.
simulate() {
    case $1 in
    armctl) start "$2" armctl sim --listen "pty:$D/$2" --turn-speed 20000 --slide-speed 20000 ;;
    hidmotor) start "$2" hidmotor sim --listen "unix-listen:$D/$2" ;;
    canpid) start "$2" canpid sim --listen "slcan:pty:$D/$2" ;;
    unitysim) start "$2" unitysim sim --listen "udp-listen:0?reply=127.0.0.1:$(free_port)" ;;
    ezphys) start "$2" ezphys sim --scene pendulum --listen 0 ;;
    esac
}

# state TOOL RECORDING: prints the state of the simulator at $url for comparison. For the handler arm, these are
# its confirmations in the recording.
state() {
    case $1 in
    armctl) armctl decode -j --time none "$2" | jq -c 'select(.dir == "rx")' ;;
    hidmotor) hidmotor -l "$url" -j status | jq -c 'select(.m1) | .[] |= (objects.target // empty)' ;;
    canpid) canpid -l "$url" watch -j -n 3 -b lknee --where 'msg=pid' | jq -c '[.board, .setpoint]' ;;
    unitysim)
        unitysim -l "$url" -j status | jq -c '[.elbow.ticks, .hand.ticks]'
        unitysim -l "$url" -j camera get | jq -c '.. | objects | select(.rx) | [.x, .y, .z, .rx]'
        ;;
    ezphys) ezphys -l "$url" -j --time none watch -n 4 ;;
    esac
}

# record_session TOOL: records its session with a new simulator in TOOL.pcapng; sets $state.
record_session() {
    simulate "$1" first
    ok "$1" -q -l "$url" --record "$1.pcapng" <<<"${session[$1]}"
    state=$(state "$1" "$1.pcapng")
    [ -n "$state" ]
    end "$pid"
}

proves() {
    # With long timeouts, a stall of this machine causes no retry, which would change the session.
    export ARMCTL_ACK_TIMEOUT=${patience}s "${1^^}_TIMEOUT=${patience}s"
    record_session "$1"

    agree "$1" "$1.pcapng" # Wireshark shows every field of every message
    [ "$(wc -l <records)" -gt 8 ]

    simulate "$1" second
    gives_json .ok true "$1" -q -j -l "$url" --record again.pcapng replay "$1.pcapng" --max-jump 1000
    same "$(json .sent)" "$("$1" decode -j "$1.pcapng" | grep -c '"dir":"tx"')"
    same "$(state "$1" again.pcapng)" "$state"
    end "$pid"

    # A CAN bus delivers all frames; other links deliver only what the device sends.
    [ "$1" = canpid ] && heard='"dir"' || heard='"dir":"rx"'
    "$1" -q -l "log:$1.pcapng?speed=max" watch -j >watched
    "$1" decode -j "$1.pcapng" | grep "$heard" | diff - watched
    ok "$1" plot "${drawn[$1]}" "$1.pcapng" --out run.svg
    ok grep -c '<path\|<polyline' run.svg
}

# bats test_tags=long
@test "Wireshark, replay, log: and plot read a session of armctl" { proves armctl; }
# bats test_tags=long
@test "Wireshark, replay, log: and plot read a session of hidmotor" { proves hidmotor; }
# bats test_tags=long
@test "Wireshark, replay, log: and plot read a session of canpid" { proves canpid; }
# bats test_tags=long
@test "Wireshark, replay, log: and plot read a session of unitysim" { proves unitysim; }
# bats test_tags=long
@test "Wireshark, replay, log: and plot read a session of ezphys" { proves ezphys; }

killed() {
    simulate "$1" board
    ok python3 "$root/tests/cli/record_kills.py" "$1" "$url" "${RECORD_KILLS:-50}" "$D"
    echo "# $output"
}
@test "hidmotor: recordings of killed recorders contain all packets except possibly the last" { killed hidmotor; }
@test "canpid: recordings of killed recorders contain all packets except possibly the last" { killed canpid; }

@test "marks can be typed on a terminal, and progress is shown" {
    TERM=xterm terminal <<<"
        launch canpid -l sim: record run.pcapng; want {Enter sets a mark}
        ask {the knee locks} {, 1 mark — Enter}
        ask {} {, 2 marks — Enter}
        type \003; ends 0"
    ok canpid info -j run.pcapng
    same "$(jq -sc 'map(.mark // empty)' <<<"$output")" '["the knee locks","mark"]'
    ok shark canpid run.pcapng -Y frame.comment -T fields -e frame.comment
    same "${lines[0]}" "the knee locks"
    for ending in csv ndjson log; do
        TERM=xterm terminal <<<"
            launch canpid -l sim: record run.$ending; want {Enter sets a mark}
            ask here {, 1 mark — Enter}
            type \003; ends 0"
        ok grep -c '^# here$\|"mark":"here"' run.$ending
    done
}

@test "reading a long file shows progress only on a terminal" {
    yes '(1.5) can0 05E#9CFF000200F0' | head -n 40000 >run.log
    slow='{ head -c 1; sleep 1.3; cat; } >/dev/null' # reads only after canpid has started
    TERM=xterm terminal <<<"
        launch sh -c {canpid decode -j run.log | $slow}; want {run.log } { %, } {s left}
        ends 0"
    TERM=xterm terminal <<<"
        launch sh -c {cat run.log | canpid decode -j | $slow}; want {stdin } { MB}
        ends 0"
    silent sh -c "canpid decode -j run.log | $slow"
    silent sh -c "canpid -q info run.log"
}

@test "record rejects invalid targets before it opens a link" {
    fails_with 4 "no link given" canpid record run.csv
    fails_with 2 ".pcapng, .mcap, .csv, .log or .ndjson" canpid -l can:nowhere record run.txt
    fails_with 2 "already records this session — use one of the two" canpid -l "$fast" --record all.pcapng record run.pcapng
    fails 2 canpid -l "$fast" record no/such/run.csv
    fails 2 canpid -l "$fast" record no/such/run.pcapng
}

# record_of TOOL FILE ARGUMENT…: records a simulator in virtual time.
record_of() {
    local tool=$1 url=$fast
    [ "$tool" = ezphys ] && url=sim:
    shift
    "$tool" -q -l "$url" record "$@"
}

@test "record --fields selects columns, and an unknown name leaves the old file" {
    for tool in $tools; do
        echo old >"$tool.csv"
        fails_with 2 "'nonsense'" record_of "$tool" "$tool.csv" --for 0.2s --fields nonsense
        same "$(<"$tool.csv")" old
        fails 2 record_of "$tool" "$tool.csv" --for 0.2s --fields "${drawn[$tool]},nonsense"
        same "$(<"$tool.csv")" old
        echo old >"$tool.pcapng"
        fails_with 2 ".csv or .ndjson" record_of "$tool" "$tool.pcapng" --for 0.2s --fields "${drawn[$tool]}"
        same "$(<"$tool.pcapng")" old
        ok record_of "$tool" "$tool.csv" --for 0.2s --fields "${drawn[$tool]}"
        prints_like "record *=*" record_of "$tool" "$tool.ndjson" --for 0.2s --fields "${drawn[$tool]}"
    done
    same "$(sort -u <(head -qn 1 ./*.csv))" "t,dir,msg,angle
t,dir,msg,displacement,name
t,dir,msg,torque
t,elbow.position
t,m1.position"
    same "$(jq_itself -c 'del(.t)' canpid.ndjson | sort -u)" '{"dir":"rx","msg":"joint","torque":0}'
    ok record_of canpid knee.csv -n 5 --fields lknee.torque,lknee.setpoint
    same "$(jq -Rc 'split(",")[2:4]' knee.csv | sort -u)" '["joint",""]
["msg","setpoint"]
["pid","0"]'
}

@test "record FILE.csv starts times at 0, and --time changes it" {
    for tool in hidmotor canpid unitysim ezphys; do
        ok record_of "$tool" run.csv --for 0.2s
        matches "$(sed -n '2s/,.*//p' run.csv)" "0?(.000000)"
        [ "$(awk -F, 'END { print ($1 < 60) }' run.csv)" = 1 ]
    done
    ok canpid -q -l sim: --time abs record run.csv -n 3
    [ "$(awk -F, 'END { print ($1 > 1e9) }' run.csv)" = 1 ]
    ok canpid -q -l sim: --time iso record run.csv -n 3
    matches "$(sed -n '2s/,.*//p' run.csv)" "20??-??-??T*Z"
}

@test "Ctrl-C ends a recording with exit 0, other signals do not" {
    for tool in $tools; do
        for ending in csv ndjson pcapng; do
            simulate "$tool" "$tool$ending"
            background "$tool" -q -l "$url" record "run.$ending" >said
            until grep -q '^SigBlk.*[2367abef]$' "/proc/$client/status" && [ -e "run.$ending" ]; do
                kill -0 "$client"
            done
            end_by INT 0
            matches "$(<said)" "record *=*"
            rm "run.$ending"
        done
    done
    background canpid -q -l sim: record run.csv
    until [ -s run.csv ]; do kill -0 "$client"; done
    end_by TERM 143
    # Ctrl-C during record must also end its script.
    printf 'record script.csv\nstatus\n' >script
    background canpid -q -l sim: run script >said
    until [ -s script.csv ]; do kill -0 "$client"; done
    end_by INT 130
}

@test "marks are comments in a table of joints, and end of input ends the marks, not the recording" {
    TERM=xterm terminal <<<"
        launch hidmotor -l sim: record run.csv; want {simulator}
        type \"here\r\"
        exec sh -c {until grep -qs '^# here' run.csv; do sleep 0.05; done}
        type \003; want {marks=1}
        ends 0"
    same "$(grep -c '^# here$' run.csv)" 1
    ok hidmotor -q -l "$fast" play run.csv
    TERM=xterm terminal <<<"
        launch canpid -l sim: record run.ndjson; want {Enter sets a mark}
        type \004
        want \"messages\033\\[K\"
        exec sh -c {until [ \$(wc -l <run.ndjson) -gt 100 ]; do sleep 0.05; done}
        type \003; want record
        ends 0"
    [ "$(wc -l <run.ndjson)" -gt 100 ]
}

@test "record over log: keeps all messages and the original times, at any speed" {
    hidmotor -q -l "$fast" --record run.pcapng move 0 10 0 --wait
    for speed in max 50; do
        ok hidmotor -q -j -l "log:run.pcapng?speed=$speed" record "run.$speed.csv"
        same "$(json '.samples > 5 and .duration > 0.5')" true
    done
    ok diff run.max.csv run.50.csv
    ok hidmotor -q -l "log:run.pcapng" record short.csv --for 0.1s
    ok canpid -q -l "$fast" record run.pcapng -n 72
    for ending in pcapng csv ndjson log; do
        gives_json '[.ok, .messages]' '[true,72]' canpid -q -j -l 'log:run.pcapng?speed=max' record "again.$ending"
    done
    canpid decode --csv --time rel run.pcapng | diff - again.csv
}

@test "a full disk ends the recording with an error and keeps the written part" {
    for case in "7 pcapng" "7 csv" "7 ndjson" "7 log"; do
        read -r code ending <<<"$case"
        ln -s /dev/full "full.$ending"
        run "-$code" --separate-stderr canpid -q -l "$fast" record "full.$ending" -n 100
        has "$stderr" "No space left"
    done
    big() { trap '' XFSZ && ulimit -f 8 && canpid -q -l "$fast" record big.pcapng -n 10000; }
    run -7 --separate-stderr big
    same "$stderr" "canpid: record: big.pcapng: File too large — raise the limit (ulimit -f), or write elsewhere"
    run --separate-stderr canpid decode -j big.pcapng
    [ "${#lines[@]}" -gt 50 ]
}

# commands COUNT MS: prints a log of setpoints at this interval, for all six boards in turn, because one board is
# too slow.
commands() {
    awk -v n="$1" -v ms="$2" 'BEGIN {
        for (i = 0; i < n; i++) printf "(%.6f) can0 %03X#CDCC4C%02X0200\n", 1000 + i * ms / 1000, i % 6 * 32 + 36, 0x3D - i % 2 }'
}

@test "replay supports --speed, --from and --loop" {
    commands 5 500 >run.log
    for case in "1 2" "2 1" "0.5 4"; do
        read -r speed seconds <<<"$case"
        gives_json .sent 5 canpid -q -j -l "$fast" --record again.pcapng replay run.log --speed "$speed"
        ok canpid info -j again.pcapng
        ok jq -se --argjson s "$seconds" 'last.duration - $s | fabs < 0.05' <<<"$output"
    done
    gives_json .sent 3 canpid -q -j -l "$fast" replay run.log --from 0.6s
    gives_json .sent 0 canpid -q -j -l "$fast" replay run.log --from 1000s --loop
    simulate canpid board
    background canpid -v -l "$url" replay run.log --loop --speed 100 2>trace
    until [ "$(grep -c ' -> ' trace)" -gt 12 ]; do :; done
    end_by INT 130
}

# In real time, this test requires only that commands are not early; make bench measures delays.
@test "replay keeps the times of the recording" {
    commands 300 2 >run.log
    gives_json '[.sent, .late_p99_ms]' '[300,0]' canpid -q -j -l "$fast" --record again.pcapng replay run.log
    ok canpid decode -j --time rel --where 'setpoint.value>-9' again.pcapng
    same "$(jq -s 'map(.t * 1000) | [.[0] + range(300) * 2] == map(round)' <<<"$output")" true
    start_us=${EPOCHREALTIME/./}
    ok canpid -q -j -l sim: replay run.log # in real time, commands are never early
    same "$(json '.sent == 300 and .late_p50_ms >= 0 and .late_p99_ms >= .late_p50_ms')" true
    [ $((${EPOCHREALTIME/./} - start_us)) -ge 598000 ]
}

# ---- Named pipes ---------------------------------------------------------------------------------

@test "--record to a named pipe waits for its reader and can be stopped while waiting" {
    mkfifo run.pcapng
    armctl -q -l "$fast" --record run.pcapng deg 1 90 2>err 3>&- &
    client=$!
    until grep -q "^SigBlk.*[4-7c-f]..[13579bdf]\$" "/proc/$client/status"; do kill -0 "$client"; done # TERM is blocked
    end_by TERM 143
    armctl -q -l "$fast" --record run.pcapng deg 1 90 >out 3>&- &
    armctl -j decode - <run.pcapng >seen
    wait $!
    has "$(<out)" confirmed
    same "$(jq -sc 'map(.msg)' seen)" '["deg","ack","deg","ack"]'
}

@test "a reader that stops reading fails the recording and does not prevent a stop" {
    mkfifo run.pcapng run.csv
    exec {reader}<>run.pcapng {table}<>run.csv
    run -7 --separate-stderr timeout "$patience" hidmotor -l "$fast" --record run.pcapng \
        move 0 45 30 duration=600s --wait
    matches "$stderr" "*let the reader continue*stopped: holding*"
    head -c 65536 /dev/zero >&"$table"
    under_way hidmotor -l sim: record run.csv
    wait_for client "let the reader continue"
    wait "$client" && false || same $? 7
}

@test "play --record stores answers at the playback rate" {
    printf 't,m1,m2,m3\n0,0,0,0\n1,20,30,-20\n2,0,0,0\n' >arm.csv
    printf 'Joint,Motion Type,Position,Velocity,Tolerance,Delay (ms)\nElbow,Auto,2400,40,10,0,\n' >bento.csv
    printf 't,lknee\n0,0\n1,20\n2,0\n' >knee.csv
    ok hidmotor -q -j -l "$fast" --record arm.pcapng play arm.csv --rate 50
    sent=$(json .sent)
    ok hidmotor decode -j arm.pcapng
    same "$(grep -c '"dir":"rx","msg":"set_setpoints"' <<<"$output")" $((sent + 1)) # the approach adds one
    ok unitysim -q -l "$fast" --record bento.pcapng play bento.csv
    ok unitysim decode -j bento.pcapng
    commands=$(grep -c '"msg":"control"' <<<"$output")
    [ "$(grep -c '"msg":"feedback"' <<<"$output")" -ge "$commands" ]
    [ "$commands" -gt 40 ]
    ok canpid -q -j -l "$fast" --record knee.pcapng -c pos play knee.csv
    sent=$(json .sent)
    ok canpid decode -j knee.pcapng
    [ "$(grep -c '"msg":"pid","board":"lknee"' <<<"$output")" -ge "$sent" ]
}

# comments FILE: prints the comments of the section header. notes FILE: prints the comments of packets.
comments() { capinfos "$1" | sed -n 's/^Capture \(comment\|application\): *//p'; }
notes() { tshark -r "$1" -Y frame.comment -T fields -e frame.comment 2>/dev/null; }

@test "the capture header contains tool, link, wire, names and config" {
    config canpid '[board spare]' 'id = 0x140'
    exits 3 canpid -q -l "$fast" --record run.pcapng <<<$'watch -n 1\ndisable -b 0x160 -c tor'
    about=$(comments run.pcapng)
    has "$about" "canpid 0." "wire spec" "link sim:?time=virtual" "subject board 64 lknee"
    has "$about" "subject board 320 spare" "config file: canpid.ini [board spare] id = 0x140"
    same "$(notes run.pcapng)" "subject board 352 0x160" # the command named this board after the header was written
    gives_json .marks 0 canpid -q info -j run.pcapng
    ok ezphys -q -l 'sim:?scene=pendulum' --wire le32,long=8 --record run.pcapng motor hinge 2 1000 --for 0.02s
    has "$(comments run.pcapng)" "wire endian=le,long=8,msg="
    has "$(notes run.pcapng)" "subject joint 1 hinge" # the name is from the scene of the link
    ok ezphys -q -l 'sim:?scene=pendulum' record run.pcapng --for 0.02s
    has "$(comments run.pcapng)" "subject joint 1 hinge"
    ok ezphys -q plot run.pcapng hinge.displacement --out run.svg
}

@test "record - writes frames to standard output and its result to standard error" {
    "$BIN/hidmotor" -q -l "$fast" record - --for 0.2s >run.pcapng 2>told
    has "$(<told)" "record messages="
    ok hidmotor -q info -j run.pcapng
    [ "$(json .messages)" -ge "$(sed 's/.*=//' told)" ] # the result counts sent messages, too
    run -141 bash -o pipefail -c '"$BIN/hidmotor" -q -l sim: record - 2>told | head -c 1000 >start'
    same "$(stat -c %s start)" 1000
    same "$(<told)" ""
    exits_with 7 "standard output: No space left" sh -c 'hidmotor -q -l sim: record - >/dev/full'
    fails_with 2 "allowed only on the command line" hidmotor -l "$fast" <<<'record -'
    fails_with 2 "'-' is not a file" hidmotor -l "$fast" --record - move 0 10 0
}

@test "--record and record write candump logs for CAN" {
    ok canpid -q -l "$fast" --record session.log -b lknee -c pos setpoint 1deg
    has "$(cat session.log)" "sim 044#610B363B0000"
    ok canpid -q -l log:session.log record again.log
    same "$(sed 's/) [a-z]* /) /' again.log)" "$(sed 's/) [a-z]* /) /' session.log)"
    for tool in armctl hidmotor unitysim ezphys; do
        exits 2 $tool -l "$fast" --record session.log status
        has "$stderr" "'session.log': unknown file extension — use .pcapng or .mcap"
    done
}
