#!/usr/bin/env bats
# Wireshark decodes armwire's files with its dissectors and shows what decode prints.
load common.bash
load shark.bash

# frames TOOL: prints the frames of its golden cases, "> HEX" sent and "< HEX" received. Skips other
# wire variants, and the board without a name.
frames() {
    awk '/^encode/ { command = $0; getline hex }
         /^decode/ { command = hex = $0; sub(/^decode( --[^ ]* [^ ]*)* /, "", hex) }
         /^{/ && !/"board":[0-9]/ { gsub(/--dir (rx|tx)/, "", command)
                                    if (command !~ /--/) print (/"dir":"tx"/ ? "> " : "< ") hex }' \
        "$root/tests/golden/$1.txt"
}

# capture TOOL FILE: writes the frames on standard input to a pcapng file.
capture() { "$BIN/../tests/unit/capture/test_pcapng" write "$1" "$2"; }

@test "Wireshark decodes all messages in logs, captures and sessions of each tool" {
    for tool in $tools; do
        frames $tool | capture $tool $tool.pcapng
        agree $tool $tool.pcapng
        messages=$($tool describe --as json | jq '[.messages[] | if .dir == "both" then 2 else 1 end] | add')
        has "$output" "of $messages kinds of message"
    done
    python3 "$root/tests/cli/frames.py" 780 >can.log
    agree canpid can.log
    has "$output" "of 13 kinds of message"
    ok shark canpid can.log -T fields -e frame.time_epoch -e can.id -e can.len
    matches "${lines[0]}" $'1700000000.*\t33\t6'
    printf '%s\n' 'scene slam-dunk --fps 60' 'drive elbow=-20 hand=close --for 0.2s' 'camera get' \
        'camera set -185 500 -7 66 270 0' 'limits set elbow 1800 2400' >session
    ok unitysim -q -l "$fast" --record session.pcapng run session
    agree unitysim session.pcapng
    has "$output" "of 6 kinds of message"
    [ "$(wc -l <records)" -gt 40 ]
}

@test "Wireshark decodes custom packets in captures and a recorded session" {
    for tool in $tools; do
        export "${tool^^}_PACKETS=$root/tests/golden/packets/$tool.packets"
        frames packets/$tool | capture $tool own-$tool.pcapng
        agree $tool own-$tool.pcapng
        own=$(grep -c '^\[packet' "$root/tests/golden/packets/$tool.packets")
        kinds=$(sed -n 's/.*of \([0-9]*\) kinds of message.*/\1/p' <<<"$output")
        [ "$kinds" -ge "$own" ]
        unset "${tool^^}_PACKETS"
    done
    export HIDMOTOR_PACKETS=$root/docs/example/arm42.packets
    printf '%s\n' 'move 0 20 -10 --wait' 'send torques' 'send grip servo=1 --yes' stop >session
    ok hidmotor -q -l "$fast" --record session.pcapng run session
    rm "$public/hidmotor.lua"
    agree hidmotor session.pcapng
    has "$output" "of 8 kinds of message"
}

@test "all dissectors can be installed together, or one loaded from any directory" {
    line=$(sed -n 's/.*`\(install [^`]*wireshark[^`]*\)`.*/\1/p' "$root/docs/README.md")
    ok env HOME="$public" bash -c "cd '$root' && $line"
    same "$(cd "$public/.local/lib/wireshark/plugins" && echo *.lua)" "$(cd "$root/docs/wireshark" && echo *.lua)"
    for tool in $tools; do
        frames $tool | capture $tool $tool.pcapng
        script="" agree $tool $tool.pcapng
    done
    rm "$public/.local/lib/wireshark/plugins/armwire.lua"
    script="" shark canpid canpid.pcapng 2>said >packets
    has "$(cat said)" "armwire.lua is missing: copy it to"
    cp "$root"/docs/wireshark/{armwire,canpid}.lua "$public"
    agree canpid canpid.pcapng
    mkdir "$public/tables"
    mv "$public"/*.lua "$public/tables"
    script=tables/canpid.lua agree canpid canpid.pcapng
}

@test "captures have interface names, directions and nanoseconds, and Wireshark reports no warnings" {
    for tool in $tools; do
        frames $tool | head -n 2 | capture $tool $tool.pcapng
        ok shark $tool $tool.pcapng -T fields -e frame.interface_name -e frame.time_epoch \
            -e frame.packet_flags_direction -e _ws.expert.severity \
            -o ip.check_checksum:TRUE -o udp.check_checksum:TRUE -o tcp.check_checksum:TRUE
        matches "${lines[0]}" $'test\t1700000000.123456789\t0x0000000[12]\t'*
        ok shark $tool $tool.pcapng -o ip.check_checksum:TRUE -o udp.check_checksum:TRUE \
            -o tcp.check_checksum:TRUE -Y '_ws.expert.severity >= "Warning"'
        same "$output" ""
    done
}

@test "the packet line in Wireshark equals the line of decode; the direction distinguishes messages" {
    frames hidmotor | capture hidmotor arm.pcapng
    hidmotor decode arm.pcapng | sed 's/ *$//' >decoded
    shark hidmotor arm.pcapng -T fields -e _ws.col.Info | sed 's/ *$//' >seen
    [ "$(wc -l <seen)" -gt 20 ]
    diff decoded seen
    printf '%s 76 07 00 00%s\n' '>' "$(printf ' 00%.0s' {1..60})" '<' "$(printf ' 00%.0s' {1..60})" |
        capture hidmotor two.pcapng
    ok shark hidmotor two.pcapng -T fields -e hidmotor.dir -e hidmotor.msg -e hidmotor.positions.count
    same "${lines[0]}" $'tx\tpositions\t'
    same "${lines[1]}" $'rx\tpositions\t0'
}

@test "packets of a stream are decoded however they are split and joined" {
    frames ezphys | grep '^<' | cut -c 3- | tr -d ' \n' >all
    fold -w 94 all | sed 's/^/< /; $a\' | capture ezphys cut.pcapng
    agree ezphys cut.pcapng
    [ "$(wc -l <records)" -gt 10 ]
    frames ezphys | grep '^<' | capture ezphys whole.pcapng
    diff <(ezphys decode -j --time none cut.pcapng) <(ezphys decode -j --time none whole.pcapng)
}

@test "the dissector of another variant (--wire) decodes its messages, and shows incomplete frames" {
    ezphys describe --as lua --wire be32 >"$public/ezphys.lua"
    ezphys encode --wire be32 axis_force id=7 axis1=0.5 | sed 's/^/> /' | capture ezphys big.pcapng
    gives $'7\t0.5' shark ezphys big.pcapng -T fields -e ezphys.id -e ezphys.axis_force.axis1
    echo '< 05E#0102' | capture canpid short.pcapng
    gives "joint: 2 bytes instead of 6" shark canpid short.pcapng -T fields -e _ws.expert.message
}

@test "decode reads foreign pcapng and pcap, and truncated captures" {
    frames canpid | capture canpid can.pcapng
    canpid decode -j can.pcapng >whole
    shark canpid can.pcapng -F pcap -w - >can.pcap
    canpid decode -j --time none can.pcap | diff - <(canpid decode -j --time none can.pcapng)
    canpid decode -j --as pcapng - <can.pcapng | diff - whole
    head -c -5 can.pcapng >cut.pcapng
    run -5 --separate-stderr canpid decode cut.pcapng
    same "$output" "$(canpid decode can.pcapng | head -n -1)"
    has "$stderr" "bytes are not a complete packet"
}
