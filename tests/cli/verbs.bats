# Verbs common to all tools: the same arguments, columns and keys for different devices.
load common

@test "ping prints the same header and keys in every tool, and ends with --for or a recording" {
    local keys='n lost min_ms mean_ms p50_ms p95_ms p99_ms max_ms'
    local -A fast_of=([ezphys]=sim:)
    for tool in $tools; do
        ok "$tool" -q -l "${fast_of[$tool]:-$fast}" ping -n 6
        matches "${lines[0]}" " *n * lost * min/ms * mean/ms * p50/ms * p95/ms * p99/ms * max/ms"
        ok "$tool" -q -j -l "${fast_of[$tool]:-$fast}" ping -n 6
        same "$tool: $(jq_itself -c 'to_entries | map(.key) | .[index("n"):][:8] | join(" ")' <<<"${output##*$'\n'}")" "$tool: \"$keys\""
        ok timeout "$patience" "$tool" -q -j -l "${fast_of[$tool]:-$fast}" ping -n 100000000 --for 300ms
        ok "$tool" -q -j -l "${fast_of[$tool]:-$fast}" ping --for 300ms
        same "$tool: $(jq -s 'map(.n // 0) | add > 1' <<<"$output")" "$tool: true"
    done
    ok armctl -q -l sim: record nothing.pcapng --for 1ms # the arm sends nothing without a command
    for tool in $tools; do
        run --separate-stderr "$tool" -q -l log:nothing.pcapng ping
        same "$tool $status" "$tool 3"
        matches "$stderr" "$tool: ping: *"
    done
}

arm() { # writes a config file with an arm's joints
    config armctl '[joint base]' 'index = 1' 'max = 180' '[joint lift]' 'index = 2' \
        'kind = translate' 'min = 0' 'max = 300'
}

@test "armctl: status prints confirmed values, jog starts there, and limits print their source" {
    arm
    ok armctl -q -j limits
    same "$(jq -sc '.[:2] | map([.joint,.of,.min,.max,.unit,.from])' <<<"$output")" \
        '[["base","angle",0,180,"deg","config, table"],["lift","position",0,300,"mm","config"]]'
    gives_json .joint '"lift"' armctl -q -j limits 2
    gives_json '[.min,.max,.from]' '[null,null,"--force"]' armctl -q -j --force limits base
    ok armctl -q -j --signed limits 3
    same "$(jq -c '[.min,.from]' <<<"${lines[0]}")" '[-360,"table, --signed"]'
    fails_with 2 "did you mean 'base'" armctl limits bse
    start arm armctl sim --listen "pty:$D/arm"
    ok armctl -q -l "$url" status
    matches "${lines[0]}" "joint * target * actual unit * fault * age"
    matches "${lines[1]}" "base * - * - deg * - * -"
    fails_with 2 "base: position unknown — move it once" armctl -q -l "$url" jog base +5
    ok armctl -q -l "$url" deg base 10
    ok armctl -q -j -l "$url" jog base +5 # in another process
    same "$(json '[.cmd,.angle,.result]')" '["jog",15,"confirmed"]'
    ok armctl -q -j -l "$url" jog base -10deg
    ok armctl -q -j -l "$url" status
    same "$(json '[.base.target,.base.actual,.base.unit,.base.fault,.base.age < 60]')" '[5,5,"deg",null,true]'
    fails 6 armctl -q -l "$url" jog base +300
    fails 3 armctl -q -l "$url?drop=100%" --retries 0 --ack-timeout 50ms deg base 90
    gives_json '[.base.target,.base.actual,.base.fault]' '[90,5,"unconfirmed"]' armctl -q -j -l "$url" status
}

@test "hidmotor: limits print their source, and only jog is relative" {
    ok hidmotor -j limits
    same "$(jq -sc 'map(select(.of != "speed") | [.joint,.min,.max,.unit,.from])' <<<"$output")" \
        '[["m1",-90,90,"deg","table"],["m2",-45,100,"deg","table"],["m3",-90,63,"deg","table"],["gripper",0,180,"","table"]]'
    same "$(jq -sc 'map(select(.of == "speed") | [.joint,.min,.max,.unit,.from]) | unique' <<<"$output")" \
        '[["m1",-200,200,"deg/s","device"],["m2",-200,200,"deg/s","device"],["m3",-200,200,"deg/s","device"]]'
    ok hidmotor limits elbow
    matches "${lines[1]}" "m3 (elbow) * angle * -90 * 63 deg * table"
    matches "${lines[2]}" "m3 (elbow) * speed * -200 * 200 deg/s * device"
    fails_with 2 "did you mean 'elbow'" hidmotor limits elbwo
    printf '%s --wait\n' 'jog elbow +5' 'jog elbow -2' 'jog elbow 4' 'move elbow=+3' 'home' >moves
    ok hidmotor -q -j -l "$fast" run moves
    same "$(jq -sc 'map(select(.cmd) | .m3.target // .m3)' <<<"$output")" '[5,3,7,3,0]'
}

@test "canpid: status prints six joints, jog starts at the setpoint, and stop can be repeated" {
    ok canpid -q -l "$fast" status
    matches "${lines[0]}" "joint * target * actual unit * fault * age *"
    matches "${lines[6]}" "rankle * 0.00 * %* - *s *% *Nm"
    gives_json '[.lknee.unit, .lknee.fault]' '["deg",null]' canpid -q -j -l "$fast" status -c pos -b lknee
    fails 3 canpid -q -j -l "$fast" status -b lknee,0x200
    same "$(json '[.lknee.fault, .["0x200"].fault, .["0x200"].age]')" '[null,"silent",null]'
    ok canpid -j limits lknee -c pos
    same "$(jq -sc 'map([.of,.min,.max,.unit,.from])' <<<"$output")" \
        '[["setpoint pos",-180,180,"deg","device"],["gain",-100,100,"","device"]]'
    fails_with 2 "did you mean 'lknee'" canpid limits lkne
    printf '%s -c pos --verify\n' 'setpoint +5deg -b lknee' 'jog lknee +5' 'jog lknee -2deg' >moves
    printf '%s\n' 'status -b lknee' stop stop 'status -b lknee -c pos' >>moves
    ok canpid -q -j -l "$fast" run moves
    same "$(jq -sc 'map(select(.cmd and .value) | .value | round)' <<<"$output")" '[5,10,8]'
    same "$(jq -sc 'map(select(.cmd == "status") | .lknee | [(.target | if . then round else . end), .unit])' <<<"$output")" \
        '[[8,"deg"],[null,"deg"]]'
    same "$(jq -sc 'map(select(.cmd == "stop") | [.result, .confirmed])' <<<"$output")" \
        '[["disabled","lhip,lknee,lankle,rhip,rknee,rankle"],["disabled","lhip,lknee,lankle,rhip,rknee,rankle"]]'
    fails_with 2 "no controller given" canpid -q -l "$fast" jog lknee +5
    fails 6 canpid -q -l "$fast" jog lknee +300 -c pos
}

@test "stop prints one result and can be repeated, in every tool" {
    local -A word=([armctl]=nothing-to-send [hidmotor]=confirmed [canpid]=disabled [unitysim]=stopped [ezphys]=held)
    for tool in $tools; do
        ok bash -c "printf 'stop\nstop\n' | $tool -q -j -l sim:"
        same "$tool $(jq -sc 'map(select(.cmd) | [.cmd, .ok, .result])' <<<"$output")" \
            "$tool [[\"stop\",true,\"${word[$tool]}\"],[\"stop\",true,\"${word[$tool]}\"]]"
    done
}

@test "status prints the same columns and keys for each joint in every tool" {
    local -A joint=([armctl]=base [hidmotor]=elbow [canpid]=lknee [unitysim]=elbow [ezphys]=hinge)
    arm
    for tool in $tools; do
        prints_like "*joint * target * actual unit * fault * age*" "$tool" -q -l sim: status
        same "$tool $(awk 'length > 80' <<<"$output")" "$tool "
        ok "$tool" -q -j -l sim: status
        same "$(wc -l <<<"$output")" 1
        same "$tool $(json ".${joint[$tool]} // .m3 | [has(\"target\", \"actual\", \"unit\", \"fault\", \"age\")] | all")" "$tool true"
    done
}

@test "numbers are absolute except in jog, also with a plus sign" {
    arm
    while IFS='|' read -r tool words filter; do
        ok "$tool" -q -j -l "$fast" $words
        same "$tool $(json "$filter")" "$tool 10"
    done <<'END'
armctl|deg base +10|.angle
hidmotor|move elbow=+10|.m3
canpid|setpoint +10deg --max-jump 90deg -b lknee -c pos|.value
END
}

# Without the check, these motions would continue after the given time.
@test "--for ends a motion or is rejected before anything moves" {
    peer
    while IFS='|' read -r tool command; do
        fails_with 2 "--for not supported" $tool -q -l "$url" $command --for 10ms
        fails_with 2 "--for not supported" $tool -q -l "$fast" <<<"$command --for 10ms"
    done <<'END'
armctl|deg 1 90
armctl|spd 100
canpid|setpoint 5deg -b lknee -c pos
canpid|jog lknee +5 -c pos
hidmotor|move 20 0 0 --wait
hidmotor|velocity 5 0 0
hidmotor|send 1848 500 0 10 10 10 --yes
unitysim|move elbow=2100
unitysim|jog elbow +20
END
    nothing_arrived
    fails 2 ezphys -q -l sim:pendulum jog hinge +0.1 --for 10ms
    ok hidmotor -q --for 1s -l "$fast" <<<$'velocity 5 0 0\nwatch positions\nstop' # the option applies to all lines
    HIDMOTOR_FOR=1s ok hidmotor -q -l "$fast" velocity 5 0 0
}

@test "status of a recording without joint data exits 3 with a result" {
    # A capture with a section header and an interface, but no packets.
    printf '\n\r\r\n\x1c\0\0\0M<+\x1a\1\0\0\0\377\377\377\377\377\377\377\377\x1c\0\0\0' >empty.pcapng
    printf '\1\0\0\0\x14\0\0\0\x93\0\0\0\0\0\0\0\x14\0\0\0' >>empty.pcapng
    for tool in canpid hidmotor unitysim ezphys; do
        fails_with 3 "status: the recording has no position for some joints" "$tool" -q -l log:empty.pcapng status
        exits 3 "$tool" -q -j -l log:empty.pcapng status
        same "$(json .ok)" false
    done
}

@test "every tool accepts JOINT=VALUE; misspelled names are rejected" {
    ok armctl -q --dry-run deg 1=90 2=45deg
    same "$(grep -o 'joint=.*' <<<"$output" | xargs)" "joint=1 angle=90deg joint=2 angle=45deg"
    gives_json .m3 10 hidmotor -q -j -l "$fast" move elbow=10
    gives_json '[.board, .value]' '["lknee",10]' canpid -q -j -l "$fast" move lknee=10deg -c pos
    gives_json .result '"arrived"' unitysim -q -j -l "$fast" move elbow=2100
    gives_json .joint '"hinge"' ezphys -q -j -l 'sim:?scene=pendulum' motor hinge=2 1000
    gives_json .result '"arrived"' ezphys -q -j -l sim: jog hinge=0.1
    fails_with 2 "deg: unknown argument 'jont' — did you mean 'joint'?" armctl --dry-run deg jont=1 angle=2
    fails_with 2 "joint 'elbw' not found" armctl --dry-run deg elbw=4
    fails_with 2 "setpoint: unknown argument 'lknee'" canpid --dry-run setpoint lknee=4 -c pos
}
