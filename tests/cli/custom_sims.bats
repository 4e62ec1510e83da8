#!/usr/bin/env bats
# Simulated devices support custom packets: they return written values, use the simulated arm for joints, and send
# periodic packets.
load common.bash

# joints UNIT NAME…: writes arm.packets with these joints.
joints() {
    local unit=$1 name
    shift
    {
        printf '[packet state]\nid = 240\nask = yes\n'
        for name; do printf '%s = f32 %s\n' "$name" "$unit"; done
        printf '[packet go]\nid = 241\nmoves = yes\nanswer = state\n'
        for name; do printf '%s = f32 %s min=-90 max=90\n' "$name" "$unit"; done
        for name; do
            printf '[joint %s]\nsetpoint = go.%s\nposition = state.%s\n' "$name" "$name" "$name"
        done
        printf '[stop]\npacket = go hold\n'
    } >arm.packets
}

# moves TOOL LINK TARGET…: moves the simulated arm and stops it at its measured position.
moves() {
    local tool=$1 link=$2
    shift 2
    printf '%s\n' "move $* --wait" status stop >lines
    ok "$tool" -q -l "$link" --packets arm.packets -j run lines
    same "$(jq -r 'select(.result) | .cmd + " " + .result' <<<"$output" | tr '\n' ,)" \
        "move arrived,stop confirmed,"
    jq -se '[.[] | select(.cmd == "move")][0] | [.[] | objects | .target - .actual] |
        length > 0 and all(. < 3.1 and . > -3.1)' <<<"$output"
}

@test "simulators of hidmotor, unitysim and ezphys report a written value in fields of the same name in other packets" {
    printf '[packet %s]\n%s\n' lamp $'id = 41\ndir = tx\nhue = f32 deg min=0 max=360' \
        mood $'id = 42\nask = yes\nhue = f32 rad\nlevel = u8 7\nleft = u8 offset=3' >lamp.packets
    for tool in hidmotor unitysim ezphys; do
        [ $tool = ezphys ] && link=sim: id=id=0 || link=$fast id=
        printf '%s\n' "send lamp hue=90 $id --yes" "send mood $id" >lines
        ok $tool -q -l "$link" --packets lamp.packets -j run lines
        same "$(jq -c 'select(.msg == "mood" and .dir == "rx") | [(.hue * 1000 | round), .level, .left]' \
            <<<"$output")" "[1571,7,3]"
    done
}

@test "simulators send unrequested packets at the file's rate or 10 Hz" {
    printf '[packet %s]\n%s\n' lamp $'id = 240\ndir = tx\nhue = f32 deg' \
        often $'id = 241\ndir = rx\nrate = 50Hz\nhue = f32 deg' \
        usual $'id = 242\ndir = rx\nhue = f32 deg' >own.packets
    sed 's/id = 24/id = 164/' own.packets >bus.packets
    printf '%s\n' 'send lamp hue=90 --yes' 'watch --for 1s --fields often.hue,usual.hue' >lines
    for tool in canpid:bus unitysim:own; do
        ok ${tool%:*} -q -l "$fast" --packets ${tool#*:}.packets -j run lines
        n=$(grep -c '"msg":"often","hue":90' <<<"$output")
        ((n >= 49 && n <= 51))
        n=$(grep -c '"msg":"usual","hue":90' <<<"$output")
        ((n >= 9 && n <= 11))
    done
    # The periodic packets do not damage other packets.
    remarks_no damaged unitysim -l "$fast" --packets own.packets drive elbow=+20 --for 1s
    # In lock-step, the packets arrive with the steps of the simulation.
    printf '[packet usual]\nid = 202\ndir = rx\nhue = f32 deg 5\n' >ez.packets
    ok ezphys -q -l sim: --packets ez.packets watch -n 3 --fields hue
    same "${#lines[@]} ${lines[2]}" "3 <- usual hue=5deg"
}

@test "custom joints map to the simulated arm by name or order" {
    joints deg elbow shoulder
    moves unitysim "$fast" shoulder=20 elbow=-10
    printf '%s\n' 'move elbow=30 --wait' 'watch -n 1 --fields feedback.elbow.position' >lines
    ok unitysim -q -l "$fast" --packets arm.packets -j run lines
    jq -se '.[-1].elbow.position | . > 2350 and . < 2400' <<<"$output" # 2048 is 0 deg; a turn has 4096 ticks
    joints deg one two
    moves unitysim "$fast" one=20 two=-10
    joints deg hinge
    moves ezphys sim:pendulum hinge=20
    moves ezphys 'sim:pendulum?real-time=1' hinge=20
    joints deg m1 m2 m3
    moves hidmotor "$fast" 0 30 -20
}

@test "a joint that the simulated device lacks follows its setpoint" {
    cat >hip.packets <<'END'
[packet set]
id = 1600
dir = tx
moves = yes
angle = f32 deg min=-30 max=30
[packet hip]
id = 1601
rate = 50Hz
angle = f32 deg
[joint hip]
setpoint = set.angle
position = hip.angle
[stop]
packet = set hold
END
    printf '%s\n' 'move hip=20 --wait' status 'jog hip -5 --wait' >lines
    ok canpid -q -l "$fast" --packets hip.packets -j run lines
    has "$output" '"cmd":"move","ok":true,"result":"arrived","hip":{"target":20,"actual":'
    has "$output" '"cmd":"jog","ok":true,"result":"arrived","hip":{"target":15'
}

@test "nodes of a DBC file send on the simulated bus, and repeat a frame sent to them" {
    cat >bms.dbc <<'END'
BU_: BMS VCU
BO_ 1600 Battery: 4 BMS
 SG_ Voltage : 7|16@0+ (0.01,0) [0|600] "V" VCU
 SG_ State M : 16|4@1+ (1,0) [0|15] "" VCU
 SG_ Charge m1 : 24|8@1+ (1,0) [0|100] "%" VCU
BO_ 2566844672 Pack: 8 BMS
 SG_ Energy : 0|64@1- (1,0) [0|0] "Wh" VCU
BO_ 1602 Heat: 1 BMS
 SG_ Warmth : 0|8@1+ (1,-40) [-20|100] "degC" VCU
VAL_ 1600 State 0 "Not ready" 1 "charging" ;
SIG_VALTYPE_ 2566844672 Energy : 2;
END
    ok canpid -q -l "$fast" --dbc bms.dbc watch -j -n 600
    same "$(jq -r 'select(.msg == "BMS.Battery") | [.Voltage, .State, .Charge] | @csv' \
        <<<"$output" | sort -u)" '0,"Not ready",'
    has "$output" '"msg":"BMS.Pack","Energy":0' '"msg":"BMS.Heat","Warmth":-20' '"msg":"joint"'
    printf '%s\n' 'send BMS.Battery Voltage=384 State=charging Charge=7 --yes' \
        'watch --fields Voltage,State,Charge -n 2' 'send BMS.Pack Energy=3 --yes' \
        'watch --fields Energy -n 1' >lines
    ok canpid -q -l "$fast" --dbc bms.dbc run lines
    same "${lines[2]}" "<- BMS.Battery Voltage=384V State=charging Charge=7%"
    same "${lines[4]}" "<- BMS.Pack Energy=3Wh"
    # Uses a simulator in another process.
    start sim canpid sim --dbc bms.dbc --listen "unix-listen:$D/bus"
    ok canpid -q -l "$url" --dbc bms.dbc watch --fields Energy -n 2
    same "${lines[1]}" "<- BMS.Pack Energy=0Wh"
}

@test "armctl: custom packets are sent with digit and ACK and confirmed by their values" {
    cat >arm.packets <<'END'
[packet GRIP]
help    = opens the fingers
finger  = digits:1 min=0 max=4
opening = digits:3 % min=0 max=100
[packet STAT]
ask     = yes
opening = digits:3 %
warmth  = digits:3 9 before=;
END
    export ARMCTL_PACKETS=arm.packets
    printf '%s\n' 'send GRIP finger=2 opening=50' 'send STAT' 'send grip finger=1 opening=7' \
        'deg 1 20' 'send STAT' >lines
    ok armctl -q -l "$fast" -j run lines
    same "$(jq_itself -c 'select(.dir != "tx") | del(.ms, .ack_ms, .retries, .t, .ok)' <<<"$output")" \
        '{"cmd":"send","finger":2,"opening":50,"result":"confirmed"}
{"dir":"rx","msg":"stat","seq":3,"opening":50,"warmth":9}
{"cmd":"send","finger":1,"opening":7,"result":"confirmed"}
{"cmd":"deg","joint":1,"angle":20,"result":"confirmed"}
{"dir":"rx","msg":"stat","seq":2,"opening":7,"warmth":9}'
    ok armctl --dry-run send GRIP finger=1 opening=1
    same "$output" $'-> grip seq=0 finger=1 opening=1%\n   30 47 52 49 50 31 2C 30 30 31 0D 0A'
    # Invalid packets are rejected before the link is opened.
    fails 6 armctl -l tty:nowhere send GRIP finger=5 opening=1
    fails 2 armctl -l tty:nowhere send GRIP finger=1
    fails_with 2 "'DEG1,090' not found in --packets" armctl -l tty:nowhere send DEG1,090 finger=1
    # Tries a firmware that confirms without values, and one that does not know the packet.
    prints "result=confirmed bare=true" armctl -q -l "$fast&quirks=published" send GRIP finger=2 opening=50
    start sim env -u ARMCTL_PACKETS "$BIN/armctl" sim --listen "unix-listen:$D/arm"
    exits 3 armctl -q -l "$url" send GRIP finger=2 opening=50 --retries 0 --ack-timeout 0.2s
    prints "GRIP" armctl complete -- send G
}

@test "armctl: custom joints can be moved, and a crash stops them at their measured position" {
    cat >arm.packets <<'END'
[packet TURN]
moves = yes
answer = wher
base  = digits:3 deg min=0 max=180
[packet WHER]
ask = yes
base = digits:3 deg
[joint base]
setpoint = turn.base
position = wher.base
[stop]
packet = turn hold
END
    printf '%s\n' 'move base=20 --wait' status 'jog base 5 --wait' stop >lines
    ok armctl -q -l "$fast" --packets arm.packets -j run lines
    same "$(jq -r 'select(.result) | .cmd + " " + .result' <<<"$output" | tr '\n' ,)" \
        "move arrived,jog arrived,stop confirmed,"
    # The slow arm is far behind its setpoint; the stop holds the measured position.
    printf '[joint base]\nindex = 1\nkind = rotate\nspeed = 1\n' >slow.ini
    start sim armctl --config slow.ini sim --packets arm.packets --verbose \
        --listen "unix-listen:$D/arm"
    armctl -q -l "$url" --packets arm.packets move base=90 duration=4s >out 2>err 3>&- &
    wait_for sim "executed TURN02"
    end $! SEGV
    wait_for sim "executed TURN00"
    # No packet reads the position.
    sed -i 's/^ask.*/dir = rx/;s/^answer.*//' arm.packets
    fails_with 2 "'ask = yes'" armctl -q -l "$fast" --packets arm.packets status
}
