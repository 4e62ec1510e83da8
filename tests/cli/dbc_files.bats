#!/usr/bin/env bats
# DBC files of other nodes: --dbc in all commands that name messages, and invalid files.
load common.bash

prepare() {
    cp "$root/tests/dbc/every.dbc" every.dbc
    cat >bms.dbc <<'END'
BU_: BMS VCU
BO_ 1600 Battery: 4 BMS
 SG_ Voltage : 7|16@0+ (0.01,0) [0|600] "V" VCU
 SG_ State M : 16|4@1+ (1,0) [0|15] "" VCU
 SG_ Low m1 : 24|8@1+ (1,0) [0|255] "%" VCU
BO_ 2566844672 Pack: 8 BMS
 SG_ Energy : 0|64@1- (1,0) [0|0] "Wh" VCU
BO_ 65 Ours: 6 BMS
 SG_ X : 0|8@1+ (1,0) [0|0] "" VCU
VAL_ 1600 State 0 "Not ready" 1 "low" ;
SIG_VALTYPE_ 2566844672 Energy : 2;
END
    printf '(%s) can0 %s\n' 1.0 640#96000000 1.1 041#9A99193F0200 1.2 640#96020107 \
        1.3 18FEF100#000000000000F03F >bus.log
}

@test "DBC files can be given by option, variable and config file" {
    ok canpid -q --dbc bms.dbc decode bus.log
    same "$output" "<- BMS.Battery Voltage=384V State=Not ready
-> kp board=lknee value=0.6 controller=tor
<- BMS.Battery Voltage=384.02V State=low Low=7%
<- BMS.Pack Energy=1Wh"
    ok env CANPID_DBC=bms.dbc canpid -q decode -j 640#96020107
    same "$output" '{"dir":"rx","msg":"BMS.Battery","Voltage":384.02,"State":"low","Low":7}'
    config canpid '[options]' 'dbc = bms.dbc,every.dbc'
    ok canpid -q decode 642#0000000000000001 640#96000000
    same "$output" "<- WholeSigned All=0.001
<- BMS.Battery Voltage=384V State=Not ready"
}

@test "skipped DBC messages are reported once; DBC files cannot replace messages of the joint drivers" {
    ok canpid --dbc bms.dbc decode 041#9A99193F0200
    same "$stderr" "canpid: bms.dbc: skipped: 1 message with an identifier of the joint drivers"
    same "$output" "-> kp board=lknee value=0.6 controller=tor"
    printf '%s\n' 'decode 640#96000000' 'decode 640#96000000' >lines
    ok canpid --dbc bms.dbc run lines
    same "$(grep -c 'skipped' <<<"$stderr")" 1
    silent canpid -q --dbc bms.dbc decode 640#96000000
    printf '%s\n' 'BO_ 1600 A: 8 N' ' SG_ t_ m0 : 8|8@1+ (1,0) [0|0] "" N' \
        ' SG_ t M : 0|8@1+ (1,0) [0|0] "" N' >self.dbc
    gives "<- N.A" timeout 20 canpid --dbc self.dbc decode 640#0000000000000000
    has "$stderr" "1 signal with a duplicate name"
}

@test "an invalid DBC file is reported with its line and opens no link, but a stop is sent" {
    sed 's/: 7|16@0+/: 7|16@0*/' bms.dbc >wrong.dbc
    for command in "watch -n1" describe "decode 640#00" "send BMS.Battery Voltage=1"; do
        exits 2 canpid -l sim: --dbc wrong.dbc $command
        same "$stderr" "canpid: wrong.dbc:3:22: unexpected '*' — expected + (unsigned) or - (signed)"
    done
    ok canpid -l "$fast" --dbc wrong.dbc disable
    exits_with 2 "gone.dbc: No such file" canpid --dbc gone.dbc describe
}

@test "DBC messages can be watched, recorded, decoded, plotted, counted and filtered" {
    prints_lines 2 canpid -q --dbc bms.dbc -l log:bus.log watch -j --fields Voltage
    prints "384.02" canpid -q --dbc bms.dbc -l log:bus.log watch --csv --fields BMS.Battery.Voltage
    for form in pcapng mcap log; do
        ok canpid -q --dbc bms.dbc -l log:bus.log record run.$form
        ok canpid -q --dbc bms.dbc decode run.$form --where 'BMS.Battery.Voltage>384.01'
        has "$output" "Voltage=384.02V State=low Low=7%"
        same "${#lines[@]}" 1
        prints_lines 1 canpid -q --dbc bms.dbc decode run.$form --where 'State=low'
        prints "<- BMS.Pack" canpid -q --dbc bms.dbc info run.$form
    done
    prints "samples=2" canpid -q --dbc bms.dbc plot run.pcapng Voltage --out run.svg
    prints "18FEF100#000000000000F03F" canpid -q --dbc bms.dbc -l log:bus.log dump --as both
}

@test "send asks first and sends only the signals that the multiplexor selects" {
    prints "640#96000107" canpid --dbc bms.dbc -q send BMS.Battery Voltage=384 State=low Low=7 --dry-run
    gives "18FEF100#000000000000F03F" canpid --dbc bms.dbc -q encode BMS.Pack Energy=1
    exits_with 2 "not confirmed — add --yes" canpid --dbc bms.dbc -q -l "$fast" send BMS.Battery Voltage=384 State=0
    exits 2 canpid --dbc bms.dbc -q -l "$fast" send BMS.Battery Voltage=384 State=0 Low=7 --yes
    has "$stderr" "Low not available with this State"
    exits_with 2 "Low is missing" canpid --dbc bms.dbc -q -l "$fast" send BMS.Battery Voltage=384 State=low --yes
    exits 6 canpid --dbc bms.dbc -q -l "$fast" send BMS.Battery Voltage=601 State=0 --yes
    exits 2 canpid --dbc bms.dbc -q -l "$fast" send BMS.Battery Voltage=nan State=0 --yes
    prints "result=sent" canpid --dbc bms.dbc -q -l "$fast" send BMS.Battery Voltage=384 State=0 --yes
}

@test "describe, completion and the Wireshark dissector name DBC messages and files" {
    ok canpid -q --dbc every.dbc describe --as dbc
    printf '%s\n' "$output" >again.dbc
    gives "$(<again.dbc)" canpid -q --dbc again.dbc describe --as dbc
    prints "Deeper" canpid -q --dbc every.dbc describe VCU.Nested
    for as in md json lua; do ok canpid -q --dbc every.dbc describe --as $as; done
    canpid -q --dbc every.dbc describe --as json >every.json
    prints_no "Nested" armwire-code --language matlab every.json
    prints "BMS.Battery" canpid complete -- --dbc bms.dbc encode BMS.B
    prints "Voltage=" canpid complete -- --dbc bms.dbc encode BMS.Battery Vol
    gives "::files dbc" canpid complete -- --dbc bm
    same "$stderr" ""
    command -v tshark >/dev/null || skip "no tshark"
    ok canpid -q --dbc bms.dbc -l log:bus.log record run.pcapng
    canpid -q --dbc bms.dbc describe --as lua >bms.lua
    prints "BMS.Battery Voltage=384.02V State=low Low=7%" tshark -X lua_script:bms.lua -r run.pcapng
    has "$output" "BMS.Pack Energy=1Wh" "kp board=lknee value=0.6"
}

@test "cantools agrees on every DBC feature" {
    /usr/bin/python3 -c 'import cantools' 2>/dev/null || skip "no cantools"
    prints "0 disagreements" env CANPID="$BIN/canpid" /usr/bin/python3 "$root/tests/dbc/compare.py" "$root/tests/dbc"
}

@test "CSV with too many fields warns once, even with -q, and --fields selects columns" {
    for id in 1600 1601 1602; do
        echo "BO_ $id M$id: 8 N"
        for i in {0..49}; do echo " SG_ S${id}_$i : $i|1@1+ (1,0) [0|0] \"\" N"; done
    done >many.dbc
    printf '(%s) can0 %s\n' 1.0 640#0000000000000080 1.1 641#0000000000000000 1.2 642#FFFFFFFFFFFFFFFF >many.log
    ok canpid -q --dbc many.dbc decode --csv many.log
    same "$stderr" "canpid: CSV is limited to 128 columns: some fields are missing — select fields with --fields"
    remarks "CSV is limited to 128 columns" canpid -q --dbc many.dbc -l log:many.log record --for 1s some.csv
    silent canpid -q --dbc many.dbc decode --csv many.log --fields S1600_1,S1602_49
    has "$output" "S1600_1,S1602_49"
}

@test "a recording contains its DBC files and is decoded with them elsewhere" {
    # A file in Windows-1252 with DOS line endings, then two DBC files with a packet file.
    printf 'BO_ 1600 Battery: 2 BMS\r\n SG_ Warmth : 0|16@1+ (0.5,0) [0|0] "\xb0C" VCU\r\n' >bms.dbc
    printf 'CM_ "%s";\n' "$(printf 'ä%.0s' {1..700})" >>bms.dbc
    printf 'BO_ 1602 Fan: 1 VCU\n SG_ Speed : 0|8@1+ (1,0) [0|0] "rpm" BMS\n' >fan.dbc
    printf '[packet lamp]\nid = 1603\nhue = u8 deg\n' >bus.packets
    for form in pcapng mcap; do
        ok canpid -q -l "$fast" --dbc bms.dbc,fan.dbc --packets bus.packets record run.$form \
            --for 0.3s
        ok canpid decode run.$form --fields Warmth,Speed,hue
        same "$(sort -u <<<"$output")" $'<- BMS.Battery Warmth=0°C\n<- VCU.Fan Speed=0rpm\n<- lamp hue=0deg'
        prints "<- VCU.Fan" canpid info run.$form
        hasnt "$output" "DBC file"
        has "$output" "marks=0"
        prints_lines 2 canpid -q -l log:run.$form watch --fields Speed -n 2
        ok canpid -q plot run.$form VCU.Fan.Speed --out run.svg
        # --dbc overrides the files in the recording.
        exits 2 canpid --dbc fan.dbc decode run.$form --fields Warmth
    done
    # A damaged DBC file in a recording is reported.
    sed 's/SG_ Speed : 0/SG_ Speed ; 0/' run.pcapng >bad.pcapng
    exits_with 5 "packets in bad.pcapng:" canpid decode bad.pcapng
    has "$stderr" "--dbc FILE"
}

@test "a server with a DBC file supports watch, send, record and JSON, and rejects unknown messages" {
    cat >bms.dbc <<'END'
BO_ 1600 Battery: 2 BMS
 SG_ Voltage : 7|16@0+ (0.01,0) [0|600] "V" VCU
BO_ 2566844672 Pack: 8 BMS
 SG_ Energy : 0|64@1- (1,0) [0|9] "Wh" VCU
SIG_VALTYPE_ 2566844672 Energy : 2;
END
    start bus canpid -l sim: serve --dbc bms.dbc
    export CANPID_DBC=bms.dbc
    prints '"msg":"BMS.Battery","Voltage":0' canpid -q watch --fields Voltage,Energy -n 4 -j
    has "$output" '"msg":"BMS.Pack","Energy":0'
    ok canpid -q send BMS.Battery Voltage=384 --yes
    gives "<- BMS.Battery Voltage=384V" canpid -q watch --fields Voltage -n 1
    fails 6 canpid -q send BMS.Battery Voltage=601 --yes
    ok canpid -q record run.pcapng --for 0.5s
    ok env -u CANPID_DBC "$BIN/canpid" decode run.pcapng --fields Voltage
    same "$(sort -u <<<"$output")" "<- BMS.Battery Voltage=384V"
    # A client can override neither the server's limits nor those of messages unknown to the client.
    exits_with 6 "601" canpid -q --force send BMS.Battery Voltage=601 --yes
    printf '[packet lamp]\nid = 1700\ndir = tx\nhue = u8 min=0 max=9\n' >lamp.packets
    exits 6 canpid -q --packets lamp.packets send lamp hue=9 --yes
    has "$stderr" "the server cannot check this frame against its limits"
    has "$stderr" "--packets or --dbc that describes the frame"
    end "$pid"
    start free canpid -l sim: serve --force
    ok canpid -q --packets lamp.packets send lamp hue=9 --yes
}

@test "a server rejects packets and lines that it cannot check" {
    start board hidmotor -l sim: serve
    fails_with 6 "id 3000" hidmotor -q send 3000 1 2 3 --yes
    ok hidmotor -q send 1910
    start arm armctl -l sim: serve
    ok armctl -q ping
    fails 6 armctl -q send FOO1 --retries 0
    ok armctl -q send DEG1,020
}

@test "a server refuses setpoints for an unnamed driver; with --force it sends them and disables the driver at the end" {
    start near canpid -l sim: serve
    exits 6 canpid -q -l serve: setpoint 10deg --max-jump 90deg -b 0x100 -c pos --force
    has "$stderr" "id 104: unknown driver — give its board id with -b 0x100"
    end "$pid"
    start free canpid -l sim: serve --force --record bus.pcapng
    printf 'setpoint 10deg --max-jump 90deg -b 0x100 -c pos --force\n' >lines
    # An unnamed board stays enabled after a script; the server disables it.
    run canpid -q -l serve: run lines
    end "$pid"
    prints "-> setpoint board=256 value=10deg" canpid decode -b 0x100 bus.pcapng --where 'setpoint.value != 0'
    has "${lines[-1]}" "-> setpoint board=256 value=disable"
}
