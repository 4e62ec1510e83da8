#!/usr/bin/env bats
# hidmotor with its simulator: every command and error; the arm holds at the end.
load common.bash

# Runs a command with the simulator in virtual time. virtual_json adds -j.
virtual() { ok hidmotor -q -l "$fast" "$@"; }
virtual_json() { ok hidmotor -q -j -l "$fast" "$@"; }
virtual_gives() { gives_json "$1" "$2" hidmotor -q -j -l "$fast" "${@:3}"; }

# Starts a simulator that one process at a time can use; $url is its link. count_reports ends it and sets
# $received.
board() {
    start board hidmotor sim --listen "unix-listen:$D/board" "$@"
    export HIDMOTOR_TIMEOUT=${patience}s # allows for a simulator that waits for a processor
}
count_reports() {
    kill "$pid"
    wait_for board "reports received"
    received=${line#*: }
    received=${received%% *}
}

# joints [FILTER]: prints setpoint and position of each motor at $url, such as [[45,44.4],…].
joints() {
    hidmotor -q -j -l "$url" status | jq -c "[.m1,.m2,.m3] | map([.target,.actual]) | ${1:-.}"
}

# held TARGET…: requires that the setpoints stay constant and differ from these targets.
held() {
    local before
    before=$(joints 'map(.[0])')
    hidmotor -q -l "$url" ping -n 50 --rate 500 >/dev/null
    same "$(joints 'map(.[0])')" "$before"
    for target; do [ "$before" != "$target" ]; done
}

# ---- Moves ---------------------------------------------------------------------------------------

@test "move --wait arrives within 3 deg; move, jog and home leave other joints unchanged" {
    ok hidmotor -l "$fast&state=running" move 0 45 -30 duration=500ms --wait -j
    same "$(json '[.cmd,.ok,.result]')" '["move",true,"arrived"]'
    same "$(json '[(.m1.actual-0),(.m2.actual-45),(.m3.actual+30)] | map(fabs <= 3) | all')" true
    same "$(json '.ms >= 500 and .ms < 2000')" true
    same "$(head -n 1 <<<"$output" | jq -c '[.dir,.msg,.duration,.mode,.m1,.m2,.m3]')" \
        '["tx","set_setpoints",500,"sinusoidal",0,45,-30]'
    has "$stderr" "this is the simulator"
    board
    ok hidmotor -q -l "$url" move 10 20 -30 --wait
    matches "$output" "move result=arrived m1.target=10deg m1.actual=*deg m2.target=20deg *"
    ok hidmotor -q -l "$url" move elbow=5 duration=200ms mode=linear --wait=2deg
    same "$(joints 'map(.[0] | round)')" "[10,20,5]"
    ok hidmotor -q -l "$url" jog shoulder -5 duration=200ms --wait
    same "$(joints 'map(.[0] | round)')" "[10,15,5]"
    ok hidmotor -q -l "$url" jog m1 +5deg duration=200ms --wait
    same "$(joints 'map(.[0] | round)')" "[15,15,5]"
    gives_json '[.cmd,.ok,.result]' '["home",true,"arrived"]' hidmotor -q -l "$url" home duration=300ms --wait -j
    same "$(joints 'map(.[0] | round)')" "[0,0,0]"
    prints_like "move result=sent m1=1deg m2=2deg m3=3deg ms=*" hidmotor -q -l "$url" move 1 2 3
}

@test "move, jog, home and moveto require a unit for short durations and limit the speed to 200 deg/s" {
    for words in 'move m2=90 duration=2' 'jog m2 5 duration=2' 'home duration=.5' 'home duration=1e1' \
        'moveto 120 50 150 duration=2'; do
        refuses 2 hidmotor -q -l "$fast" --record none.pcapng $words
        has "$why" "${words%% *}: duration=${words##*=} has no unit — write "
        hasnt "$(hidmotor decode none.pcapng 2>/dev/null)" set_setpoints
    done
    fails 2 hidmotor -q -j -l "$fast" <<<'{"cmd":"move","m2":90,"duration":2}'
    while IFS='|' read -r part words; do
        fails_with 6 "$part" hidmotor -q -l "$fast" --record none.pcapng $words
        hasnt "$(hidmotor decode none.pcapng 2>/dev/null)" set_setpoints
        ok hidmotor -q -l "$fast" --force $words
    done <<'END'
m2: 90 deg in 0.002 s is faster than 200 deg/s — check its unit, s or ms; use duration=707ms|move m2=90 duration=2ms
m2: 60 deg in 0 s is faster than 200 deg/s — use duration=472ms or more, or --force|move 0 60 0 duration=0
m2: 60 deg in 0.1 s is faster|move 0 60 0 duration=100ms
m2: 60 deg in 0.299 s is faster than 200 deg/s — use duration=300ms or more|move 0 60 0 duration=299ms mode=linear
m2: 50 deg in 0.1 s is faster|jog shoulder 50 duration=100
in 0.05 s is faster|moveto 120 50 150 duration=50ms
END
    remarks_no "deg/s" hidmotor -l "$fast" move 0 60 0 duration=472
    ok hidmotor -q -l "$fast" move 0 60 0 duration=300ms mode=linear
    # A script may send setpoints as close together as a stream.
    printf 'move 0 %s 0 duration=0\n' 2 4 1.5 >steps
    ok hidmotor -q -l "$fast" run steps
    echo 'move 0 6 0 duration=0' >>steps
    exits 6 hidmotor -q -l "$fast" run steps
    has "$stderr" "m2: 4.5 deg in 0 s is faster than 200 deg/s — use duration=36ms or more"
    # Without a duration, a move takes a second, or longer if the speed limit requires it.
    printf 'move m1=-90 m2=45 --wait\nhome duration=0.1s\nmove m1=90 --wait\n' >lines
    exits_with 6 "m1: 90 deg in 0.1 s is faster than 200 deg/s" hidmotor -q -l "$fast" run lines
    sed -i 2d lines
    ok hidmotor -q -l "$fast" --record run.pcapng run lines
    same "$(hidmotor decode -j run.pcapng | jq -c 'select(.dir == "tx" and .msg == "set_setpoints") | .duration' | tr '\n' ' ')" '1000 1414 '
}

@test "moving one joint continues or cancels the motion of another; a cancelled motion is reported" {
    board
    printf '%s\n' 'jog m2 5' 'jog m3 5 --wait' >lines
    ok hidmotor -q -l "$url" run lines
    same "$(joints 'map(.[0])')" "[0,5,5]"
    printf '%s\n' 'move 0 40 -10 duration=3s' 'move m3=5 duration=1s' 'move m3=8 --wait' >lines
    remarks "duration=1s: m2 is still moving, so the motion takes" hidmotor -l "$url" run lines
    same "$(joints 'map(.[0])')" "[0,40,8]"
    # The setpoints of another process's motion are known, but not its end.
    ok hidmotor -q -l "$url" move 0 0 0 duration=5s
    remarks "motion of m2 cancelled: stays at" hidmotor -l "$url" move m3=8 --wait
    has "$output" "cancelled=m2"
    prints_no cancelled hidmotor -q -l "$url" move m3=7 --wait
}

@test "values beyond limits exit 6 and send nothing; NaN and infinity exit 2, even with --force" {
    while IFS='|' read -r status part words; do
        refuses "$status" hidmotor -l "$fast" $words
        has "$why" "$part"
    done <<'END'
6|shoulder: 200 deg is out of range (-45 to 100|move 0 200 0
6|elbow: 63.1 deg is out of range (-90 to 63|move 0 0 63.1
6|base: -90.5 deg|move m1=-90.5
2|'nan' is not a number|move 0 nan 0
2|'inf' is not a number|move 0 0 inf
2|out of range for a 32-bit float|--force move 0 1e39 0
2|1e999|--force move 0 1e999 0
2|no joint given|move
2|no joint given|velocity
2|'wrist'|jog wrist 5
2|unit|move 0 5mm 0
6|duration|move 0 0 0 duration=7200s
2|mode|move 0 0 0 mode=round
6|181|gripper 181
2|did you mean 'open'|gripper opne
2|unknown position 'half' — use open, close, 50%|gripper half
2|decimal comma — write 10.5|move 10,5
2|write base=VALUE without blanks|move base = 20
2|write base=VALUE without blanks|move base =20
6|hue|light 2 1 1
2|saturation|light 0.5
6|mm out of reach|moveto 300 0 95
6|m3 (elbow)|moveto 0 0 95
2|not a number|moveto 100 nan 95
END
    fails_with 6 "elbow: 100 deg is out of range" hidmotor -q -l "$fast" jog elbow 100 # jog starts at the setpoint
    fails 1 hidmotor -q -l "$fast" --force move 0 120 0 --wait # the board limits the setpoint, too
    has "$why" "setpoint stays at 100.00 deg instead of 120.00 deg"
}

# ---- Other commands ------------------------------------------------------------------------------

@test "status prints a table, a record, CSV or one value" {
    virtual status
    matches "${lines[0]}" "joint * target * actual unit * fault * age *"
    matches "${lines[1]}" "m1 base * 0.00 * deg * 0.00deg/s * "?*
    same "${#lines[@]}" 4
    virtual_json status
    same "$(jq_itself -c '[.cmd, ([.m1,.m2,.m3] | map(keys_unsorted) | unique)]' <<<"$output")" \
        '["status",[["target","actual","unit","fault","age","velocity","effort"]]]'
    virtual status --csv
    has "${lines[0]}" "m1.target,m1.actual,m1.unit,m1.fault,m1.age,m1.velocity,m1.effort,m2.target"
    prints_like "0 *" hidmotor -q -l "$fast" status --format '%{m2.target} %{m3.actual}'
}

@test "gripper, light and velocity are confirmed by the echo; gripper accepts a percentage" {
    while IFS='|' read -r words result; do
        prints_like "$result result=confirmed ms=*" hidmotor -q -l "$fast" $words
        virtual_gives '[.cmd,.ok,.result]' "[\"$result\",true,\"confirmed\"]" $words
    done <<'END'
gripper open|gripper
gripper close|gripper
gripper 90|gripper
light 0.33 1 0.5|light
velocity elbow=100|velocity
velocity 150 0 0|velocity
END
    while read -r value byte; do
        virtual -v gripper "$value"
        has "$stderr" "-> AA 07 00 00 $byte "
    done <<'END'
0% 00
0.4% 01
50% 5A
100% B4
open B4
close 00
90 5A
END
    rows refuses hidmotor -l "$fast" gripper <<'END'
6|101%
6|-1%
2|0.5
2|nan%
2|90deg
END
    fails_with 2 "whole number" hidmotor encode gripper value=100%
}

@test "stop holds the measured positions" {
    gives_json '[.cmd,.ok,.result,.measured]' '["stop",true,"confirmed",true]' hidmotor -q -j -l "$fast" stop
    board
    ok hidmotor -q -l "$url" move 60 60 -60 duration=20s
    ok hidmotor -q -l "$url" ping -n 20 --rate 100
    ok hidmotor -q -l "$url" stop
    held "[60,60,-60]" "[0,0,0]"
}

# bats test_tags=direct
@test "ping prints the number of answers, losses and round-trip times" {
    virtual_gives '[.n,.lost,.foreign,.p50_ms == 1,.max_ms >= .p99_ms]' '[20,0,0,true,true]' ping -n 20
    prints "round trip        20      0    1.000 " hidmotor -l "$fast" ping -n 20
    fails_with 3 "no answer" hidmotor -q -l "$fast&fault=lost" ping -n 3
    gives_json '.n == 200 and .lost > 20 and .lost < 120' true hidmotor -q -j -l "$fast&fault=lost:30%" ping -n 200
}

@test "send requires --yes except for queries, and refuses invalid data and jumps" {
    fails_with 2 "--yes" hidmotor -l "$fast" send 1848
    refuses_with 6 "jump" hidmotor -l "$fast" send 1848 --yes
    refuses 6 hidmotor -l "$fast" send 1848 500 1 --yes
    refuses 6 hidmotor -l "$fast" send 1848 500 1 0 145 0 --yes
    refuses 2 hidmotor -l "$fast" send 1848 500 1 0 nan 0 --yes
    refuses 2 hidmotor -l "$fast" send 1910 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 --yes
    refuses 2 hidmotor -l "$fast" send 1962 --bytes XY --yes
    has "$why" "--bytes: column 1: 'X' is not a hex digit"
    refuses 2 hidmotor -l "$fast" send 1910 m1=3 --yes
    refuses 2 hidmotor -l "$fast" --packets "$root/docs/example/arm10.packets" send grip 3 --yes
    gives_json '[.dir,.msg,.m2]' '["rx","set_setpoints",45]' hidmotor -q -j -l "$fast" send 1848 500 1 0 45 -30 --yes
    gives_json '[.msg,.count]' '["positions",3]' hidmotor -q -j -l "$fast" send 1910 # a query needs no confirmation
    prints "gripper value=180" hidmotor -q -l "$fast" send 1962 --bytes B4 --yes
    for id in 1822 1857 1825; do virtual send $id; done
    fails 2 hidmotor -l "$fast" send 4660
    if [ -n "${SERVED:-}" ]; then # a server rejects unknown packets
        fails 6 hidmotor -q -l "$fast" send 4660 --yes
        fails 1 hidmotor -q -l "$fast" --force send 4660 --yes
    else
        fails 1 hidmotor -q -l "$fast" send 4660 --yes
    fi
    has "$why" "does not support packet 4660"
}

@test "non-finite values are never sent, and values out of range only with --force" {
    while IFS='|' read -r status words; do
        refuses "$status" hidmotor -l "$fast" $words
    done <<'END'
2|--yes send 1811 --bytes 0000C07F0000807F
2|--yes --force send 1811 --bytes 0000C07F0000807F
2|--yes --force send 1900 --bytes 0000C07F
2|--yes --force send 1810 --bytes 0000807F
2|--yes --force send 2000 --bytes 0000C07F
2|--force velocity nan 0 0
6|--force velocity 1e39 0 0
6|velocity 1e30 0 0
6|velocity 0 -481 0
6|--yes send 1811 877
6|--yes send 1962 --bytes C8
6|--yes send 2000 2 1 1
6|move 0 0 0 mode=1e30
6|move 0 0 0 mode=0.5
END
    virtual --force velocity 1e30 0 0
    virtual --force --yes send 1962 --bytes C8
    # A recording and records give the same values.
    hidmotor -q --force -l "$fast" --record fast.pcapng velocity 1e30 0 0
    refuses 6 hidmotor -l "$fast" replay fast.pcapng
    echo '{"msg":"set_velocity","m1":1e30}' >fast
    fails 6 hidmotor -q -l "$fast" run fast
    fails 6 hidmotor encode set_velocity m1=1e30
    # A timeout beyond the range of integers is accepted as a long one.
    virtual --timeout 1e9 status
}

@test "tip computes positions and angles without a board, and moveto moves the tip there" {
    gives "tip x=100mm y=0mm z=195mm" hidmotor tip 0 0 0
    ok hidmotor -j tip 20 45 -30
    point=$(json '"x=\(.x) y=\(.y) z=\(.z)"' | tr -d '"')
    ok hidmotor -j tip $point
    same "$(json '[.cmd,.ok] + ([.m1,.m2,.m3] | map(. * 1000 | round / 1000))')" '["tip",true,20,45,-30]'
    fails_with 6 "12.3 mm out of reach" hidmotor tip x=212.3 y=0 z=95
    fails_with 6 "27 deg beyond its limit of 63 deg" hidmotor tip x=0 y=0 z=95
    fails 2 hidmotor tip x=nan y=0 z=95
    fails 6 hidmotor tip 0 120 0
    for words in "" 0 "0 45" "0 45 -30 120" "m1=0 m2=0 z=9" "x=0 y=0"; do
        fails_with 2 "requires three values" hidmotor tip $words
    done
    gives "tip m1=0deg m2=0deg m3=0deg" hidmotor tip x=10cm y=0 z=0.195m
    board
    ok hidmotor -q -l "$url" moveto 120mm 50mm 150mm duration=500ms --wait
    ok hidmotor -j tip "$(joints '.[0][0]')" "$(joints '.[1][0]')" "$(joints '.[2][0]')"
    same "$(json '[.x,.y,.z] | map(round)')" '[120,50,150]'
}

# ---- Gains ---------------------------------------------------------------------------------------

@test "gains are shown, set, saved, compared and applied; an invalid file changes nothing" {
    board
    ok hidmotor -q -l "$url" gains
    same "${lines[0]}" "m1 pid kp 0.1"
    same "${#lines[@]}" 18
    ok hidmotor -q -l "$url" gains save old.gains
    ok hidmotor -q -l "$url" gains set elbow.kp=0.02 m1.kd=31
    ok hidmotor -q -l "$url" gains
    same "$(grep -v '^#' old.gains | diff - <(printf '%s\n' "$output") | grep '^>' | xargs)" \
        "> m1 pid kd 31 > m3 pid kp 0.02"
    fails 1 hidmotor -q -l "$url" gains diff old.gains
    same "$output" $'~ m1 pid kd 30 (was 31)\n~ m3 pid kp 0.015 (was 0.02)'
    fails 1 hidmotor -j -q -l "$url" gains diff old.gains
    same "$(json '[.cmd,.ok,.exit,.differ]')" '["gains",false,1,2]'
    same "${lines[1]}" '{"motor":"m3","controller":"pid","gain":"kp","from":0.02,"to":0.015}'
    ok hidmotor -q -l "$url" gains apply old.gains
    gives "" hidmotor -q -l "$url" gains diff old.gains
    ok hidmotor -q -l "$url" gains set --velocity base.kp=0.3
    prints "m1 velocity kp 0.3" hidmotor -q -l "$url" gains
    while IFS='|' read -r status part text; do
        printf 'm1 pid kp 5\n%s\n' "$text" >bad.gains
        fails "$status" hidmotor -q -l "$url" --force gains apply bad.gains
        has "$why" "bad.gains:2" "$part"
    done <<'END'
2|unknown motor|m4 pid kp 1
2|unknown controller|m2 pos kp 1
2|unknown gain|m2 pid kq 1
2|not a number|m2 pid kp nan
6|sets velocity ki to 0|m2 velocity ki 1
2|duplicate|base pid kp 5
2|not a gain|m2 pid kp
END
    rows fails hidmotor -q -l "$url" gains <<'END'
2|apply nope.gains
2|frob
2|set elbow.kp=nan
2|set elbow.kq=1
2|save
END
    ok hidmotor -q -l "$url" gains
    same "${lines[0]}" "m1 pid kp 0.1"
}

# ---- Record and play -----------------------------------------------------------------------------

@test "record writes column names that watch, play, plot and info accept" {
    ok hidmotor -l "$fast" record run.csv --for 2s
    matches "$output" "record samples=* repeats=* duration=[12]*s interval_max_ms=*"
    hasnt "$output" interval_p
    ok hidmotor -v -l "$fast" record all.csv --for 100ms
    matches "$output" "record * interval_min_ms=* interval_mean_ms=* interval_p50_ms=* interval_p95_ms=* interval_p99_ms=* interval_max_ms=*"
    ok hidmotor -q -j -l "$fast" play all.csv
    same "$(json .late_p95_ms,.m1.rms,.m1.actual | jq -s -c "map(type) | unique")" "[\"number\"]"
    ok hidmotor -q -l "$fast" play all.csv
    matches "$output" "play points=* joints=3 duration=*s sent=* lost=0 m1.lag_ms=*ms m1.rms=*deg m2.lag_ms=*ms m2.rms=*deg m3.lag_ms=*ms m3.rms=*deg late_max_ms=*"
    same "$(head -n 1 run.csv)" "t,m1.position,m2.position,m3.position,m1.setpoint,m2.setpoint,m3.setpoint,m1.velocity,m2.velocity,m3.velocity,m1.effort,m2.effort,m3.effort"
    same "$(sed -n '2s/,.*//p' run.csv)" 0
    gives_json '[.cmd,.ok,.lost]' '["play",true,0]' hidmotor -q -j -l "$fast" play run.csv
    same "$(json '.duration > 1.9 and .duration < 2.1')" true
    for field in m1.position m3.setpoint; do
        prints "$field=" hidmotor -q -l "$fast" watch "$field" -n 1 # the name that watch prints
        ok hidmotor plot "$field" run.csv --out run.svg
        has "$(<run.svg)" "$field"
    done
    ok hidmotor info -j run.csv
    same "$(jq -sr '[.[] | select(.field).field] | join(" ")' <<<"$output")" \
        "m1.position m2.position m3.position m1.setpoint m2.setpoint m3.setpoint m1.velocity m2.velocity m3.velocity m1.effort m2.effort m3.effort"
}

@test "play reproduces a recorded motion" {
    cat >script <<'END'
move 60 60 -60 duration=1500ms
record run.csv --for 2500ms
home --wait
play run.csv
END
    virtual_json <script
    same "$(jq -c 'select(.cmd) | [.cmd,.ok]' <<<"$output" | xargs)" \
        "[move,true] [record,true] [home,true] [play,true]"
    same "$(json '[.m1.actual-60,.m2.actual-60,.m3.actual+60] | map(fabs < 5) | all')" true
}

@test "play accepts a recording of the fastest motion, and a recording that was interrupted" {
    printf 'move 60 60 -60\nrecord run.csv --for 1s\nhome --wait\nplay run.csv\n' >script
    gives_json '[.cmd,.ok]' '["play",true]' hidmotor -q -j -l "$fast" <script
    board
    mkfifo live.csv
    background hidmotor -q -j -l "$url" record live.csv >client.out
    exec {live}<live.csv
    read -r first <&"$live"
    read -r second <&"$live"
    kill -TERM "$client"
    { printf '%s\n%s\n' "$first" "$second" && timeout "$patience" cat <&"$live"; } >broken.csv
    wait "$client" && false || same $? 143
    same "$(tail -n 1 client.out | jq -c '[.cmd,.ok,.exit]')" '["record",false,143]'
    virtual play broken.csv
}

@test "record and ping print their measurements when a signal ends them" {
    local -A said_by=([record]="record sa" [ping]="round trip  ")
    board
    for words in "record run.csv" "ping --for 60s"; do
        under_way hidmotor -v -l "$url" $words
        wait_for client "<- 76 07"
        wait_for client "<- 76 07"
        ended 143 TERM
        matches "$(<client.out)" "*${said_by[${words%% *}]}*"
    done
}

# bats test_tags=direct
@test "record supports velocity and effort, --fields, --rate, --no-header and --until-arrived" {
    printf 'move 0 60 0 duration=1s\nrecord a.csv --until-arrived\n' | ok hidmotor -q -l "$fast"
    same "$(awk -F, 'NR > 1 && $9 > 20 { v = 1 } NR > 1 && $12 != 0 { e = 1 } END { print v, e }' a.csv)" "1 1"
    virtual record b.csv -n 3 --fields elbow.position,effort
    same "$(<b.csv)" "t,m3.position,m1.effort,m2.effort,m3.effort
0,-0.72,0,0,0
0.002,-0.72,0,0,0
0.004,-0.72,0,0,0"
    virtual record b.csv -n 3 --fields position # fields that are not selected are not polled, which doubles the rate
    same "$(sed -n '3s/,.*//p' b.csv)" 0.001
    fails_with 2 "not recorded" hidmotor -q -l "$fast" record b.csv --fields m1.kp
    same "$(wc -l <b.csv)" 4
    virtual_gives '[.samples,(.interval_p50_ms|round),(.duration*100|round)]' '[10,10,9]' record a.csv -n 10 --rate 100
    same "$(wc -l <a.csv)" 11
    virtual record b.csv -n 10 --no-header
    same "$(wc -l <b.csv)" 10
    fails 5 hidmotor -q -l "$fast" play b.csv
    has "$why" "no header — name the 13 columns in the first line, or give --columns t_s,m1,m2,m3,gripper,-"
    virtual_json play b.csv --columns t,m1,m2,m3,-,-,-,-,-,-,-,-,- --dry-run
    printf 'move 0 45 0 duration=500ms\nrecord c.csv --until-arrived\n' >script
    gives_json '.duration > 0.5 and .duration < 2' true hidmotor -q -j -l "$fast" run script
    fails 2 hidmotor -q -l "$fast" record /nope/run.csv --for 0.1s
}

@test "play interpolates linear, cubic and quintic, and ends at the last point or after --for" {
    printf 't,m1,m2,m3\n0,0,0,0\n1,10,20,-30\n2,60,80,0\n' >way.csv
    for shape in "" --cubic --quintic; do
        virtual_gives '[.ok,.points,.duration,.sent,.lost]' '[true,3,2,100,0]' play way.csv $shape
        same "$(json '[.m1.actual-60,.m2.actual-80,.m3.actual] | map(fabs <= 3) | all')" true
    done
    gives_json .sent 200 hidmotor -q -j -l "$fast" play way.csv --rate 100
    fails 2 hidmotor -q -l "$fast" play way.csv --cubic --quintic
    remarks "within limits" hidmotor --dry-run play way.csv
    printf 't,m1,m2,m3\n0,0,0,0\n1,0,10,0\n' >up.csv
    for loop in --cubic --loop; do
        ok timeout "$patience" hidmotor -q -j -l "$fast" play up.csv --for 0.5s "$loop"
        same "$(json '[.ok,.sent]')" '[true,25]'
    done
    ok timeout "$patience" hidmotor -q -j -l "$fast" play up.csv --for 2.5s --loop
    same "$(json '.sent > 60 and .sent <= 125')" true
}

@test "play refuses a jump at the start and excessive speed, and stops on following error" {
    printf 't,m1,m2,m3\n0,0,60,0\n1,0,80,0\n1.2,0,60,0\n' >away.csv
    board
    fails 6 hidmotor -q -l "$url" play away.csv
    matches "$why" "*shoulder is at * deg, the first target is 60 deg: farther than --max-jump 40 deg — give --approach 10deg/s to move there first*"
    fails 6 hidmotor -q -l "$url" play away.csv --approach 900deg/s
    fails 2 hidmotor -q -l "$url" play away.csv --approach 10mm/s
    same "$(joints '.[1][0]')" 0
    gives_json '[.ok, .sent]' '[true,120]' hidmotor -q -j -l "$fast" play away.csv --max-jump 1.1rad --speed 50%
    gives_json '[.ok, .sent]' '[true,60]' hidmotor -q -j -l "$fast" play away.csv --approach 60deg/s --record way.pcapng
    fails_with 6 "--speed 199%" hidmotor -q -l "$fast" play away.csv --approach 60deg/s --speed 3
    gives_json .sent 60 hidmotor -q -j -l "$fast" play away.csv --approach 60deg/s --fit # at the highest permitted speed
    printf 't,m1,m2,m3\n0,0,0,0\n1,0,90,0\n' >hasty.csv # its following error is 7 deg
    fails_with 1 "m2 stays" hidmotor -q -l "$fast" play hasty.csv --max-lag 2deg
    has "$why" "behind its target, more than --max-lag 2 for 0.3 s" "stopped: holding"
}

@test "play accepts targets on the limits; --force accepts others within the range of a float" {
    # In double precision, -39.92 + (90 - -39.92) is 90.00000000000001.
    printf '0,90,100,63\n2,-90,-45,-90\n4,-39.92,-39.61,-39.65\n7,90,100,63\n' >way.csv
    virtual play way.csv --columns t,m1,m2,m3 --approach 100deg/s
    printf '0,90,100,63\n4,-90,-45,-90\n' >ends.csv
    virtual play ends.csv --columns t,m1,m2,m3 --cubic --approach 100deg/s
    printf 't,m1,m2,m3\n0,0,0,0\n1,1e39,1,1\n' >far.csv
    fails_with 6 "far.csv:3:1: m1: 1e+39 deg" hidmotor -v --force -l "$fast" play far.csv
    printf 't,m1,m2,m3\n0,0,0,0\n0.5,95,0,0\n1,0,0,0\n' >near.csv
    ok hidmotor --force --dry-run play near.csv
}

# lab KIND: prints a recording like those of the course's programs: from 0 to 20, 30, -40 deg in 2 s, read every 4
# ms, measured every 16 ms. Kinds differ in column order, time unit, separator and header.
lab() {
    awk -v kind="$1" '
    function row(a, b, c, d) { return a between b between c between d }
    function deg(share, way) { return int(share * way / 0.24) * 0.24 }
    BEGIN {
        unit = kind ~ /(^| )ms/ ? 1000 : 1
        between = kind ~ /tabs/ ? "\t" : kind ~ /semicolons/ ? ";" : kind ~ /blanks/ ? " " : ","
        time = unit > 1 ? "t_ms" : "t_s"
        if (kind ~ /header/) print kind ~ /last/ ? row("q1", "q2", "q3", time) : row(time, "q1", "q2", "q3")
        for (ms = 0; ms <= 2000; ms += 4) {
            share = int(ms / 16) * 16 / 2000
            a = deg(share, 20); b = deg(share, 30); c = deg(share, -40)
            t = ms / 1000 * unit
            line = kind ~ /last/ ? row(a, b, c, t) : row(t, a, b, c)
            print line (kind ~ /more/ ? between 4 : "")
        }
    }'
}

@test "play reads the file types of the robotics course with --columns" {
    while IFS='|' read -r kind columns; do
        lab "$kind" >lab.csv
        fails_with 5 "--columns " hidmotor -q -l "$fast" play lab.csv
        virtual_gives '[.ok, (.duration > 1.95 and .duration < 2.05)]' '[true,true]' play lab.csv --columns "$columns"
        same "$(json '[.m1.target-20,.m2.target-30,.m3.target+40] | map(fabs < 0.5) | all')" true
    done <<'END'
header ms|t_ms,m1.position,m2.position,m3.position
header ms last|m1.position,m2.position,m3.position,t_ms
header s semicolons|t_s,base.position,shoulder.position,elbow.position
ms tabs last|m1.position,m2.position,m3.position,t_ms
ms blanks|t_ms,m1.position,m2.position,m3.position
s|t,m1.position,m2.position,m3.position
ms last more semicolons|m1.position,m2.position,m3.position,t_ms,-
END
}

@test "play --dry-run prints the bytes of the whole stream, with -q too" {
    printf 't,m1,m2,m3\n0,0,0,0\n0.06,6,3,-3\n' >way.csv
    silent hidmotor -q --dry-run play way.csv
    same "${#lines[@]}" 6
    same "${lines[2]}" "-> set_setpoints duration=20ms mode=linear m1=4deg m2=2deg m3=-2deg"
    matches "${lines[3]}" "   38 07 00 00 00 00 A0 41 00 00 00 00 00 00 80 40 00 00 00 40 00 00 00 C0 *"
    ok hidmotor -q -j --dry-run play way.csv
    same "$(jq -sc 'map(.t // empty)' <<<"$output")" '[0,0.02,0.04]'
    ok hidmotor -q --csv --dry-run play way.csv
    same "$(grep -c 'bytes: 38 07' <<<"$stderr")" 3
    # The sent packets equal those shown by --dry-run.
    ok hidmotor -q -l "$fast" --record way.pcapng play way.csv
    same "$(hidmotor decode -j way.pcapng | jq -c 'select(.dir == "tx" and .duration == 20) | [.m1,.m2,.m3]' | tr '\n' ' ')" '[2,1,-1] [4,2,-2] [6,3,-3] '
}

# advised FILE: requires that play rejects the file, then plays it with the suggested options. $why is the error.
advised() {
    fails 5 hidmotor -q -l "$fast" play "$1"
    [[ $why =~ (--columns .*)$ ]]
    gives_json '[.cmd, .ok]' '["play",true]' hidmotor -q -j -l "$fast" play "$1" ${BASH_REMATCH[1]}
}

@test "play rejects ambiguous files and suggests the --columns that play them" {
    printf '0,0,0,0\n1,10,20,-3\n' >bare.csv
    advised bare.csv
    has "$why" "bare.csv:1:1: no header — name the 4 columns in the first line, or give --columns t_s,m1,m2,m3"
    same "$(json .duration)" 1
    printf 'zeit,m1,m2,m3\n0,0,0,0\n0.5,10,20,-3\n1,20,30,-4\n' >mine.csv
    advised mine.csv
    has "$why" "no time column in zeit, m1, m2, m3 — name one t_s or t_ms"
    sed 's/zeit/time/' mine.csv >time.csv
    advised time.csv
    has "$why" "column time: unit of time unknown"
    sed 's/zeit/seconds/' mine.csv >seconds.csv
    ok hidmotor -q -l "$fast" play seconds.csv
    sed 's/zeit/t/; s/m1/waist/' mine.csv >waist.csv
    advised waist.csv
    has "$why" "joint 'waist' not found"
    same "$(json .joints)" 2
    printf 't,m1,m2,m3,note\n0,0,0,0,a\n1,10,20,-30,\n' >note.csv
    advised note.csv
    printf 'm1,m2,m3\n0,0,0\n1,2,3\n2,4,6\n' >angles.csv
    advised angles.csv
    same "$(json .duration)" 0.04
    printf '0.1,0,1,0.2,0,1,0.3,0,1\n0.2,5,1,0.3,5,1,0.4,5,1\n0.2,0,1,0.3,0,1,0.4,0,1\n' >log.csv
    advised log.csv # position, velocity and torque of three joints, without times
    has "$why" "or give --columns m1,-,-,m2,-,-,m3,-,- --every 20ms"
    sed '1i pos1,vel1,tau1,pos2,vel2,tau2,pos3,vel3,tau3' log.csv >log_named.csv
    advised log_named.csv
    has "$why" "or give --columns m1,-,-,m2,-,-,m3,-,- --every 20ms"
    printf 'Zeit;Schulter;Ellbogen\n0;0;0\n1;10;20\n' >german.csv # unknown names are not assigned to the first two joints
    fails_with 5 "or give --columns t_s,-,- with joints in place of -" hidmotor -q -l "$fast" play german.csv
    fails 5 hidmotor -q -l "$fast" play german.csv --columns t_s,-,-
    fails_with 5 "the file has times in column t" hidmotor -q -l "$fast" play note.csv --every 20ms
    printf 't,m2\n0,0\n1,30\n' >one.csv # a path of one joint
    virtual_json play one.csv
    same "$(json '.joints, .m2.target' | xargs)" "1 30"
    printf 't,m1,m2,m3\n0,0,0,0\n0.002,10,90,-3\n' >ms.csv
    fails_with 6 "check the unit of the times, s or ms" hidmotor -q -l "$fast" play ms.csv
}

@test "play accepts measured positions slightly beyond limits and speed" {
    printf 't,m1.position,m2.position,m3.position\n0,0,0,0\n1,92,20,-30\n1.1,66,20,-30\n' >run.csv
    virtual_json play run.csv
    sed '1s/.position//g' run.csv >typed.csv
    fails_with 6 "m1: 92 deg at 1 s is beyond its limit of 90 deg" hidmotor -q -l "$fast" play typed.csv
    sed 's/92/89/; s/66/60/' typed.csv >fast.csv
    fails 6 hidmotor -q -l "$fast" play fast.csv
    has "$why" "m1: 290 deg/s at 1 s is faster than 200 — use --speed 68% or --fit"
    ok hidmotor -q -l "$fast" play fast.csv --speed 68%
    ok hidmotor -q -j -l "$fast" play fast.csv --fit
    sed 's/92/94/' run.csv >far.csv
    fails 6 hidmotor -q -l "$fast" play far.csv
}

@test "play sends nothing if a row of the file is invalid or the file has no path" {
    board
    while IFS='|' read -r status part row; do
        printf 't,m1,m2,m3\n0,0,0,0\n1,10,20,-30\n%s\n3,0,0,0\n' "$row" >bad.csv
        fails "$status" hidmotor -q -l "$url" play bad.csv
        has "$why" "bad.csv:4:1: $part"
        fails "$status" hidmotor --dry-run play bad.csv
    done <<'END'
5|m2: 'nan' is not a number|2,60,nan,0
5|m3: 'inf' is not a number|2,60,0,inf
5|m1: '' is not a number|2,,0,0
5|wrong number of cells: 3 cells|2,0,0
5|t: time 1 s is not after 1 s of line 3|1,0,0,0
6|m2: 101 deg at 2 s is beyond its limit of 100 deg|2,0,101,0
6|m1: 500 deg/s at 1 s|1.1,60,20,-30
END
    fails 5 hidmotor -q -l "$url" --force play <(printf 't,m1,m2,m3\n0,0,0,0\n1,0,nan,0\n')
    fails 2 hidmotor -q -l "$url" play nope.csv
    printf 't,m1,m2,m3\n0,0,50,0\n0.5,0,100,0\n1,0,99,0\n' >swing.csv
    fails_with 6 "is beyond its limit of 100 deg" hidmotor -q -l "$url" play swing.csv --quintic
    count_reports
    same "$received" 0
    seq -s ' ' 0 30 >row.csv
    refuses 5 hidmotor -l "$fast" play row.csv
    echo 1,2,3,4 >row.csv
    refuses 5 hidmotor -l "$fast" play row.csv
    virtual play row.csv --columns t,m1,m2,m3
    printf 't,m1,m2,m3\n0,0,0,0\n1e300,1,1,1\n' >far.csv
    refuses_with 6 "more than 86400" hidmotor -l "$fast" --force play far.csv
}

# ---- Simulator faults ----------------------------------------------------------------------------

@test "each simulated fault has the expected effect and exit status" {
    while read -r fault status part; do
        run "-$status" --separate-stderr hidmotor -q -l "$fast&fault=$fault" status
        has "$stderr" "$part"
    done <<'END'
lost 3 no answer to positions (3 attempts, 100 ms each)
short 3 not 64 bytes
unplug 3 no answer
count 5 count
nan 5 not a finite number
late 0
duplicate 0
foreign 0
slow 0
glitch 0
stuck 0
END
    fails_with 2 "duplicate" hidmotor -q -l "$fast&fault=foo" status
    fails 2 hidmotor -q -l "$fast&state=foo" status
    fails 3 hidmotor -q -l "$fast&fault=lost" gripper open
    fails_with 3 "(6 attempts, 20 ms each)" hidmotor -q -l "$fast&fault=lost" --timeout 20ms --retries 5 status
}

@test "moves arrive if replies are lost, late, duplicate or foreign" {
    for seed in 1 2 3 4 5; do
        ok hidmotor -q -l "$fast&fault=lost:15%,late:10%,duplicate:10%,foreign:10%&seed=$seed" --retries 9 \
            move 0 45 -30 --wait
        has "$output" arrived
    done
}

@test "a missing link, board or HID device exits 4 with a remedy" {
    fails 4 hidmotor -l "unix:$D/nope" status
    fails_with 4 "try -l sim:" hidmotor status
    prints 'KERNEL=="hidraw*"' hidmotor list --udev
    has "$output" uaccess
    serial=$(tail -n 1 <<<"$output")
    has "$serial" 'SUBSYSTEM=="tty"' ID_MM_PORT_IGNORE
    for tool in armctl canpid; do
        prints "/etc/udev/rules.d/70-$tool.rules" $tool list --udev
        same "$(tail -n 1 <<<"$output")" "$serial"
    done
}

@test "the simulator does not log clients that connect and disconnect" {
    board
    ok hidmotor -q -l "$url" status
    ok hidmotor -q -l "$url" ping -n 3
    end_by TERM 143 "$pid"
    rest=$(cat <&"${said[board]}")
    hasnt "$rest" "connection lost"
    has "$rest" "5 reports received, 0 overwritten"
    [ ! -e board ]
}

# ---- Failures and interrupts ---------------------------------------------------------------------

@test "a long wait is announced before it starts, and Ctrl-C ends it" {
    board
    under_way hidmotor --force -l "$url" move 60 60 -60 duration=1e9 --wait
    wait_for client "the motion takes 278 h; Ctrl-C stops it"
    end_by INT 130
    fails_with 6 "duration 1000000000 ms is out of range (0 to 3600000 ms" hidmotor move 0 45 -30 duration=1e9
    remarks "takes 45 s" hidmotor -l "$fast" move 0 45 -30 duration=45s --wait
    remarks_no "takes" hidmotor -l "$fast" move 0 45 -30 --wait
}

@test "on a board with two motors, commands for m3 fail and other commands omit m3" {
    two='sim:?motors=2'
    while read -r command; do
        exits_with 1 "motor not found (the board has 2)" hidmotor -v -l "$two" $command
        hasnt "$stderr" "-> set_"
    done <<<$'velocity 0 0 20\nvelocity elbow=20\ngains set m3.kp=1\ngains set m3.kp=1 --velocity\nset_velocity m3=5\nmove elbow=5\njog elbow 5'
    gives_json '[has("m2.target", "m3.target"), .m2.target]' '[false,false,0]' hidmotor -q -j -l "$two" home --wait
    prints "m2 (shoulder)" hidmotor -q -l "$two" limits
    hasnt "$output" m3
    has "$(hidmotor -q limits)" m3
    ok hidmotor -q -l "$two" velocity 20 10 0
    ok hidmotor -q -l "$two" gains set m2.kp=0.02
    prints_no m3 hidmotor -q -l "$two" gains show
    gives_json 'has("m2") and (has("m3") | not)' true hidmotor -q -j -l "$two" stop
    remarks_like "*stopped: holding * * deg*" hidmotor -l "$two" <<<"move m1=5 m2=6"
    fails 2 hidmotor -l 'sim:?motors=4' status
}

@test "list and 'no link given' name local simulators and servers" {
    for tool in hidmotor armctl canpid; do
        start "$tool.sim" "$tool" sim
        simulator=$pid
        ok "$tool" list
        usual=$(grep -o "^[^ ]*$D/armwire/$tool-sim" <<<"$output")
        fails_with 4 "use the running simulator with -l $usual," "$tool" status
        ok "$tool" -q -l "$usual" ping -n 3
        start "$tool.serve" "$tool" serve -l sim:
        ok "$tool" -j list
        has "$output" "\"link\":\"$url\",\"description\":\"a server that shares a device\",\"holder\":\"$tool serve (pid $pid)\""
        end "$pid"
        end "$simulator"
        prints_no "$tool-sim" "$tool" list
        hasnt "$output" "serve:"
    done
    fails_with 2 "write unix-listen:$D/x" hidmotor sim --listen "unix:$D/x"
}

@test "step and sweep measure a joint and respect their limits" {
    virtual_json step m2 --from 0deg --to 20deg --plot run.svg --save run.csv
    same "$(json '[.joint, .to, (.rise_time > 0.05 and .rise_time < 0.2), (.overshoot < 12)] | tojson')" \
        '"[\"m2\",20,true,true]"'
    has "$(cat run.svg)" "hidmotor step: m2 shoulder"
    same "$(head -n 1 run.csv)" "t,setpoint,measured,output"
    fails_with 1 "overshoot" hidmotor -q -l "$fast" step elbow --from 0 --to 20 --max-overshoot 1%
    virtual_json sweep m2 --to-hz 4 --for 5s
    same "$(tail -n 1 <<<"$output" | jq '.bandwidth > 3 and .bandwidth < 5')" true
    fails_with 6 "--to: 120 deg is out of range (-45 to 100) for m2" hidmotor -l "$fast" step m2 --from 0deg --to 120deg
    fails 2 hidmotor -l "$fast" step m9 --from 0 --to 1
    fails 2 hidmotor -l "$fast" step m2 --from 0
    fails_with 1 "m3: motor not found (the board has 2)" hidmotor -l "$fast&motors=2" step m3 --from 0 --to 1
}

@test "step stops and holds a joint that misbehaves" {
    fails_with 1 "home the arm first" hidmotor -q -l "$fast&state=unhomed" step m2 --from 0 --to 20
    fails_with 1 "more than 0.3 outside 0 to 40" hidmotor -q -l "$fast" step m2 --from 0 --to 40 --max-deviation 0.3deg
    board
    fails 1 hidmotor -q -l "$url" step m2 --from 0 --to 40 --max-deviation 0.3deg --settle 0.2s
    held
    # A coasting motor must not be reported as reversed.
    hidmotor -q -l "$url" step m2 --from 0 --to 40 --settle 0.5s --for 0.1s >/dev/null || true
    ok hidmotor -q -l "$url" step m2 --from -20 --to 0 --settle 0.3s --for 0.3s
    ok hidmotor -q -l "$fast&fault=glitch:1%,lost:2%" step m2 --from 0 --to 20
    ok hidmotor -q -l "$fast&fault=glitch:5%" step m2 --from 0 --to 20
    # Half a second without telemetry counts as silence, regardless of the timeout.
    fails 3 hidmotor -q -T 20s -l "$fast&fault=unplug:1.5s" --record unplugged.pcapng step m2 --from 0 --to 20
    ok hidmotor -q -j decode unplugged.pcapng
    same "$(jq -s 'map(select(.msg == "set_setpoints" and .dir == "tx").t) | .[2] - .[0] < 3' <<<"$output")" true
}

# bats test_tags=long
@test "tune improves a motor's gains as predicted, and restores the previous ones if the new ones are not confirmed" {
    local pid="$fast&drive=pid"
    ok hidmotor -q -j -l "$pid" tune m2 --yes
    same "$(json '[.joint, .applied, (.ms < 2), .after.iae < .before.iae] | tojson')" '"[\"m2\",true,true,true]"'
    has "$(json .outcome)" "the new gains are kept"
    # As with canpid's faulty plants, each joint steps as predicted. The published gains of m1 are unstable.
    ok hidmotor -q -l "$pid" identify m3 --with all --save m3.json
    same "$(jq '.gain > 200 and .gain < 240' m3.json)" true
    ok hidmotor -q design m3.json
    # Tunes around 60 deg, where the range is not symmetric.
    ok hidmotor -q -l "$pid" run <(printf '%s\n' "move m2=60 --wait" "tune m2 --yes")
    # Without --yes and a terminal, tune cannot ask whether to keep the new gains, and restores the old ones.
    exits 1 hidmotor -q --keep-going -l "$pid" run <(printf '%s\n' "gains save a" "tune m2" "gains diff a")
    has "$stderr" "restored the previous gains: the new gains were not confirmed"
    hasnt "$stderr" "gains diff"
    # Gains do not affect the servos of the published arm.
    fails_with 1 "m2 follows its setpoint even with gains of 0" hidmotor -q -l "$fast" tune m2 --yes
    # Suggests another drive, which only a simulator has.
    has "$why" "measure it with step or identify, or simulate another drive: -l 'sim:?drive=pid'"
    fails 1 hidmotor -q -l "$pid&motors=1" tune m2 --yes
    fails 3 hidmotor -q -l "$pid&fault=unplug:1.5s" tune m2 --yes
    board
    fails_with 1 "measure it with step or identify" hidmotor -q -l "$url" tune m2 --yes
    hasnt "$why" "drive=pid"
}

m2_gains() { hidmotor -q -l "$url" gains | grep '^m2 pid' | tr '\n' ' '; }

@test "an interrupted tune holds the arm and restores its gains" {
    [ -z "${SERVED:-}" ] || skip "the signal would be for the script that stands in front of the tool"
    board --drive pid
    mkfifo all # open in both the tool and its watchdog process
    enough() { [ "$(grep -c -- "-> 6C 07" trace)" -lt "$least" ] || echo yes; }
    for way in INT TERM HUP KILL "KILL early"; do
        before=$(m2_gains)
        : >trace # a file, because a pipe would fill up
        hidmotor -v -l "$url" tune m2 --yes 2>>trace >all 3>&- &
        client=$!
        started+=("$client")
        exec {all}<all
        least=3 # messages for the probe with zero gains, the old gains and the experiment
        [ "$way" != "KILL early" ] || least=1
        becomes yes enough
        kill "-${way% early}" "$client"
        wait "$client" && false || true
        timeout "$patience" cat <&"$all" >/dev/null
        exec {all}<&-
        [ "${way% early}" = KILL ] || grep -q "stopped: holding" trace
        becomes "$before" m2_gains
        held
    done
}

@test "a motion that the board does not confirm is stopped" {
    while read -r sent words; do
        silent=0
        for seed in {1..40}; do
            hidmotor -q -v -l "$fast&drop=60%&seed=$seed" $words >said 2>trace && status=0 || status=$?
            # The motion was sent but not confirmed.
            [ "$status" = 3 ] && grep -q -- "-> .*$sent" trace || continue
            silent=$((silent + 1))
            grep -q -- '-> .*set_setpoints duration=0' trace || { cat trace && false; }
        done
        [ "$silent" -ge 3 ]
    done <<'END'
duration=9000 move 0 60 0 duration=9s
duration=9000 move 0 60 0 duration=9s --wait
set_velocity velocity 5 0 0
END
}
