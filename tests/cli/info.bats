#!/usr/bin/env bats
# info of every kind of file that a command writes, and of nothing else. Captures: replay.bats.

load common

@test "every CSV and NDJSON that our commands write, read by any tool" {
    while IFS='|' read -r file fields command; do
        # shellcheck disable=SC2086 # words
        if [[ $command == *'>'* ]]; then
            bash -c "$command"
        else
            ok $command
        fi
        for tool in canpid armctl; do
            ok "$tool" info -j "$file"
            same "$(jq -sc 'last | [.cmd, .ok, .damaged, .lines > 0]' <<<"$output")" '["info",true,0,true]'
            same "$(jq -sr '[.[] | select(.field).field] | join(" ")' <<<"$output")" "$fields"
        done
    done <<'END'
step.csv|setpoint measured output|canpid -q -l sim:?time=virtual step --from 0deg --to 10deg -b lknee -c pos --save step.csv
arm.csv|m1.position m2.position m3.position m1.setpoint m2.setpoint m3.setpoint|hidmotor -q -l sim: record arm.csv -n 5
bare.csv|column1 column2 column3 column4 column5 column6 column7|hidmotor -q -l sim: record bare.csv -n 5 --no-header
arm.ndjson|count m1.setpoint m1.position m2.setpoint m2.position m3.setpoint m3.position m1.velocity m1.effort m2.velocity m2.effort m3.velocity m3.effort|hidmotor -q -l sim: record arm.ndjson -n 4
path.csv|Joint Motion Type Position Velocity Tolerance Delay (ms)|unitysim -q -l sim: teach path.csv --every 100ms --for 0.3s
deg.csv|seq joint angle|armctl -q --csv -l sim:?time=virtual deg 1 10 >deg.csv
deg.ndjson|seq joint angle ok result ms ack_ms retries|armctl -q -j -l sim:?time=virtual deg 1 10 >deg.ndjson
knee.csv|lknee.setpoint lknee.output lknee.measured|canpid -q --csv -l sim: watch 'lknee.pid.*' -b lknee -n 3 >knee.csv
list.csv|cmd link simulator feedback client description|unitysim --csv -q list >list.csv
END
}

@test "a file of values: how often, how fast, from where to where" {
    printf 't,setpoint,measured\n0,0,0\n0.01,10,1.5\n0.02,10,8.25\n' >run.csv
    ok canpid info run.csv
    matches "${lines[1]}" "measured * 3 * 100 Hz  0 to 8.25"
    same "${lines[2]}" "info duration=0.02s lines=3 fields=2 bytes=51 damaged=0"
    ok canpid info -j run.csv
    same "$(jq -sc '.[1]' <<<"$output")" '{"field":"measured","count":3,"rate":100,"min":0,"max":8.25,"unit":""}'
    printf '{"t":1,"msg":"pid","board":"lknee","measured":3}\nrubbish\n{"t":2,"board":"rknee","measured":4}\n' >two.ndjson
    ok canpid info -j two.ndjson
    same "$(json '[.lines,.damaged]')" '[2,1]'
    ok canpid -b rknee info -j two.ndjson
    same "$(json '[.lines,.fields]')" '[1,1]'
}

@test "nothing else: prose, programs, settings, what is not there" {
    : >nothing
    : >nothing.csv
    echo hello >text
    printf '# joint min max\nelbow 1700 2570\n' >limits
    for file in nothing text limits "$root/lib/wire/codec.c" "$root/README.md" "$root/Makefile"; do
        fails 2 armctl info "$file"
        has "$why" "no capture"
    done
    fails 2 armctl info nothing.csv
    has "$why" "nothing.csv: no values in it"
    fails 2 armctl info nope.csv
    has "$why" "nope.csv: No such file or directory"
}

@test "times that are printed as ISO 8601 are read again" {
    printf '(1.0) can0 05E#9CFF000200F0\n(1.25) can0 05E#9CFF000200F0\n(1.5) can0 05E#9CFF000200F0\n' >run.log
    for format in -j --csv; do
        canpid decode --time iso "$format" run.log >iso
        ok canpid info -j iso
        same "$(json '[.duration, .damaged]')" '[0.5,0]'
        same "$(jq -sc '.[0] | [.field, .rate]' <<<"$output")" '["lknee.fix_link_angle",4]'
    done
}

@test "a folder is no file, and every command that reads one says so in the same words" {
    for tool in $tools; do
        for command in info decode 'decode --as stream' replay run; do
            # shellcheck disable=SC2086 # words
            fails 2 "$tool" -q -l sim: $command "$PWD"
            same "$why" "$tool: $PWD: Is a directory — name a file in it"
        done
        fails 2 "$tool" -q -l sim: <"$PWD"
        same "$why" "$tool: stdin: Is a directory — name a file in it"
        fails 2 "$tool" plot '*' "$PWD/"
        same "$why" "$tool: $PWD/: Is a directory — name a file in it"
    done
}
