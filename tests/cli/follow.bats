#!/usr/bin/env bats
# follow with recordings in virtual time and live leaders. tests/unit/control/test_follow.c covers
# the rules.
load common

# Writes a leader's recording that rises by 20 within 2 s and returns.
lead() {
    awk -v OFS=, 'BEGIN { print "t,a"; for (i = 0; i <= 200; i++) print i / 50, 10 - 10 * cos(i / 50 * 1.5708) }' >lead.csv
}

# live COMMAND…: starts a follower in the background that reads a live leader from a pipe. say VALUE: writes a
# record with the current time to it.
live() {
    rm -f leader
    mkfifo leader
    "$@" <leader >result 2>>told &
    started+=($!)
    follower=$!
    exec 9>leader
}
say() { printf '{"t":%s,"dir":"rx","msg":"positions","m2":{"position":%s}}\n' "$(date +%s.%N)" "$1" >&9; }
# Writes values far apart: the leader jumps each time and is not followed.
say_elsewhere() { say $((elsewhere = ${elsewhere:-0} + 300)); }
# says VALUE TEXT: repeats a record until the follower's log contains TEXT.
says() {
    until grep -qs "$2" told; do
        say "$1"
        sleep 0.02
    done
}

# stops_because REASON COMMAND…: repeats COMMAND until the follower stops for this reason. After a stop caused by
# a busy machine, the follower must continue.
stops_because() {
    until grep -qs "stopped: $1" told; do
        if grep -qs 'stopped: this program stalled' told; then
            : >told
            says 5 follows
        fi
        "${@:2}"
        sleep 0.02
    done
}

@test "hidmotor, canpid, unitysim and ezphys follow a recording and return to the start" {
    lead
    while IFS='|' read -r tool words field least most; do
        for _ in 1 2 3; do # a busy machine may stop motions of simulators in real time
            ok $tool -q $words --relative --record run.pcapng
            [[ $output == *stops=0* ]] && break
        done
        has "$output" 'follow result=ended records=201' 'stops=0 late=0 lost=0 ignored=0'
        read -r moved back <<<"$("$tool" -q decode run.pcapng -j |
            jq "select(.dir == \"rx\" and .msg != \"set_setpoints\" and (.id // 1) == 1 and $field != null) | $field" |
            awk 'NR == 1 { first = $1 } { if ($1 > most) most = $1; last = $1 } END { print most - first, last - first }')"
        [ "$(jq -n "$moved >= $least and $moved <= $most and ($back | fabs) < $least / 4")" = true ] || {
            echo "$tool: $moved is not from $least to $most, or $back is not back" && false
        }
    done <<END
hidmotor|-l $fast follow lead.csv --map m2=a|.m2.position|18|21
canpid|-l $fast follow lead.csv --map lknee=a -c pos -b lknee --max-speed 50|.measured|4|7
unitysim|-l $fast follow lead.csv --map elbow=a|.elbow.position|210|240
ezphys|-l sim:cart-pole follow lead.csv --map rail=a/20 --max-speed 1|.displacement|0.9|1.1
END
}

@test "an unusable leader or map is rejected before anything moves" {
    lead
    fails_with 2 '--map' unitysim -q -l "$fast" follow lead.csv
    fails 2 unitysim -q -l "$fast" follow lead.csv --map 'elbow=b' --relative
    has "$why" "the leader has no field 'b' — available: a"
    fails 2 unitysim -q -l "$fast" follow lead.csv --map 'elbo=a' --relative
    has "$why" "joint 'elbo' not found — did you mean 'elbow'?"
    fails 2 unitysim -q -l "$fast" follow lead.csv --map 'elbow=a*0' --relative
    fails 2 unitysim -q -l "$fast" follow lead.csv --map 'elbow=a+1kg' --relative
    fails_with 2 'a different kind of arm' unitysim -q -l "$fast" follow lead.csv --map 'elbow=a'
    fails_with 2 'the same joint' hidmotor -q -l "$fast" follow lead.csv --map 'm3=a, elbow=a' --relative
    fails 2 canpid -q -l "$fast" follow lead.csv --map 'lknee=a' --relative -c pos
    has "$why" 'no maximum speed for lknee — add --max-speed'
    fails_with 2 '-c' canpid -q -l "$fast" follow lead.csv --map 'lknee=a' --relative --max-speed 10
    fails 2 unitysim -q -l "$fast" follow nothing.csv --map 'elbow=a' --relative
    fails 2 unitysim -q -l "$fast" follow lead.csv --map 'elbow=a' --relative --max-speed 0
    fails 2 unitysim -q -l "$fast" follow lead.csv --map 'elbow=a' --relative --speed 50% --fit
    fails_with 2 'already the script' bash -c "echo \"follow --map 'elbow=a' --relative\" | unitysim -q -l '$fast'"
    fails 2 armctl -q -l "$fast" follow lead.csv --map '3=a' --relative
    has "$why" 'no maximum speed for 3 — add --max-speed 20'
    printf 'a\n1\n2\n' | fails 2 unitysim -q -l "$fast" follow --map 'elbow=a' --relative
    printf 'b,a\n1,1\n2,2\n' >timeless.csv
    fails_with 2 'no times' unitysim -q -l "$fast" follow timeless.csv --map 'elbow=a' --relative
    printf 't,a\n0,1\nsoon,2\n' >mistimed.csv
    fails_with 5 "mistimed.csv:3:1: 'soon' is not a time" unitysim -q -l "$fast" follow mistimed.csv --map 'elbow=a' --relative
    ok hidmotor -q -l "$fast" --record run.pcapng move 0 10 0 duration=0.2s --wait
    fails 2 hidmotor -q -l "$fast" follow run.pcapng --map 'm2=position'
    has "$why" "'position' is ambiguous: m1.position or m2.position — name one of them"
    fails_with 2 'decode -j' unitysim -q -l "$fast" follow run.pcapng --map 'elbow=m2' --relative
    fails_with 4 '/nosuch.sock: ' unitysim -q -l "$fast" follow serve:nosuch --map 'elbow=m2' --relative
}

@test "follow, plot and watch report the malformed lines that they skip" {
    printf '%s\n' '{"t":0,"a":0}' garbage '{"t":0.2,"a":0.1}' more >partly.ndjson
    for use in 'follow partly.ndjson --map elbow=a --relative' 'plot partly.ndjson' 'watch -'; do
        ok unitysim -l "$fast" $use <partly.ndjson
        has "$stderr" ':2:1: not a JSON object — skipped 2 such lines'
    done
}

@test "a recording that is too fast gets a suggested speed, and --fit applies it" {
    lead
    fails 6 unitysim -q -l "$fast" follow lead.csv --map 'elbow=a*4' --relative
    matches "$why" '*elbow: 62.8* deg/s at * s is faster than 30.78 deg/s — use --speed 49% or --fit'
    ok unitysim -q -l "$fast" follow lead.csv --map 'elbow=a*4' --relative --speed 49%
    ok unitysim -q -l "$fast" follow lead.csv --map 'elbow=a*4' --relative --fit -j
    [ "$(jq '.t > 0' <<<"$output")" = true ]
    ok unitysim -q -l "$fast" follow lead.csv --map 'elbow=a*4' --relative --force
}

@test "follow stops at a jump or a gap, and follows again after the leader restarts" {
    awk -v OFS=, 'BEGIN { print "t,a"; for (i = 0; i < 200; i++) { x = 170 + i / 10; print i / 50, (x > 180 ? x - 360 : x) } }' >wrap.csv
    prints 'stops=1' unitysim -l "$fast" follow wrap.csv --map 'elbow=a-170deg' --relative
    has "$stderr" 'stopped: the leader jumped: elbow'
    awk -v OFS=, 'BEGIN { print "t,a"; for (i = 0; i < 100; i++) print i / 50 + (i > 50) * 3, i / 20 }' >gap.csv
    prints 'stops=1' unitysim -l "$fast" follow gap.csv --map 'elbow=a' --relative
    has "$stderr" 'stopped: no data from the leader'
    awk -v OFS=, 'BEGIN { print "t,a"; for (i = 0; i < 100; i++) print i / 50 - (i > 50), i / 20 }' >anew.csv
    prints 'records=100' unitysim -l "$fast" follow anew.csv --map 'elbow=a' --relative
    has "$output" 'stops=1'
    awk -v OFS=, 'BEGIN { print "t,a"; for (i = 0; i < 100; i++) print (i % 10 == 5 ? i - 2 : i) / 50, (i % 7 ? i / 20 : "nothing") }' >late.csv
    prints 'stops=0 late=10 lost=0 ignored=14' unitysim -q -l "$fast" follow late.csv --map 'elbow=a' --relative
}

@test "null and text from a live leader move nothing, and silence stops the motion until it resumes" {
    live unitysim -l sim: follow --map 'elbow=m2' --approach 20 -j
    says 5 follows
    for value in null '"NaN"' '{}' '"fast"' 1e999; do say "$value"; done
    echo 'no record' >&9
    stops_because 'no data from the leader' say null
    : >told
    says 6 follows
    exec 9>&-
    wait "$follower"
    same "$(jq -c '[.ok, .result, .stops > 0, .ignored > 3]' result)" '[true,"ended",true,true]'
    hasnt "$(cat told)" jumped
}

@test "the follower stops when a live leader jumps, goes silent or lacks a field" {
    live unitysim -l sim: follow --map 'elbow=m2' --approach 20
    says 5 follows
    stops_because 'the leader jumped: elbow' say_elsewhere
    : >told
    says 5 follows
    stops_because 'no data from the leader' true
    : >told
    says 5 follows
    end_by INT 130 "$follower"
    live unitysim -l sim: follow --map 'elbow=m3' --approach 20
    trap '' PIPE # the follower ends before the leader
    until grep -qs 'has no' told; do say 5 2>/dev/null || true; sleep 0.05; done
    exec 9>&-
    wait "$follower" && false || same "$?" 2
    has "$(cat told)" "the leader has no field 'm3' — available: m2.position"
}

@test "follow of a server checks its fields, waits for its restart and measures the lag" {
    background hidmotor -q -l sim: serve --listen unix:arm 2>said
    server=$client
    until grep -qs ready: said; do sleep 0.02; done
    fails_with 2 "no message has a field 'm9'" unitysim -q -l sim: follow serve:arm --map 'elbow=m9' --approach 20
    background unitysim -l sim: follow serve:arm --map 'elbow=m2.position*0.5' --approach 20 -j >result 2>told
    follower=$client
    until grep -qs follows told; do sleep 0.02; done
    ok hidmotor -q -l serve:arm move 0 30 0 duration=1s --wait
    end "$server"
    # A busy machine may already have stopped the follower.
    until grep -qs 'waiting for the leader' told && grep -qs 'stopped: ' told; do sleep 0.02; done
    : >told
    background hidmotor -q -l sim: serve --listen unix:arm 2>said
    until grep -qs 'is connected again' told && grep -qs follows told; do sleep 0.02; done
    end_by INT 130 "$follower"
}

# bats test_tags=long
@test "a follower's median lag is at most 40 ms" {
    background hidmotor -q -l sim: serve --listen unix:arm 2>said
    until grep -qs ready: said; do sleep 0.02; done
    ok unitysim -q -j -l sim: follow serve:arm --map 'elbow=m2.position*0.5' --approach 20 --for 3s
    # The 99th percentile would depend on the machine's load.
    [ "$(jq '.lag_p50_ms <= 40' <<<"$output")" = true ] || { echo "lag: $output" && false; }
}

@test "--dry-run opens nothing, and a long recording is followed to its end" {
    remarks 'the motion of the leader' hidmotor --dry-run follow --map 'm2=m2'
    fails 2 hidmotor --dry-run follow --map 'm9=m2'
    awk -v OFS=, 'BEGIN { print "t,a"; for (i = 0; i < 300000; i++) print i / 1000, 5 * sin(i / 3000) }' >long.csv
    prints 'records=300000' unitysim -q -l "$fast" follow long.csv --map 'elbow=a' --relative
}

@test "a flood of records keeps the joints moving, and invalid records do not delay --for" {
    ok bash -c "yes '{\"elbow\":1}' | timeout 30 unitysim -q -l sim: follow - --map elbow=elbow --relative --for 1s"
    matches "$output" 'follow result=left *'
    [[ $output =~ commands=([0-9]+) ]]
    [ "${BASH_REMATCH[1]}" -ge 10 ]
    ok bash -c "yes '{\"elbow\":' | timeout 30 unitysim -q -l sim: follow - --map elbow=elbow --relative --for 1s"
    matches "$output" 'follow result=left records=0 *'
}

@test "armctl follows in confirmed steps within the joint's speed, and distinguishes two joints" {
    printf '[joint base]\nindex = 1\nspeed = 40\nmax = 180\n[joint lift]\nindex = 2\nspeed = 40\n' >arm.ini
    printf 't,a\n0,30\n2,70\n3,70\n' >lead.csv
    printf '%s\n' 'deg base 30' 'follow lead.csv --map base=a --approach 10' >script
    prints_like '*follow result=ended * stops=0 *' armctl -q --config arm.ini -l "$fast" --record run.pcapng run script
    same "$(armctl -q -j decode run.pcapng | jq -r 'select(.msg == "deg") | .dir' | uniq -d)" ''
    armctl -q -j decode run.pcapng --dir tx --where 'msg=deg' | jq -s -r '.[1:] | map([.t, .angle])[] | @tsv' >steps
    same "$(tail -n 1 steps | cut -f 2)" 70
    awk 'NR > 1 { at = $1 - t; if ($2 - a > 40 * (at > 0.2 ? 0.2 : at) + 1 || $2 < a) print "at", $1, "by", $2 - a }
        { t = $1; a = $2 }' steps >fast_ones
    same "$(cat fast_ones)" ''
    ok armctl -q --config arm.ini -l "$fast" --record two.pcapng run <(printf 'deg base 30\ndeg lift 38\n')
    fails 2 armctl -q --config arm.ini -l "$fast" follow two.pcapng --map lift=angle
    has "$why" "'angle' is ambiguous: base.angle or lift.angle — name one of them"
    armctl -q -j decode two.pcapng >two.ndjson
    fails 2 armctl -q --config arm.ini -l "$fast" follow two.ndjson --map lift=angle
    has "$why" "'angle' is ambiguous: joint1.angle or joint2.angle — name one of them"
    fails_with 6 'position unknown' armctl -q --config arm.ini -l "$fast" follow two.pcapng --map lift=base.angle
    ok armctl -q --config arm.ini -l "$fast" --record led.pcapng follow two.pcapng --map lift=base.angle --force
    same "$(armctl -q -j decode led.pcapng | jq -r 'select(.joint) | [.joint, .angle] | @text' | sort -u)" '[2,30]'
}
