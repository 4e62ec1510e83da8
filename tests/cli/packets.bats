#!/usr/bin/env bats
# Packet files: every way to give one, and the handling of invalid ones.
load common.bash

prepare() {
    cat >team.packets <<'END'
[packet status]
id   = 42
ask  = yes
repeat = m1 m2
position = f32 ticks scale=0.5deg

[packet grip]
id    = 21
value = u8 % min=0 max=100
END
    printf '[packet lamp]\nid = 22\non = u8 values=off:0,on:1\nanswer = status\n' >more.packets
    printf '[packet status]\nid = 42\nx = f33\n' >wrong.packets
    grip="15 00 00 00 07 00"
}

@test "packet files can be given by option, environment variable and config file; one setting may list two" {
    prints_like "$grip*" hidmotor --packets=team.packets encode grip value=7
    prints_like "$grip*" env HIDMOTOR_PACKETS=team.packets hidmotor encode grip value=7
    config hidmotor '[options]' 'packets = team.packets,more.packets'
    prints_like "16 00 00 00 01 00*" hidmotor encode lamp on=on
    ok hidmotor decode -j "16000000000020410000$(printf '00%.0s' {1..54})"
    same "$output" '{"dir":"rx","msg":"lamp","m1":{"position":5},"m2":{"position":0}}'
}

@test "an invalid packet file is reported with its line and opens no link, but a stop is sent" {
    config hidmotor '[options]' 'packets = wrong.packets'
    for command in status limits "move 0 0 0" "encode gripper value=3" "watch -n1" describe; do
        exits_with 2 "hidmotor: wrong.packets:3:1: x: invalid type 'f33'" hidmotor -l sim: $command
        [[ $stderr != *simulator* ]]
    done
    remarks "f33" hidmotor -l "$fast" stop
    has "$stderr" "sending the built-in stop"
    ok ezphys --packets wrong.packets -l sim: stop # the simulator does not read the file, either
    has "$stderr" "sending the built-in stop"
    hasnt "$stderr" "connection lost"
    ok hidmotor config path
    exits 2 hidmotor -l sim: --packets <(cat wrong.packets) status # a pipe can be read only once
    [[ $stderr == "hidmotor: /dev/fd/"*":3:1: x: invalid type 'f33'"* ]]
    exits_with 2 "hidmotor: gone.packets: No such file" hidmotor --packets gone.packets describe
}

@test "a script line can name packet files, but not other ones once the link is open" {
    printf '%s\n' 'encode grip value=7 --packets team.packets' \
        'encode lamp on=1 --packets team.packets,more.packets' >lines
    ok hidmotor run lines
    printf '%s\n' 'encode grip value=7 --packets team.packets' 'encode grip value=7' >lines
    exits_with 2 "unknown message 'grip'" hidmotor run lines
    printf '%s\n' status 'encode grip value=7' \
        'encode lamp on=1 --packets team.packets,more.packets' >lines
    exits_with 2 "--packets: the link is already open" hidmotor -l "$fast" --packets team.packets run lines
}

@test "custom packets of other bus nodes can be watched, recorded and decoded" {
    printf '[packet battery]\nid = 0x640\nvoltage = u16 V scale=0.01\n' >bus.packets
    printf '(%s) can0 %s\n' 1.0 640#6009 1.1 041#9A99193F0200 1.2 640#6109 >bus.log
    prints_like "*24*24.01*" canpid --packets bus.packets -l log:bus.log -q watch --csv --fields voltage
    ok canpid --packets bus.packets -l log:bus.log -q record run.csv --fields voltage
    [[ $(<run.csv) == *24*24.01* ]]
    prints_like "*<- battery*2*" canpid --packets bus.packets info bus.log
    prints_like "*battery voltage=24.01V" canpid --packets bus.packets decode --where 'voltage>24' bus.log
    same "${#lines[@]}" 1
    prints_like "*BO_ 1600 other_battery: 2 other*" canpid --packets bus.packets describe --as dbc
}

@test "a board is polled for custom packets at their rate, and the simulator stores written values" {
    ok hidmotor -q -l "$fast" --packets team.packets watch -j --for 1s
    same "$(grep -c '"msg":"status"' <<<"$output")" 63
    sed -i 's/ask  = yes/ask = yes\nrate = 10Hz/' team.packets
    ok hidmotor -q -l "$fast" --packets team.packets watch -j --for 1s
    same "$(grep -c '"msg":"status"' <<<"$output")" 11
    same "$(grep -c '"msg":"positions"' <<<"$output")" 63
    printf '%s\n' 'move 30 0 0 --wait' 'send status' 'send lamp on=1 --yes' >lines
    ok hidmotor -q -l "$fast" --packets team.packets,more.packets -j run lines
    read -r position <<<"$(jq -r 'select(.msg == "status") | .m1.position' <<<"$output")"
    awk -v at="$position" 'BEGIN { exit !(27 < at && at < 33) }'
    has "$output" '"msg":"lamp","m1":{"position":'
    ok hidmotor -q -l "$fast" --packets team.packets record run.pcapng --for 0.2s
    prints "<- status" hidmotor --packets team.packets info run.pcapng
}

@test "a recording is decoded with its own packets, or with other files given by option" {
    for form in pcapng mcap; do
        ok hidmotor -q -l "$fast" --packets team.packets,more.packets record run.$form --for 0.2s
        prints '"msg":"status","m1":{"position":' hidmotor decode -j run.$form
        prints "<- status" hidmotor info run.$form
        hasnt "$output" "packets of files"
        has "$output" "marks=0"
        prints "status m1.position=" hidmotor -q -l log:run.$form watch -n 3
        ok hidmotor -q plot run.$form status.m1.position --out run.svg
    done
    sed 's/position/angle/' team.packets >other.packets
    prints "status m1.angle=" hidmotor --packets other.packets decode run.pcapng
    printf '%s\n' 'decode run.pcapng' 'encode grip value=7' >lines
    exits_with 2 "unknown message 'grip'" hidmotor run lines
    # Uses a packet file longer than one comment.
    for i in {1..40}; do
        printf '[packet p%d]\nid = %d\nhelp = of which there are many, %s\nask = yes\nx = u8\n' \
            "$i" "$((i + 100))" "ä ü ö $(printf 'é%.0s' {1..250})"
    done | head -n 80 >long.packets
    ok hidmotor -q -l "$fast" --packets long.packets record long.pcapng --for 0.1s
    prints "p16 x=0" hidmotor decode long.pcapng
    # Damages the packet file in the recording.
    sed 's/ask  = yes/ask  = yep/' run.pcapng >bad.pcapng
    exits_with 5 "packets in bad.pcapng:" hidmotor decode bad.pcapng
}

@test "watch shows custom packets of a board without the built-in ones" {
    cat >board.py <<'END'
import os, socket, struct, sys
path = os.environ["D"] + "/board"
server = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
server.bind(path)
server.listen()
print("ready: unix:" + path, file=sys.stderr, flush=True)
log = open(os.environ["D"] + "/asked", "w")
while True:
    link, _ = server.accept()
    while report := link.recv(65):
        report = report[-64:]
        packet, = struct.unpack_from("<I", report)
        print(packet, file=log, flush=True)
        if packet == 42:
            link.send(struct.pack("<I2f", 42, 10, 20).ljust(64, b"\0"))
        else:
            link.send(struct.pack("<II", 99, packet).ljust(64, b"\0"))
END
    start board python3 board.py
    prints_lines 5 hidmotor -q -l "$url" --packets team.packets watch -n 5
    same "${lines[4]#* }" "status m1.position=5deg m2.position=10deg"
    same "$(grep -c 1910 asked)$(grep -c 1822 asked)" 11
    gives_json '[.n, .lost]' '[3,0]' hidmotor -q -l "$url" --packets team.packets ping -n 3 -j
    same "$(grep -c 1910 asked)" 1
}

@test "the timeout of a packet limits the wait for its answer" {
    sed '/^timeout/d' "$root/docs/example/arm42.packets" >short.packets
    ok hidmotor -q -l 'sim:?delay=100ms' --packets "$root/docs/example/arm42.packets" send grip servo=1 --yes
    fails 3 hidmotor -q -l 'sim:?delay=100ms' --packets short.packets send grip servo=1 --yes
    has "$why" "no answer to grip within 100 ms"
    sed 's/^timeout.*/timeout = 2min/' "$root/docs/example/arm42.packets" >long.packets
    fails_with 2 "timeout: 2min is out of range (1ms to 60s)" hidmotor --packets long.packets describe
}

@test "send and replay ask first except for queries; invalid files and values send nothing" {
    exits_with 2 "not confirmed — add --yes" hidmotor -q -l "$fast" --packets team.packets send grip value=40
    ok hidmotor -q -l "$fast" --packets team.packets send grip value=40 --yes
    ok hidmotor -q -l "$fast" --packets team.packets send status
    exits 2 hidmotor -q -l "$fast" --packets team.packets send positions
    peer
    exits 6 hidmotor -l "$url" --packets team.packets send grip value=400 --yes
    exits 2 hidmotor -l "$url" --packets wrong.packets send status
    exits 2 hidmotor -l "$url" --packets team.packets send grip value=nan --yes
    arrived
    same "$arrived" ""
    printf '[packet fan]\nid = 0x642\ndir = tx\nspeed = u8 %%\n' >bus.packets
    prints "642#28" canpid --packets bus.packets send fan speed=40 --dry-run
    exits 2 canpid -q -l "$fast" --packets bus.packets send fan speed=40
    ok canpid -q -l "$fast" --packets bus.packets send fan speed=40 --yes
    printf '(1.0) can0 642#28\n' >bus.log
    exits_with 2 "'fan' is a custom packet" canpid -q -l "$fast" --packets bus.packets replay bus.log
    ok canpid -q -l "$fast" --packets bus.packets replay bus.log --yes
}

@test "describe --as packets gives a valid file, and completion offers messages and fields of a packet file" {
    for tool in $tools; do
        "$tool" describe --as packets >first.packets
        ok "$tool" --packets first.packets describe
        has "$output" "$(grep -m1 '^help' first.packets | sed 's/.*= //')"
    done
    hidmotor describe --as packets | sed -E 's/^# (\[|[a-z]+ *= )/\1/' >whole.packets # also the optional lines
    prints "kp" hidmotor -q -l "$fast" --packets whole.packets gains
    prints "grip" hidmotor complete -- --packets team.packets encode gr
    prints "value=" hidmotor complete -- --packets team.packets encode grip ""
    prints_no "grip	" hidmotor complete -- encode gr
}

@test "CSV files have the values of custom packets; record warns that a candump log cannot include packet and DBC files" {
    prints_no "#" hidmotor -q -l "$fast" --packets team.packets,more.packets watch --csv --for 0.1s
    local table=run.csv
    printf 'BO_ 1600 Battery: 2 BMS\n SG_ Voltage : 7|16@0+ (0.01,0) [0|600] "V" VCU\n' >bms.dbc
    printf 'CM_ "%s\n\n\n# %s";\n' "$(printf 'ä%.0s' {1..700})" "$(printf 'x%.0s' {1..9})" >>bms.dbc
    printf '[packet lamp]\nid = 1603\nhue = u8 deg\n' >bus.packets
    ok canpid -q -l "$fast" --dbc bms.dbc --packets bus.packets record $table --for 0.3s \
        --fields Voltage,hue
    matches "$(head -n 1 $table)" "t,dir,msg,hue,Voltage"
    same "$(wc -l <$table)" 6
    prints "Voltage" canpid info $table
    ok canpid -q --dbc bms.dbc plot $table Voltage --out run.svg
    has "$(<run.svg)" "Voltage [V]"
    ok canpid -q plot $table Voltage --out run.svg
    hasnt "$(<run.svg)" "Voltage [V]"
    printf '%s\n' '[packet go]' 'id = 37' 'moves = yes' 'angle = f32 deg' '[packet at]' 'id = 38' \
        'ask = yes' 'angle = f32 deg' '[joint m1]' 'setpoint = go.angle' 'position = at.angle' \
        '[stop]' 'packet = go hold' >joint.packets
    ok hidmotor -q -l "$fast" --packets joint.packets record $table --no-header --for 0.1s
    same "$(sed 's/^.*,at,.*$/row/' $table | sort -u)" row
    ok canpid -l "$fast" --dbc bms.dbc --packets bus.packets record run.log --for 0.1s
    has "$stderr" "run.log: a log cannot include bus.packets and bms.dbc — to read the log, give --packets and --dbc again"
    hasnt "$(cut -c 1 run.log)" "#"
    printf '[packet heat]\nid = 43\nask = yes\nrate = 50Hz\ncoil = f32 A\n' >heat.packets
    ok hidmotor -q -l "$fast" --packets heat.packets record run.csv --for 0.2s
    matches "$(grep -m 1 ^t, run.csv)" "t,dir,msg,*m1.position,*,coil"
    matches "$(grep -m 1 ,heat, run.csv)" "*,rx,heat,*,0"
}

@test "armctl, unitysim and ezphys decode and send custom packets" {
    printf '[packet GRIP]\nfinger = digits:1 min=0 max=4\nopening = digits:3 %%\n' >arm.packets
    printf '0GRIP2,050\r\n0DEG1,090\r\n' >lines.txt
    ok armctl --packets arm.packets decode --dir tx lines.txt
    same "$output" $'-> grip seq=0 finger=2 opening=50%\n-> deg seq=0 joint=1 angle=90deg'
    prints "opening" armctl --packets arm.packets describe grip
    printf '[packet lamp]\nid = 41\ndir = tx\nhue = f32 deg\n' >type.packets
    prints "FF FF 29 04 00 00 B4 42" unitysim --packets type.packets send lamp hue=90 --dry-run
    gives "send result=sent" unitysim -q -l "$fast" --packets type.packets send lamp hue=90 --yes
    exits 2 unitysim -q -l "$fast" --packets type.packets send lamp hue=90
    printf '[packet spin]\nid = 77\ndir = tx\nrepeat = elbow hand\nvelocity = u16 deg/s min=0 max=2000\n' >spin.packets
    spin() { unitysim -q -l "${url:-$fast}" --packets spin.packets --yes send spin elbow.velocity=900 "$@"; }
    gives "send result=sent" spin hand.velocity=1500 # the limits of the built-in packet do not apply
    fails_with 6 "(0 to 2000 deg/s)" spin hand.velocity=2001
    start server unitysim --packets spin.packets -l sim: serve --listen unix:spin
    gives "send result=sent" spin hand.velocity=1500
    prints "00 00 B4 42" ezphys --packets type.packets send lamp id=0 hue=90 --dry-run
    for tool in armctl:arm unitysim:type ezphys:type canpid:none; do
        [ "${tool#*:}" = none ] || ok "${tool%:*}" --packets "${tool#*:}.packets" describe --as lua
    done
}

@test "a custom packet can replace a message of the tool" {
    printf '[packet mine]\nid = 1910\nreplace = yes\nask = yes\nx = u8 3\n' >mine.packets
    prints_no " positions" hidmotor --packets mine.packets describe
    ok hidmotor --packets mine.packets decode -j --dir rx "7607000009$(printf '00%.0s' {1..59})"
    same "$output" '{"dir":"rx","msg":"mine","x":9}'
    exits_with 2 "replaced by another packet in a packet file" hidmotor --packets mine.packets encode positions
    prints '"msg":"mine","x":3' hidmotor -q -l "$fast" --packets mine.packets send mine -j
    exits_with 2 "replaced by another packet in a packet file" hidmotor -q -l "$fast" --packets mine.packets status
}
