#!/usr/bin/env bats
# Captures inspected as files, used as devices and replayed.
load common.bash

# carry FILE PACKETS: inserts a comment with this packet file before the packets of a capture.
carry() {
    python3 - "$1" "$2" <<'PYTHON'
import struct, sys
capture = open(sys.argv[1], "rb").read()
text = b"packets of files:\n" + open(sys.argv[2], "rb").read()
option = struct.pack("<HH", 1, len(text)) + text + bytes(-len(text) % 4) + bytes(4)
size = 32 + len(option)
block = struct.pack("<IIIIIII", 6, size, 0, 0, 0, 0, 0) + option + struct.pack("<I", size)
at = struct.unpack_from("<I", capture, 4)[0] # after the section header and the interface
at += struct.unpack_from("<I", capture, at + 4)[0]
open(sys.argv[1], "wb").write(capture[:at] + block + capture[at:])
PYTHON
}

# mark FILE TEXT: appends a packet that has only a comment.
mark() {
    python3 - "$1" "$2" <<'PYTHON'
import struct, sys
text = sys.argv[2].encode()
option = struct.pack("<HH", 1, len(text)) + text + bytes(-len(text) % 4) + bytes(4)
size = 32 + len(option)
body = struct.pack("<IIIIIII", 6, size, 0, 0x61234, 0, 0, 0) + option + struct.pack("<I", size)
open(sys.argv[1], "ab").write(body)
PYTHON
}

@test "info counts messages in both directions, rates, marks and damage" {
    ok armctl -q -l "$fast" --record run.pcapng deg 1 90
    mark run.pcapng "the cup falls"
    prints "-> deg" armctl info run.pcapng
    has "$output" "the cup falls"
    ok armctl info -j run.pcapng
    same "$(jq -sc 'map(select(.msg == "deg") | [.dir, .count])' <<<"$output")" '[["tx",1],["rx",1]]'
    same "$(jq -sc 'map(select(.mark) | .mark)' <<<"$output")" '["the cup falls"]'
    same "$(json '[.ok, .messages, .marks, .damaged]')" '[true,4,1,0]'
    truncate -s -20 run.pcapng
    gives_json '[.messages, .marks, .damaged]' '[4,0,1]' armctl info -j run.pcapng
    has "$stderr" "bytes are not a complete packet"
    ok armctl -l "$fast" replay run.pcapng
    matches "$stderr" "*armctl: run.pcapng: truncated, the last * bytes are not a complete packet*"
    fails 2 armctl info nope.pcapng
    echo hello >text
    fails_with 2 "not a capture" armctl info text
}

@test "a recording can replace the device (log:), and its end is not an error" {
    ok canpid -q -l "$fast" record run.pcapng -n 36
    ok canpid -l log:run.pcapng watch -j
    same "$(wc -l <<<"$output")" 36
    same "$stderr" ""
    ok canpid -l 'log:run.pcapng?speed=max' watch -j
    same "$(jq -s 'length' <<<"$output")" 36
    fails 4 canpid -l log:nope.pcapng watch
    fails_with 2 "did you mean 'speed'" canpid -l 'log:run.pcapng?sped=2' watch
    fails 6 canpid -l 'log:run.pcapng?speed=0' watch
    # The recording ends during the motion.
    while IFS='|' read -r tool motion farther; do
        ok $tool -q -l sim: --record $tool.pcapng $motion
        fails_with 7 "$tool.pcapng: end of file" $tool -q -l log:$tool.pcapng $farther
    done <<'END'
hidmotor|move 0 5 -5 --wait|move 0 20 -5 --wait
canpid|setpoint 5deg -b lknee -c pos|step --from 0deg --to 5deg -b lknee -c pos
unitysim|move elbow=2060|move elbow=2100
ezphys|jog hinge 0.1|jog joint1 0.5
END
}

@test "replay to a new simulator reproduces the messages" {
    ok armctl -q -l "$fast" --record run.pcapng deg 1 90 2 45
    prints "sent=4" armctl -q -l "$fast" --record again.pcapng replay run.pcapng
    ok armctl decode -j --time none run.pcapng
    first=$output
    gives "$first" armctl decode -j --time none again.pcapng
}

@test "replay reports a different start position and relative commands" {
    ok unitysim -q -l "$fast" --record v.pcapng drive elbow=+45 --for 0.3s
    remarks_no elsewhere unitysim -l "$fast" replay v.pcapng
    run -0 --separate-stderr unitysim -l "$fast" <<<$'move elbow=2400\nreplay v.pcapng --max-jump 90deg'
    matches "$stderr" "*replay: different start position: elbow at 2[34]??, not 2048 ticks — control is relative, so the end position differs, too"
    ok hidmotor -q -l "$fast" --record m.pcapng move 0 10 0 --wait
    remarks_no elsewhere hidmotor -l "$fast" replay m.pcapng
    run -0 --separate-stderr hidmotor -l "$fast" <<<$'move 0 45 0 --wait\nreplay m.pcapng'
    matches "$stderr" "*replay: different start position: shoulder at 4?.?, not ?.? deg*"
    ok canpid -q -l "$fast" --record c.pcapng step --from 0deg --to 20deg --for 1s -b lknee -c pos
    remarks_no elsewhere canpid -l "$fast" replay c.pcapng
    run -0 --separate-stderr canpid -l "$fast" <<<$'step --from 0deg --to 50deg --for 1s -b lknee -c pos\nreplay c.pcapng --max-jump 90deg'
    matches "$stderr" "*replay: different start position: lknee at ??.?, not 0.0 % of its range"
    ok armctl -q -l "$fast" --record s.pcapng mov 100
    exits 0 armctl -l "$fast" replay s.pcapng
    has "$stderr" "replay: mov is relative: the end position is the recorded one only if"
    ok ezphys -q -l sim:pendulum --record e.pcapng motor hinge 2 100 --for 0.1s
    exits_with 0 "replay: axis_motor is relative" ezphys -l sim:pendulum replay e.pcapng
    ok hidmotor -q -l "$fast" --record v.pcapng velocity 20 0 0
    remarks_no relative hidmotor -l "$fast" replay v.pcapng # velocity records its start position
    run -0 --separate-stderr hidmotor -l "$fast" <<<$'move 0 45 0 --wait\nreplay v.pcapng'
    has "$stderr" "set_velocity is relative, so the end position differs, too"
}

@test "replay reports a recording without commands, and checks everything before it sends the first byte" {
    ok armctl -q -l "$fast" --record run.pcapng deg 1 90
    ok armctl --force -q -l "$fast" --record bad.pcapng --confirm-timeout 1 --retries 0 deg 1 400 || true
    peer
    fails_with 6 "message 1" armctl -l "$url" replay bad.pcapng
    ok armctl -l "$url" --dry-run replay run.pcapng
    nothing_arrived
    prints "sent=0" armctl -l "$fast" replay --from 3s run.pcapng
    has "$stderr" "nothing to send: the last command is at 1.000 s"
    ok canpid -q -l "$fast" record run.log -n 6
    prints "sent=0 left_out=6" canpid -l "$fast" replay run.log
    has "$stderr" "run.log has no commands, only 6 messages from the device — give --all"
    silent canpid -q -l "$fast" replay run.log
}

@test "replay sends nothing if the recording is damaged or its output pipe is closed" {
    ok ezphys -q -l sim:pendulum --record run.pcapng motor 1 2 1000 --for 1ms
    LC_ALL=C sed 's/\x2c\x00\x00\x00\x01/\x03\x00\x00\x00\x01/' run.pcapng >bad.pcapng
    fails 5 ezphys -l sim:pendulum replay bad.pcapng
    matches "$why" "*: replay: nothing sent: *damaged command* in bad.pcapng — find them with 'decode'"
    printf '(1.0) can0 044#CDCC4C3D0200\n(1.1) can0 044#XX\n' >bad.log
    fails_with 5 "bad.log:2:" canpid -l "$fast" replay bad.log
    # A truncated log is not damaged: its complete lines are sent.
    printf '(1.0) can0 044#CDCC4C3D0200\n(1.1) can0 044#0000C03F000' >cut.log
    ok canpid -l "$fast" replay cut.log --max-jump 2Nm
    has "$stderr" "cut.log: truncated, the last 26 bytes are not a complete line"
    has "$output" "sent=1"
    ok armctl -q -l "$fast" --record run.pcapng deg 1 90
    sed 's/DEG1/D?G1/' run.pcapng >bad.pcapng
    fails_with 5 "message 1" armctl -l "$fast" replay bad.pcapng
    gives_json '[.messages, .damaged]' '[2,2]' armctl info -j bad.pcapng
    peer
    closed_pipe
    fails 141 bash -c "armctl -q -l $url replay run.pcapng >&$closed"
    nothing_arrived
}

@test "recordings of another tool are rejected with that tool's name" {
    ok ezphys -q -l sim: record ezphys.pcapng -n 20
    ok unitysim -q -l "$fast" record unitysim.pcapng --for 0.1s
    ok hidmotor -q -l "$fast" --record hidmotor.pcapng move 1 2 3
    ok canpid -q -l "$fast" record canpid.pcapng -n 3
    ok armctl -q -l "$fast" --record armctl.pcapng deg 1 90
    for tool in armctl hidmotor canpid unitysim ezphys; do
        for made in armctl hidmotor canpid unitysim ezphys; do
            [ $tool != $made ] || continue
            exits 2 $tool -l "$fast" replay $made.pcapng
            has "$stderr" "$made.pcapng has no messages of $tool — use the program that wrote it: $made 0."
            same "$output" ""
        done
    done
    for made in ezphys unitysim hidmotor; do
        prints "messages=0 pieces=0" canpid info $made.pcapng
        has "$stderr" "canpid: $made.pcapng has no messages of canpid — use the program that wrote it: $made 0."
        remarks "canpid: $made.pcapng has no messages of canpid — use the program that wrote it: $made 0." canpid decode $made.pcapng
        same "$output" ""
        ok canpid -q decode - <$made.pcapng
        same "$output$stderr" ""
    done
    prints "messages=3 pieces=3" canpid info canpid.pcapng
}

@test "ezphys: replay starts at the current step, counts missing answers, and does not wait forever" {
    ok ezphys -q -l sim:cart-pole --record run.pcapng motor rail 0.5 100 --for 0.3s
    ok ezphys -q -j -l sim:cart-pole --state \
        <<<$'motor rail 0 100\nreplay run.pcapng\nforce rail 0\nreset\nreplay run.pcapng\nadvance 1'
    same "$(jq -sc 'map(select(.cmd)) | [.[].step, (map(.unanswered | values) | add)]' <<<"$output")" \
        '[1,null,34,0,null,33,0]' # includes one step to see the end of the replay
    # The state equals that after the recorded motion.
    same "$(jq -c '.state | select(.)' <<<"$output" | tail -n 1)" \
        "$(ezphys -q -j -l sim:cart-pole --state <<<$'motor rail 0.5 100 --for 0.3s\nadvance 2' |
            jq -c '.state | select(.)' | tail -n 1)"
    ok ezphys -q -l sim:pendulum --record run.pcapng motor 1 2 1000 --for 1ms
    ok ezphys -q -j -l 'sim:pendulum?drop=100%&seed=1' -T 0.2s replay run.pcapng --force
    ok jq -se 'last | .ok and .sent > 0 and .unanswered > 0' <<<"$output"
}

@test "replay reports a long gap before it and how to shorten it" {
    printf '(100.000000) can0 044#0000000000000000\n(700.000000) can0 044#0000000000000000\n' >gap.log
    ok canpid -l "$fast" replay gap.log
    has "$stderr" "canpid: the next message is due in 600 s — give --speed to replay faster, or --from"
    remarks_no "is due in" canpid -l "$fast" replay gap.log --speed 1000
}

@test "packet files in a recording affect only its display, not the checks of replay" {
    # A distant setpoint is a jump, even if a packet file renames the built-in message.
    ok hidmotor -q -l "$fast" --record far.pcapng --force move 10 80 -70 duration=0
    cp far.pcapng plain.pcapng
    printf '[packet peek]\nid = 1848\nreplace = yes\nask = yes\nx = f32\n' >peek.packets
    carry far.pcapng peek.packets
    for words in '' --yes; do
        fails_with 6 "farther than --max-jump" hidmotor -q -l "$fast" --record sent.pcapng replay far.pcapng $words
    done
    same "$(hidmotor -q -j decode sent.pcapng | jq -c 'select(.msg == "set_setpoints")')" ''
    exits_with 5 "packet peek: replaces 'set_setpoints', which moves the device" hidmotor decode far.pcapng
    # Wider limits in the recording have no effect.
    sed 's/ask = yes/moves = yes/' peek.packets >wide.packets
    printf '[stop]\npacket = halt\n[packet halt]\nid = 50\nhow = u8 1\n' >>wide.packets
    cp plain.pcapng wide.pcapng
    carry wide.pcapng wide.packets
    fails 6 hidmotor -q -l "$fast" replay wide.pcapng --yes
    prints "-> peek x=" hidmotor decode wide.pcapng
    # Packets described only in the recording are refused under any name, with or without --yes.
    while IFS='|' read -r tool head name; do
        printf '[packet %s]\n%b\n' "$name" "$head" >$tool.packets
        name=${name,,}
        ok $tool -q -l sim: --packets $tool.packets --record $tool.pcapng send $name --yes
        ok $tool -q -l sim: --packets $tool.packets replay $tool.pcapng --yes
        for words in '' --yes --force; do
            fails 2 $tool -q -l sim: --record none.pcapng replay $tool.pcapng $words
            has "$why" "replay: '$name' is described only in the recording — give --packets FILE"
            [ ! -e none.pcapng ] ||
                hasnt "$($tool -q --packets $tool.packets decode none.pcapng)" "-> $name"
            rm -f none.pcapng
        done
        prints "-> $name" $tool -q decode $tool.pcapng
        prints "-> $name" $tool -q info $tool.pcapng
    done <<'END'
armctl||GRIP
hidmotor|id = 37\nx = f32 deg 4000 min=0 max=9000|go
canpid|id = 0x640\ndir = tx\nx = u8 3|go
unitysim|id = 240\ndir = tx\nx = u8 3|go
ezphys|id = 200\ndir = tx\nx = u8 3|go
END
}

@test "replay accepts a percentage as speed, suggests one that fits, and --fit applies it" {
    printf 't,m1,m2,m3\n0,0,0,0\n0.5,0,60,0\n' >lift.csv
    ok hidmotor -q -l "$fast" --record lift.pcapng play lift.csv
    fails 6 hidmotor -q -l "$fast" replay lift.pcapng --speed 300%
    matches "$why" '*shoulder: 3[56]? deg/s at 0.* s is faster than 200 deg/s — use --speed 16?% or --fit'
    for speed in 50% 100%; do
        ok hidmotor -q -l "$fast" --record again.pcapng replay lift.pcapng --speed $speed
        hidmotor -q -j decode again.pcapng --dir tx | jq -s "(last.t - first.t) * ${speed%\%}" >"$speed"
    done
    [ "$(jq -s '(.[0] - .[1]) | fabs < 5' 50% 100%)" = true ]
    ok hidmotor -q -l "$fast" replay lift.pcapng --fit
    fails 2 hidmotor -q -l "$fast" replay lift.pcapng --fit --speed 2
}

@test "--loop is refused if the motion does not end at its start, except with --approach or --max-jump" {
    printf 't,m1,m2,m3\n0,0,0,0\n1,0,80,0\n' >up.csv
    ok hidmotor -q -l "$fast" --record up.pcapng play up.csv
    fails 6 hidmotor -q -l "$fast" play up.csv --loop --for 3s
    has "$why" "m2: the file ends at 80 deg and begins at 0: --loop would jump"
    fails 6 hidmotor -q -l "$fast" --record none.pcapng replay up.pcapng --loop --for 3s
    matches "$why" "*m2: the file ends at 80 deg and begins at [0-9.]*: --loop would jump — make the file end where it begins, *"
    hasnt "$(hidmotor decode none.pcapng 2>&1)" set_setpoints
    # With --approach, each repetition returns to the start at that speed.
    ok timeout "$patience" hidmotor -q -j -l "$fast" --record back.pcapng replay up.pcapng --loop --approach 40deg/s --for 7s
    same "$(hidmotor decode -j back.pcapng | jq -s 'map(select(.msg == "set_setpoints" and .dir == "tx"))
        | [.[:-1], .[1:]] | transpose | map(select((.[1].m2 - .[0].m2 | fabs) > 40 and .[1].duration < 1000)) | length')" 0
    same "$(hidmotor decode -j back.pcapng | jq -s 'map(select(.msg == "set_setpoints" and .dir == "tx" and .duration > 1000)) | length > 0')" true
    ok hidmotor -q -l "$fast" replay up.pcapng --loop --for 3s --max-jump 90deg
    # A motion that the board interpolates is not a jump.
    printf 'move 0 30 0 --wait\nmove 0 80 0 --wait\n' >lines
    ok hidmotor -q -l "$fast" --record self.pcapng run lines
    ok hidmotor -q -l "$fast" replay self.pcapng --loop --for 3s
    printf 't,lknee\n0,0\n1,45\n' >knee.csv
    ok canpid -q -l "$fast" --record knee.pcapng play knee.csv -c pos
    fails 6 canpid -q -l "$fast" replay knee.pcapng --loop --for 3s
    matches "$why" "*lknee: the file ends at 45 deg and begins at 0: --loop would jump*"
    ok canpid -q -l "$fast" replay knee.pcapng --loop --for 3s --approach 45deg/s
}

@test "--for ends a replay, with --loop too, and play" {
    ok hidmotor -q -l "$fast" --record up.pcapng move 0 20 0 --wait
    gives_json .ok true timeout "$patience" hidmotor -q -j -l "$fast" replay up.pcapng --loop --for 3s
    ok canpid -q -l "$fast" --record knee.pcapng setpoint 10deg --max-jump 90deg -b lknee -c pos --verify
    ok timeout "$patience" canpid -q -j -l "$fast" replay knee.pcapng --max-jump 11deg --loop --for 3s
    printf 't,hinge\n0,0\n1,0.5\n2,1\n' >up.csv
    gives_json '.time < 1' true ezphys -q -j -l 'sim:?scene=pendulum' play up.csv --for 0.5s
}
