#!/usr/bin/env bats
# Files that decode reads: logs and captures of any size, in each of their dialects.
load common.bash

# bats test_tags=plain
@test "a log of many blocks loses no line" {
    python3 "$root/tests/cli/frames.py" 20000 >big.log
    ok canpid decode -j big.log
    same "${#lines[@]}" 20000
    same "$stderr" ""
    canpid decode -j <big.log | diff -q - <(canpid decode -j big.log)
}

@test "every dialect of a log says the same" {
    python3 "$root/tests/cli/frames.py" 100 >plain.log
    canpid decode -j plain.log >records
    sed 's/$/ R/' plain.log | canpid decode -j - | diff - records
    sed 's/$/\r/' plain.log | canpid decode -j - | diff - records
    sed 's/)/000)/' plain.log | canpid decode -j - | diff - records
    sed '1i # a comment' plain.log | canpid decode -j - | diff - records
    tr ABCDEF abcdef <plain.log | canpid decode -j - | diff - records
    sed 's/#\(..\)/#\1./' plain.log | canpid decode -j - | diff - records
    awk '{ split($3, f, "#"); d = f[2]; gsub(/../, " &", d)
           printf " %s  %s  %s   [6] %s\n", $1, $2, f[1], d }' plain.log |
        canpid decode -j - | diff - records
    cut -d ' ' -f 3 plain.log | canpid decode -j - | diff - <(canpid decode -j --time none plain.log)
}

@test "a line without end is told once, and what follows it is decoded" {
    { head -c 600000 /dev/zero | tr '\0' x && printf '\n044#CDCC4C3D0200\n'; } >long.log
    run -5 --separate-stderr canpid decode long.log
    matches "$output" "* value=1.25Nm *"
    matches "$stderr" "*long.log:1:*1 damaged part, 1 record decoded"
    ok canpid plot setpoint long.log --out run.svg -j
    same "$(json .samples)" 1
}

@test "what cannot be read" {
    fails 2 canpid decode ./
    has "$why" "directory"
    fails 2 canpid decode nowhere.log
    has "$why" "nowhere.log"
}

@test "records are no packets: who reads them is said" {
    for tool in canpid hidmotor; do
        ok $tool -q -l "$fast" record own.ndjson -n 3
        ok $tool -q -l "$fast" record own.csv -n 3
        for file in own.ndjson own.csv; do
            exits 5 $tool decode $file
            has "$stderr" "$tool: $file: these are records, not packets — see 'info' and 'plot'"
        done
    done
}

@test "a damaged line is told, the others are decoded" {
    python3 "$root/tests/cli/frames.py" 5 | sed '3s/#../#X/' >bad.log
    run -5 --separate-stderr canpid decode bad.log
    same "${#lines[@]}" 4
    has "$stderr" "bad.log:3:"
}

@test "captures of another port need --port" {
    ezphys encode axis_force id=7 axis1=0.5 | sed 's/^/> /' |
        "$BIN/../tests/unit/capture/test_pcapng" write ezphys one.pcapng
    ok ezphys decode one.pcapng
    matches "$output" "-> axis_force id=7 *"
    ok ezphys decode --port 47002 one.pcapng
    same "$output" ""
    fails 6 ezphys decode --port 70000 one.pcapng
}

@test "a message that ends too early says so, and what is wrong first is what is told" {
    ezphys encode --dir rx joint_axis id=1 displacement=1 angular_velocity=2 --raw >whole.bin
    { printf '\060\0\0\0\002\0\0\0' && tail -c +9 whole.bin; } >first.bin
    run -5 --separate-stderr ezphys decode -j --as stream first.bin
    same "$(jq -c 'select(.msg) | .id' <<<"$output")" 1
    has "$stderr" "cut off"
    head -c 8 whole.bin >head.bin
    run -5 --separate-stderr ezphys decode --as stream head.bin
    has "$stderr" "cut off"
    fails 5 ezphys decode 00 00 00 80 01 00 00 00 03 00 00 00 01 00 00 00 08 00 00 00 00 00 80 3F
    has "$why" "2147483648 bytes"
}

@test "--where knows msg and dir: of a recording, of what comes, of lines from a pipe" {
    ok hidmotor -q -l "$fast" --record run.pcapng move 0 45 -30 --wait
    hidmotor decode -j run.pcapng | jq_itself -c 'select(.msg == "positions" and .dir == "rx")' >both
    hidmotor decode -j run.pcapng --where 'msg=positions and dir=rx' | jq_itself -c . >decoded
    hidmotor decode -j run.pcapng | hidmotor watch -j - --where 'dir = rx and msg = positions' | jq_itself -c . >watched
    ok test -s both
    ok cmp both decoded
    ok cmp both watched
    same "$(hidmotor decode -j run.pcapng --where 'dir=tx' | jq -r .dir | sort -u)" tx
    ok hidmotor -q -j -l "$fast" watch -n 3 --where 'msg!=positions'
    same "$(jq -r .msg <<<"$output" | sort -u)" velocities
    fails 2 hidmotor decode run.pcapng --where msg=positins
    has "$why" "no message 'positins' — did you mean 'positions'?"
    fails 2 hidmotor -l sim: watch --where dir=up
    has "$why" "dir is tx or rx, not 'up'"
}
