#!/usr/bin/env bats
# bats file_tags=long
# Joints of packet files: the tool's commands with custom firmware, and every way in which a motion can end.
load common.bash

prepare() {
    cat >team.packets <<'END'
[packet status]              # requested without values; the answer has nine
id   = 42
help = joints as the firmware has them
ask  = yes                   # sent without values; watch requests it; it moves nothing
rate = 50Hz
repeat = m1 m2 m3            # the fields below, once for each name
position = f32 ticks  scale=0.0879deg
velocity = f32 ticks/s
torque   = f32 Nm     no_data=-1

[packet go]
id = 37
moves = yes                  # checked against limits; [stop] and --deadman end it
repeat = m1 m2 m3
setpoint = f32 deg  min=-90 max=90
velocity = f32 0             # 0 if not given
force    = f32 0
answer   = status            # the answer has the fields of packet status

[joint m1]
setpoint = go.m1.setpoint
position = status.m1.position
velocity = status.m1.velocity
[joint m2]
setpoint = go.m2.setpoint
position = status.m2.position
effort   = status.m2.torque
[joint m3]
alias    = elbow
setpoint = go.m3.setpoint
position = status.m3.position
speed    = 90deg/s
near     = 1deg
[stop]
packet = go  hold            # the stop; hold: with the measured positions as setpoints
END
}

# Starts a board with this firmware; $url is its link.
board() { start board python3 "$root/tests/cli/custom_board.py" "$D" "$@"; }

# held: requires that the last moving packet commanded the current positions of the joints.
held() {
    awk '$2 == 37 { for (i = 1; i <= 3; i++) off[i] = $(2 + i) - $(5 + i) }
        END { for (i = 1; i <= 3; i++) if (off[i] > 4 || off[i] < -4) exit 1 }' taken ||
        { tail -n 5 taken && false; }
}

# hand: writes hand.packets with a packet that moves a joint as if by hand; see custom_board.py.
hand() {
    sed '/^\[joint/,$d' team.packets >hand.packets
    printf '[packet hand]\nid = 51\nhow = u8\n' >>hand.packets
    sed -n '/^\[joint/,$p' team.packets >>hand.packets
}

moving() { awk '$2 == 37 { n = $4 } END { print (n > 20 ? "yes" : "no") }' taken; }

# interrupted SIGNAL COMMAND…: ends a motion of the second joint by this signal.
interrupted() {
    background "${@:2}" >out 2>err
    becomes yes moving
    end "$client" "$1"
}

@test "a joint whose position is never requested is refused, and the built-in stop is sent" {
    printf '%s\n' '[packet st]' 'id = 42' 'position = f32 deg' '[packet go]' 'id = 37' 'moves = yes' 'answer = st' \
        'setpoint = f32 deg min=-90 max=90' '[joint m1]' 'setpoint = go.setpoint' 'position = st.position' '[stop]' \
        'packet = go hold' >silent.packets
    for command in status "move m1=5" home "watch -n 1" "jog m1 +1"; do
        exits_with 2 "add 'ask = yes' to [packet st]" hidmotor -v -l "$fast" --packets silent.packets $command
        hasnt "$stderr" "->"
    done
    remarks "sending the built-in stop" hidmotor -l "$fast" --packets silent.packets stop
    ok hidmotor --packets silent.packets limits
}

@test "status, limits, move, home and jog support custom joints on the simulated arm" {
    printf '%s\n' status 'move 0 40 -20 --wait' 'move elbow=10 duration=600ms --wait=2deg' \
        'jog m2 -5 --wait' 'home --wait' stop >lines
    ok hidmotor -q -l "$fast" --packets team.packets -j run lines
    same "$(jq -r '.cmd + " " + (.result // "")' <<<"$output" | grep -v '^ ' | tr '\n' ,)" \
        "status ,move arrived,move arrived,jog arrived,home arrived,stop confirmed,"
    jq -se '[.[] | select(.cmd == "move")][0] | .m2.target == 40 and .m2.actual > 37 and
        .m2.actual < 43' <<<"$output"
    jq -se '[.[] | select(.cmd == "jog")][0].m2.target < 36.5' <<<"$output"
    ok hidmotor --packets team.packets limits elbow --csv
    same "$output" $'joint,of,min,max,unit,from\nm3,setpoint,-90,90,deg,packet file\nm3,speed,-90,90,deg/s,packet file'
    prints "elbow" hidmotor --packets team.packets complete -- --packets team.packets jog el
    prints_like "move result=sent m1=0deg m2=5deg m3=0deg*" hidmotor -q -l "$fast" move --packets team.packets 0 5 0
}

@test "a move sends one custom packet per tick, without jumps" {
    board
    ok hidmotor -q -l "$url" --packets team.packets move 0 30 -20 --wait
    matches "$output" "move result=arrived m1.target=0deg m1.actual=* m2.target=30deg m2.actual=*"
    awk '$2 != 37 && $2 != 42 { exit 1 }
        $2 == 37 { if ($4 - at > 4 || $4 < at) exit 1; at = $4; n++ }
        END { exit !(at == 30 && n >= 20) }' taken
    ok hidmotor -q -l "$url" --packets team.packets watch -n 2 -j
    same "$(jq -r .msg <<<"$output" | sort -u)" status
    prints_like "stop result=confirmed m1=*" hidmotor -q -l "$url" --packets team.packets stop
    held
}

@test "repeated stops do not move a joint at rest" {
    board sags
    printf '%s\n' 'move 10 20 -30 --wait=2deg' 'watch --for 1s' stop stop stop 'jog m2 -5 --wait=2deg' >lines
    ok hidmotor -q -l "$url" --packets team.packets run lines
    same "$(awk '$2 == 37 { m1 = $3; m3 = $5 } END { print m1, m3 }' taken)" '10.000 -30.000'
    printf '%s\n' 'move 10 0 -30 --wait=2deg' 'watch --for 1s' 'move m2=80 duration=4s --wait=2deg' >lines
    interrupted INT hidmotor -q -l "$url" --packets team.packets run lines
    same "$(awk '$2 == 37 { print ($4 - $7 < 2 && $7 < 70) }' taken | tail -n 1)" 1
    same "$(awk '$2 == 37 { m1 = $3; m3 = $5 } END { print m1, m3 }' taken)" '10.000 -30.000'
}

@test "Ctrl-C, end of input, a closed pipe and a crash hold the arm at its position" {
    board
    for signal in INT TERM SEGV ABRT; do
        interrupted $signal hidmotor -q -l "$url" --packets team.packets move 0 80 0 duration=4s --wait
        becomes "$(held && echo held)" echo held
        [ $signal != INT ] || has "$(<err)" "stopped: holding"
        ok hidmotor -q -l "$url" --packets team.packets home duration=200ms --wait
    done
    (echo 'move 0 80 0 duration=4s'; becomes yes moving >&2) |
        hidmotor -q -l "$url" --packets team.packets --deadman 0.3s >out 2>err || true
    held
}

@test "a motion through a server is stopped with the packets of the file if the client or the server is killed" {
    board
    export HIDMOTOR_PACKETS=team.packets
    board_url=$url
    start server hidmotor -l "$board_url" serve --listen "unix:$D/served"
    interrupted KILL hidmotor -q -l "serve:$D/served" move 0 80 0 duration=4s --wait
    becomes held eval 'sleep 0.3; held && echo held'
    ok hidmotor -q -l "serve:$D/served" home duration=500ms --wait
    hidmotor -q -l "serve:$D/served" move 0 80 0 duration=4s --wait >out 2>err 3>&- &
    mover=$!
    becomes yes moving
    ok hidmotor -q -l "serve:$D/served" stop
    wait $mover || true
    held
    hidmotor -q -l "serve:$D/served" home duration=500ms --wait
    hidmotor -q -l "serve:$D/served" move 0 80 0 duration=4s --wait >out 2>err 3>&- &
    mover=$!
    becomes yes moving
    kill -KILL "$pid" # kills the server
    wait $mover || true
    becomes held eval 'sleep 0.3; held && echo held'
}

@test "a server without the packet file refuses custom joints" {
    board
    start server hidmotor -q -l "$url" serve --listen "unix:$D/served"
    exits 2 hidmotor -q -l "serve:$D/served" --packets team.packets move 0 10 0
    has "$stderr" "give the same --packets to 'hidmotor serve'"
    same "$(awk '$2 == 37' taken)" ""
}

@test "invalid values, joints, fields and durations are rejected, and nothing is sent" {
    board
    exits 6 hidmotor -q -l "$url" --packets team.packets move 0 91 0
    exits 2 hidmotor -q -l "$url" --packets team.packets move 0 nan 0
    exits 2 hidmotor -q -l "$url" --packets team.packets move 0 1 2 3
    exits_with 2 "joint 'wrist' not found" hidmotor -q -l "$url" --packets team.packets move wrist=3
    exits 2 hidmotor -q -l "$url" --packets team.packets move m1=3 m1=4
    exits 2 hidmotor -q -l "$url" --packets team.packets move m1=3mm
    exits_with 2 "unknown command 'moveto'" hidmotor -q -l "$url" --packets team.packets moveto 100 0 100
    exits 2 hidmotor -q -l "$url" --packets team.packets send go m1.setpoint=1 m2.setpoint=1 m3.setpoint=1
    same "$(awk '$2 == 37' taken)" ""
    sed '/^\[stop\]/,$d' team.packets >nostop.packets
    exits 2 hidmotor -q -l "$url" --packets nostop.packets move 0 1 0
    matches "$stderr" "hidmotor: nostop.packets:13:1: packet go: moves = yes, but there is no stop*"
    # Without joints, the tool uses the packets of its own firmware and reports what is missing.
    sed '/^\[joint/,$d; /^moves/d' team.packets >plain.packets
    exits_with 1 "[joint" hidmotor -q -l "$url" --packets plain.packets move 0 1 0
    exits_with 2 "m1.setpoint is missing" hidmotor -v -l "$fast" --packets team.packets send go --yes
    hasnt "$stderr" "->"
    export HIDMOTOR_PACKETS=team.packets
    exits 6 hidmotor -q -l "$url" move 0 0 20 duration=300ms
    has "$stderr" "m3: 20 deg in 0.3 s is faster than 90 deg/s — use duration=350ms or more, or --force"
    exits 6 hidmotor -q -l "$url" jog elbow 20 duration=0
    same "$(awk '$2 == 37' taken)" ""
    ok hidmotor -q -l "$url" move 0 0 20 duration=350ms --wait
    ok hidmotor -q -l "$url" move 0 80 20 duration=100ms # m2 has no speed limit in the file
    ok hidmotor -q -l "$url" --force move 0 80 0 duration=100ms
}

@test "a packet that moves is stopped by the [stop] packet, with and without hold" {
    board
    printf '%s\n' 'send go m1.setpoint=0 m2.setpoint=60 m3.setpoint=0 --yes --max-jump 90' >lines
    ok hidmotor -q -l "$url" --packets team.packets run lines
    held
    same "$(awk '$2 == 37' taken | wc -l)" 2
    sed -i '/^packet = go/s/.*/packet = halt/' team.packets
    printf '[packet halt]\nid = 50\nhow = u8 1\n' >>team.packets
    ok hidmotor -q -l "$url" --packets team.packets run lines
    same "$(awk '$2 != 42 { print $2 }' taken | tail -n 2 | xargs)" "37 50"
    sed -i 's/^how = u8 1/how = u8/' team.packets
    exits 2 hidmotor -q -l "$url" --packets team.packets status
    has "$stderr" "stop: halt.how has no default, and there is no hold"
}

@test "setpoints of scripts and recordings must start near the joint and need a stop" {
    printf '%s\n' 'move m2=60 duration=300ms --wait' 'move m2=70 --wait' >lines
    ok hidmotor -q -l "$fast" --packets team.packets --record run.pcapng run lines
    local from='replay run.pcapng --yes --from 1s' send='send go m1.setpoint=0 m2.setpoint=60 m3.setpoint=0 --yes' words
    for words in "$from" "$send"; do
        fails 6 hidmotor -q -l "$fast" --packets team.packets run <(echo "$words")
        matches "$why" '*m2 is at *, the first target is *: farther than --max-jump 3.6 deg — give --approach * to move there first'
        ok hidmotor -q -l "$fast" --packets team.packets run <(echo "$words --approach 60deg/s")
    done
    # The motion is refused if it is faster than the joint's speed.
    sed -i '/^\[joint m2\]/a speed = 120deg/s' team.packets
    fails 6 hidmotor -q -l "$fast" --packets team.packets replay run.pcapng --yes
    matches "$why" '*m2: * deg/s at * is faster than 120 deg/s*'
    # The motion is refused without a packet that could stop it.
    fails 2 hidmotor -q -l "$fast" replay run.pcapng --yes
    has "$why" "'status' is described only in the recording — give --packets FILE"
    sed '/^\[joint/,/^packet = go/d' team.packets >bare.packets
    sed -i '/^moves/d' bare.packets
    printf '[packet halt]\nid = 50\nhow = u8 1\n' >>bare.packets
    fails 2 hidmotor -q -l "$fast" --packets bare.packets replay run.pcapng
    has "$why" "'go' is a custom packet with unknown effects"
    sed '/^\[joint/,/^\[stop/d;/^packet = go/d' team.packets >plain.packets
    printf '[stop]\npacket = halt\n[packet halt]\nid = 50\nhow = u8 1\n' >>plain.packets
    fails 2 hidmotor -q -l "$fast" --packets plain.packets $send
    has "$why" "'go' moves joints, but no stop is defined for them"
    # A custom stop does not end motions by built-in packets.
    ok hidmotor -q -l "$fast" --record own.pcapng move 0 2 0 --wait
    fails 2 hidmotor -q -l "$fast" --packets team.packets replay own.pcapng --yes
    has "$why" "'set_setpoints' is a built-in command"
}

@test "custom joints of a node on the bus can be moved, watched and stopped" {
    cat >node.packets <<'END'
[packet arm_go]
id = 0x650
dir = tx
moves = yes
angle = s16 deg scale=0.1 min=-90 max=90
[packet arm_is]
id = 0x651
angle = s16 deg scale=0.1
speed = s16 deg/s scale=0.1
[joint arm]
setpoint = arm_go.angle
position = arm_is.angle
velocity = arm_is.speed
[stop]
packet = arm_go hold
END
    start node python3 "$root/tests/cli/custom_node.py" "$D"
    export CANPID_PACKETS=node.packets
    gives_json '.arm.actual' 0 canpid -q -l "$url" status -j
    prints_like "move result=arrived arm.target=20deg arm.actual=*deg *" canpid -q -l "$url" move arm=20 --wait=1deg
    awk '{ if ($1 - at > 4 || $1 < at) exit 1; at = $1 } END { exit at != 20 }' taken
    prints '"msg":"arm_is"' canpid -q -l "$url" watch -n 3 -j
    canpid -q -l "$url" move arm=80 duration=4s --wait >out 2>err 3>&- &
    becomes yes eval "awk '{ n = \$1 } END { print (n > 40 ? \"yes\" : \"no\") }' taken"
    end $! INT
    has "$(<err)" "stopped: holding"
    awk '{ off = $1 - $2 } END { exit off < -4 || off > 4 }' taken
    exits 6 canpid -q -l "$url" move arm=91
    exits 3 canpid -q -l "$url" stop # also stops the drivers; none exist
    has "$output" "stop result=confirmed arm="
    exits 2 canpid -q -l "$url" setpoint 5 -b lknee -c pos
}

@test "joints set by separate packets, in radians: move and stop send both packets" {
    cat >two.packets <<'END'
[packet status]
id = 42
ask = yes
repeat = m1 m2
position = f32 rad
[packet base]
id = 37
moves = yes
angle = f32 rad min=-1.5 max=1.5
[packet arm]
id = 38
moves = yes
angle = f32 rad min=-1.5 max=1.5
[joint m1]
setpoint = base.angle
position = status.m1.position
[joint m2]
setpoint = arm.angle
position = status.m2.position
[stop]
packet = base hold
packet = arm hold
END
    ok hidmotor -q -l "$fast" --packets two.packets --record two.pcapng move 0.3 20deg --wait
    matches "$output" "move result=arrived m1.target=0.3rad m1.actual=0.3rad m2.target=0.35rad *"
    same "$(hidmotor decode -j two.pcapng | jq -r 'select(.dir == "tx") | .msg' | sort | uniq -c | xargs)" \
        "50 arm 50 base 50 status"
    printf '%s\n' 'move m2=0.2 --wait' stop >lines
    ok hidmotor -q -l "$fast" --packets two.packets --record one.pcapng run lines
    same "$(hidmotor decode -j one.pcapng | jq -r 'select(.dir == "tx") | .msg' | sort | uniq -c | xargs)" \
        "51 arm 1 base 51 status"
}

@test "a joint with unknown position gets no setpoint from stop or move" {
    hand
    board
    export HIDMOTOR_PACKETS=hand.packets
    ok hidmotor -q -l "$url" send hand how=1 --yes
    exits 3 hidmotor -q -l "$url" stop
    matches "$stderr" "hidmotor: NOT stopped: m1: position unknown*"
    hasnt "$output" confirmed
    same "$(awk '$2 == 37' taken)" ""
    exits 3 hidmotor -q -l "$url" move 10 10 10
    same "$(awk '$2 == 37' taken)" ""
}

@test "a move starts at the arm's current position, not at an earlier reading" {
    hand
    board
    export HIDMOTOR_PACKETS=hand.packets
    printf '%s\n' status 'send hand how=2 --yes' 'move m2=40 --wait' >lines
    ok hidmotor -q -l "$url" run lines
    awk '$2 == 37 && $4 < 29 { print "setpoint", $4; exit 1 } $2 == 37 { n++ } END { exit n < 20 }' taken
    moved=$(grep -c ' 37 ' taken)
    printf '%s\n' status 'send hand how=1 --yes' 'move m2=40' >lines
    exits 3 hidmotor -q -l "$url" run lines
    same "$(grep -c ' 37 ' taken)" "$moved"
}

@test "a joint moved by hand starts and stops at its measured position, not at the last setpoint" {
    hand
    board
    export HIDMOTOR_PACKETS=hand.packets
    printf '%s\n' 'move m2=80 --wait' 'send hand how=2 --yes' 'move m1=5 --wait' >lines
    ok hidmotor -q -l "$url" run lines
    awk '$2 == 51 { n = 1 } n && $2 == 37 { n++; if ($4 < 29 || $4 > 31) exit 1 } END { exit n < 20 }' taken
    printf '%s\n' 'move m2=80 --wait' 'send hand how=2 --yes' 'move m2=40 --wait' >lines
    ok hidmotor -q -l "$url" run lines
    awk '$2 == 51 { n = 1 } n && $2 == 37 { n++; if ($4 < 29 || $4 > 41) exit 1 } END { exit n < 20 }' taken
    # A joint without a measured position is refused.
    sed '/^\[joint m2\]/,/^\[joint m3\]/s/^position/target/' hand.packets >blind.packets
    HIDMOTOR_PACKETS=blind.packets fails_with 2 "joint m2: position is missing" hidmotor -q -l "$url" status
}

@test "play moves custom joints from their position within their limits" {
    printf 't,m1,m2,m3\n0,0,0,0\n0.5,5,10,-5\n1,10,20,-10\n' >way.csv
    ok hidmotor -q -l "$fast" --packets team.packets play way.csv -j
    jq -e '.points == 3 and .joints == 3 and .sent >= 50' <<<"$output"
    sed 's/^1,10,20/1,10,91/' way.csv >beyond.csv
    exits 6 hidmotor -q -l "$fast" --packets team.packets play beyond.csv
    sed 's/,0,0,0/,0,60,0/' way.csv >jump.csv
    exits_with 6 "m2" hidmotor -q -l "$fast" --packets team.packets play jump.csv
    # Repeats this with another tool, whose built-in joints accept velocities.
    sed 's/[mM]3/wrist/; s/m1/shoulder/g; s/m2/elbow/g; s/m3/wrist/g; s/^id = 37/id = 137/; s/^id   = 42/id = 142/' \
        team.packets >uni.packets
    sed '1s/.*/t,shoulder,elbow,wrist/' way.csv >uni.csv
    printf '%s\n' 'play uni.csv' status >lines
    ok unitysim -q -l "$fast" --packets uni.packets -j run lines
    jq -se '.[-1] | .elbow.actual > 17 and .elbow.actual < 21 and .wrist.actual < -8' <<<"$output"
    # The playback stops like a motion.
    board
    printf 't,m1,m2,m3\n0,0,0,0\n4,0,80,0\n' >slow.csv
    interrupted INT hidmotor -q -l "$url" --packets team.packets play slow.csv
    held
}

@test "step, sweep, identify and verify support custom joints and their limits" {
    export HIDMOTOR_PACKETS=team.packets
    ok hidmotor -q -l "$fast" step m2 --from 0deg --to 20deg --save step.csv -j
    jq -e '.rise_time > 0.08 and .rise_time < 0.14 and .final > 19 and .final < 21 and
        .samples > 150' <<<"$output"
    # The built-in joints give the same result.
    own=$(jq .rise_time <<<"$output")
    ok env -u HIDMOTOR_PACKETS "$BIN/hidmotor" -q -l "$fast" step m2 --from 0deg --to 20deg -j
    jq -e "(.rise_time - $own) / .rise_time | . < 0.1 and . > -0.1" <<<"$output"
    ok hidmotor -q -l "$fast" sweep m2 --to-hz 4 -j
    jq -se '.[-1] | .bandwidth > 2 and .bandwidth < 6 and .fit > 0.95' <<<"$output"
    ok hidmotor -q -l "$fast" identify m2 --save model.json --for 8s
    jq -e . model.json >/dev/null
    printf '[a]\njoint = m2\nfrom = 0deg\nto = 20deg\nfor = 2s\nmax-overshoot = 10%%\n' >spec.ini
    prints "ok 1 - a: overshoot" hidmotor -q -l "$fast" verify spec.ini
    # The limits and the speed in the file apply.
    fails 6 hidmotor -q -l "$fast" step m2 --from 0deg --to 91deg
    exits_with 6 "exceeds its speed of 90 deg/s" hidmotor -q -l "$fast" step elbow --from 0deg --to 10deg
    ok hidmotor -q -l "$fast" --force step elbow --from 0deg --to 10deg
    exits_with 1 "stopped: holding" hidmotor -q -l "$fast" step m2 --from 0deg --to 20deg --max-deviation 1deg
    # On a board with this firmware, the last packet holds the arm.
    board
    hidmotor -q -l "$url" sweep m2 --to-hz 1 >out 2>err 3>&- &
    becomes yes eval "awk '\$2 == 37 { n++ } END { print (n > 100 ? \"yes\" : \"no\") }' taken"
    end $! INT
    held
    # Repeats this with the joints of another tool.
    sed 's/m1/shoulder/g; s/m2/elbow/g; s/m3/wrist/g; s/^id = 37/id = 137/; s/^id   = 42/id = 142/' \
        team.packets >uni.packets
    ok unitysim -q -l "$fast" --packets uni.packets step elbow --from 0deg --to 20deg -j
    jq -e '.final > 19 and .final < 21' <<<"$output"
}

# law: writes law.packets for a firmware with gains: 65 sets them, 66 reads them. mute.packets cannot read them.
law() {
    sed '/^\[joint/,$d' team.packets >law.packets
    printf '%s\n' '[packet set_gains]' 'id = 65' 'repeat = m1 m2 m3' 'kp = f32 min=0 max=5' 'ki = f32' 'kd = f32' \
        '[packet gains]' 'id = 66' 'ask = yes' 'repeat = m1 m2 m3' 'kp = f32' 'ki = f32' 'kd = f32' >>law.packets
    for joint in m1 m2 m3; do
        printf '%s\n' "[joint $joint]" "setpoint = go.$joint.setpoint" "position = status.$joint.position"
        for gain in kp ki kd; do echo "$gain = set_gains.$joint.$gain gains.$joint.$gain"; done
    done >>law.packets
    printf '[stop]\npacket = go hold\n' >>law.packets
    # The gains cannot be read.
    sed -E 's/^(k[pid] = set_gains[^ ]*) .*/\1/' law.packets >mute.packets
}

@test "gains of custom joints can be shown, set, saved and compared, and are confirmed by reading them back" {
    law
    export HIDMOTOR_PACKETS=law.packets
    printf '%s\n' gains 'gains set m2.kp=0.5 m3.ki=0.25' 'gains save arm.gains' 'gains diff arm.gains' \
        'gains set m2.kp=1' 'gains apply arm.gains' gains >lines
    ok hidmotor -q -l "$fast" -j run lines
    # Shows the gains of the firmware, not the ones sent before.
    jq -se 'map(select(.value != null)) | .[0].value == 0.1 and .[0].joint == "m1" and .[0].controller == "pid" and
        (.[9:] | map([.joint, .gain, .value] | join(" ")) | contains(["m2 kp 0.5", "m3 ki 0.25", "m1 kd 30"]))' <<<"$output"
    same "$(jq -r '.result // empty' <<<"$output" | xargs)" "confirmed saved confirmed confirmed"
    has "$(<arm.gains)" "m2 pid kp 0.5"
    printf '%s\n' 'gains set m2.kp=2' 'gains diff arm.gains' >lines
    fails 1 hidmotor -q -l "$fast" run lines
    has "$output" "~ m2 pid kp 0.5 (was 2)"
    # Custom packets read the gains of the simulated arm.
    board law
    gives "gains result=confirmed gains=1" hidmotor -q -l "$url" gains set m2.kp=0.75
    # The other gains keep their values.
    ok hidmotor -q -l "$url" gains -j
    same "$(jq -c .value <<<"$output" | xargs)" "0.02 0 0 0.75 0 0 0.02 0 0"
    # Without a packet that reads gains, they are sent unconfirmed, and a packet must set all its gains.
    exits 2 hidmotor -v -l "$url" --packets mute.packets gains set m2.kp=0.5
    has "$stderr" "m1.kp: value unknown, but packet 'set_gains' contains it"
    hasnt "$stderr" "-> set_gains"
    gives "gains result=sent gains=9" hidmotor -q -l "$url" --packets mute.packets gains apply arm.gains
    remarks "the firmware reports no gains" hidmotor -l "$url" --packets mute.packets gains
}

@test "invalid gains of custom joints are not sent, and gains that the device ignores are reported" {
    law
    export HIDMOTOR_PACKETS=law.packets
    for words in m2.kp=6 m2.kp=x m4.kp=1 m2.kx=1 m2=1 "m1.kp=1 m2.kp=nan"; do
        run --separate-stderr hidmotor -v -l "$fast" gains set $words
        [ "$status" = 2 ] || [ "$status" = 6 ]
        hasnt "$stderr" "-> set_gains"
    done
    ok hidmotor -l "$fast" gains set m2.kp=1 --dry-run
    has "$output$stderr" "the other gains of the device"
    remarks "no preview, because --dry-run opens no link" hidmotor -l "$fast" gains --dry-run
    prints "-> set_gains m1.kp=1" hidmotor -q -l "$fast" gains set m{1,2,3}.{kp,ki,kd}=1 --dry-run
    printf 'm2 velocity kp 1\n' >bad.gains
    fails_with 2 "bad.gains:1:1: unknown controller 'velocity'" hidmotor -q -l "$fast" gains apply bad.gains
    board law deaf
    exits_with 1 "m2.kp: sent 1, but the device reports 0.02" hidmotor -q -l "$url" gains set m2.kp=1
    exits_with 2 "no joint in the packet file has gains" hidmotor -q -l "$fast" --packets team.packets gains
    # Repeats this with another tool.
    sed 's/m1/shoulder/g; s/m2/elbow/g; s/m3/wrist/g; s/^id = \(..\)$/id = 1\1/; s/^id   = 42/id = 142/' \
        law.packets >uni.packets
    printf '%s\n' 'gains set shoulder.kp=1 shoulder.ki=0 shoulder.kd=0 elbow.kp=2 elbow.ki=0 elbow.kd=3' gains >lines
    prints "elbow pid kd 3" unitysim -q -l "$fast" --packets uni.packets run lines
}

@test "a gain whose report is never requested is refused before anything is sent" {
    cat >turn.packets <<'END'
[packet TURN]
moves = yes
answer = wher
base  = digits:3 deg min=0 max=180
[packet WHER]
ask = yes
base = digits:3 deg
[packet SGAI]
kp = digits:3 min=0 max=999
[packet RGAI]
dir = rx
kp = digits:3 min=0 max=999
[joint base]
setpoint = turn.base
position = wher.base
kp = sgai.kp rgai.kp
[stop]
packet = turn hold
END
    for words in "" "save x.gains" "set base.kp=5" "set base.kp=5 --dry-run"; do
        refuses_with 2 "gains: no packet requests 'rgai'" armctl -l "$fast" --packets turn.packets gains $words
    done
}

@test "canpid gains shows custom joints with and without -b" {
    cat >pan.packets <<'END'
[packet go]
id = 0x650
dir = tx
moves = yes
angle = s16 deg scale=0.1 min=-90 max=90
[packet set_gain]
id = 0x652
dir = tx
kp = f32
[packet state]
id = 0x651
angle = s16 deg scale=0.1
kp = f32
[joint pan]
setpoint = go.angle
position = state.angle
kp = set_gain.kp state.kp
[stop]
packet = go hold
END
    for options in "" "-b lknee"; do
        gives "pan pid kp 0" canpid -q -l "$fast" --packets pan.packets $options gains
    done
}
