#!/usr/bin/env bats
# info: accepts every file type that commands write, and rejects others. See replay.bats for captures.

load common

@test "info of any tool reads every CSV and NDJSON file of the tools" {
    while IFS='|' read -r file fields command; do
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
arm.csv|m1.position m2.position m3.position m1.setpoint m2.setpoint m3.setpoint m1.velocity m2.velocity m3.velocity m1.effort m2.effort m3.effort|hidmotor -q -l sim: record arm.csv -n 5
bare.csv|column1 column2 column3 column4 column5 column6 column7 column8 column9 column10 column11 column12 column13|hidmotor -q -l sim: record bare.csv -n 5 --no-header
arm.ndjson|count m1.setpoint m1.position m2.setpoint m2.position m3.setpoint m3.position m1.velocity m1.effort m2.velocity m2.effort m3.velocity m3.effort|hidmotor -q -l sim: record arm.ndjson -n 4
path.csv|Joint Motion Type Position Velocity Tolerance Delay (ms)|unitysim -q -l sim: teach path.csv --every 100ms --for 0.3s
deg.csv|joint1.seq joint1.angle|armctl -q --csv -l sim:?time=virtual deg 1 10 >deg.csv
deg.ndjson|joint1.seq joint1.angle ok joint angle result ms ack_ms retries|armctl -q -j -l sim:?time=virtual deg 1 10 >deg.ndjson
knee.csv|lknee.setpoint lknee.output lknee.measured|canpid -q --csv -l sim: watch 'lknee.pid.*' -b lknee -n 3 >knee.csv
list.csv|cmd link simulator feedback client description|unitysim --csv -q list >list.csv
END
}

@test "info prints rate, count and range of each field, and counts damaged lines" {
    printf 't,setpoint,measured\n0,0,0\n0.01,10,1.5\n0.02,10,8.25\n' >run.csv
    ok canpid info run.csv
    matches "${lines[1]}" "measured * 3 * 100 Hz  0 to 8.25"
    same "${lines[2]}" "info duration=0.02s lines=3 fields=2 bytes=51 damaged=0"
    ok canpid info -j run.csv
    same "$(jq_itself -sc '.[1]' <<<"$output")" '{"field":"measured","count":3,"rate":100,"min":0,"max":8.25,"unit":""}'
    printf '{"t":1,"msg":"pid","board":"lknee","measured":3}\nrubbish\n{"t":2,"board":"rknee","measured":4}\n' >two.ndjson
    gives_json '[.lines,.damaged]' '[2,1]' canpid info -j two.ndjson
    gives_json '[.lines,.fields]' '[1,1]' canpid -b rknee info -j two.ndjson
}

# Uses names as in PlotJuggler, ROS and Simulink, and a comma-separated header that contains a semicolon.
others() {
    cat >others.csv <<'END'
__time,/joint_states/left knee/position[0],motor 1 [deg],"a, b",speed (rad/s; left),a_name_that_is_longer_than_thirty_one_characters,
1700000000.0,0,1,2,0.5,3,
1700000000.5,1,2,3,1,4,
1700000001.0,2,3,4,1.5,5,
END
}

@test "every tool reads CSV and NDJSON of other programs with any column names" {
    others
    printf '{"__time":5,"/left/knee":1,"motor 1 [deg]":2}\n{"__time":6,"/left/knee":2,"motor 1 [deg]":3}\n' >others.ndjson
    for tool in $tools; do
        ok "$tool" info -j others.csv
        same "$(jq -sc '[.[] | select(.field).field]' <<<"$output")" '["/joint_states/left knee/position[0]","motor 1 [deg]","a, b","speed (rad/s; left)","a_name_that_is_longer_than_thirty_one_characters"]'
        same "$(json '[.duration, .lines, .damaged]')" '[1,3,0]'
        for name in '/joint_states/left knee/position[0]' 'motor 1 [deg]' 'a, b' 'speed (rad/s; left)' 'motor*'; do
            ok "$tool" plot "$name" others.csv
            ok "$tool" plot "$name" --out run.svg <others.csv
        done
        prints "motor 1 [deg]" "$tool" plot 'a, b' 'motor 1 [deg]' others.csv
        ok "$tool" watch --csv --fields "'a, b',motor 1 [deg]" --where "'motor 1 [deg]' > 1 and \"a, b\"<4" - <others.csv
        same "$output" 't,motor 1 [deg],"a, b"
1700000000.5,2,3'
        ok "$tool" watch --format '%{motor 1 [deg]} %{a, b}' - <others.csv
        same "${lines[2]}" "3 4"
        ok "$tool" info -j others.ndjson
        same "$(jq -sc 'map(.field // .duration)' <<<"$output")" '["/left/knee","motor 1 [deg]",1]'
        ok "$tool" plot /left/knee others.ndjson
        fails_with 2 "did you mean 'motor 1 [deg]'?" "$tool" plot 'motor 2 [deg]' others.csv
        fails_with 2 "nope/others.csv: No such file" "$tool" plot /left/knee "$D/nope/others.csv"
    done
}

@test "CSV of other programs with extra columns can be identified, compared and played" {
    canpid -q -l "$fast" step --from 0deg --to 10deg -b lknee -c pos --save step.csv
    awk -F, -v OFS=, 'NR == 1 { print "Time (ms)", "set/point [deg]", "left knee; angle [deg]", "u [%]", "note, of me" }
        NR > 1 { print $1 * 1000, $2, $3, $4, NR == 9 ? "" : "x" }' step.csv | sed '1s/note, of me/"note, of me"/' >mine.csv
    ok canpid -q -j identify --from mine.csv --time Time --input 'u [%]' --output 'left knee; angle [deg]'
    same "$(json .ok)" true
    awk -F, -v OFS=, 'NR == 1 { $1 = "__time" } NR > 1 { $1 += 1700000000 } 1' OFMT=%.15g CONVFMT=%.15g step.csv >pj.csv
    ok canpid -q -j identify --from pj.csv --input output --output measured
    awk -F, -v OFS=, 'NR == 1 { $1 = "t_ms" } NR > 1 { $1 *= 1000 } 1' step.csv >ms.csv
    gives_json .ok true canpid -q -j identify --from ms.csv --input output --output measured
    awk -F, -v OFS=, 'NR == 1 { print $0, "note" } NR > 1 { print $0, "x" }' step.csv >noted.csv
    ok canpid -q -j identify --from noted.csv --input output --output measured
    printf '__time,lknee\n1700000000,0\n1700000001,20\n1700000002,0\n0,0\n0,0\n' >knee.csv
    remarks "skipped trailing rows of zeros, from line 5" canpid -l "$fast" -c pos --dry-run play knee.csv
    ok canpid -q -c pos --dry-run play knee.csv
    same "${lines[100]}" "-> setpoint board=lknee value=20deg controller=pos"
    same "${#lines[@]}" 202
    printf 't_ms,hinge\n0,0\n1000,0.5\n0,0\n' >hinge.csv
    remarks "skipped trailing rows of zeros, from line 4" ezphys -l sim: --dry-run play hinge.csv
}

@test "CSV of spreadsheets with semicolons and decimal commas is read, and UTF-16 is reported" {
    printf 't;measured;setpoint\n0,5;1,25;2\n1,5;2,5;2\n' >sheet.csv
    printf 't_s;m1;m2;m3\n0;0;0;0\n0,5;2,5;1;0\n1;0;0;0\n' >sheet_path.csv
    iconv -t UTF-16 sheet_path.csv >utf16.csv
    for tool in $tools; do
        gives $'t,measured\n0.5,1.25\n1.5,2.5' "$tool" watch --csv --fields measured - <sheet.csv
        fails 2 "$tool" plot m1 utf16.csv
        has "$why" "utf16.csv is text in UTF-16 — convert it: iconv -f UTF-16 -t UTF-8 FILE >NEW"
    done
    prints "m1=2.5deg m2=1deg m3=0deg" hidmotor -q --dry-run play sheet_path.csv
    fails_with 2 "utf16.csv is text in UTF-16" hidmotor -q --dry-run play utf16.csv
    fails_with 2 "utf16.csv is text in UTF-16" canpid -q identify --from utf16.csv -c pos
    fails_with 5 "the table has t, measured, setpoint" canpid -q identify --from sheet.csv -c pos
    printf 'Joint;Motion Type;Position;Velocity;Tolerance;Delay (ms)\nElbow;Auto;2135;45;10;0;\n' >sheet_rows.csv
    ok unitysim -q --dry-run play sheet_rows.csv
}

@test "a recording, text, a directory or a missing file in place of a table is rejected" {
    : >nothing
    : >nothing.csv
    echo hello >text
    printf '# joint min max\nelbow 1700 2570\n' >limits
    for file in nothing text limits "$root/lib/wire/codec.c" "$root/README.md" "$root/Makefile"; do
        fails_with 2 "not a capture" armctl info "$file"
    done
    fails_with 2 "nothing.csv: no values" armctl info nothing.csv
    fails_with 2 "nope.csv: No such file or directory" armctl info nope.csv
    hidmotor -q -l sim: record run.pcapng --for 0.1s
    hidmotor -q -l sim: record run.ndjson --for 0.1s
    canpid -q -l sim: record run.log --for 0.1s
    canpid -q -l sim: record messages.csv --for 0.1s
    for file in run.pcapng run.ndjson run.log; do
        mv "$file" named.csv
        fails_like 2 "canpid: named.csv is *, not CSV — use 'plot'*" canpid -q -l sim: -c pos play named.csv
        fails_like 2 "canpid: named.csv is *, not CSV — use 'plot'*" canpid -q -c pos identify --from named.csv
    done
    fails 5 canpid -q -l sim: -c pos play messages.csv
    has "$why" "messages.csv:1:1: a recording of messages, not a table of joints — use 'follow' instead"
    for tool in $tools; do
        for command in info decode 'decode --as stream' replay run; do
            fails 2 "$tool" -q -l sim: $command "$PWD"
            same "$why" "$tool: $PWD: Is a directory — name a file in the directory"
        done
        fails 2 "$tool" -q -l sim: <"$PWD"
        same "$why" "$tool: stdin: Is a directory — name a file in the directory"
        fails 2 "$tool" plot '*' "$PWD/"
        same "$why" "$tool: $PWD/: Is a directory — name a file in the directory"
    done
}

@test "columns beyond the 256th are reported and ignored" {
    { seq -s , -f 'v%.0f' 300; seq -s , 300; seq -s , 300; } >wide.csv
    remarks 'wide.csv: only the first 256 columns are read' hidmotor info wide.csv
    has "$output" 'fields=256'
}
