#!/usr/bin/env bats
# Rules for records, messages and errors that hold in all five tools.

load common

# Tests two tools only, because all use the same function for such names.
@test "invalid simulator options get suggestions, in links and commands" {
    fails_with 2 "--state: unknown value 'runing' — did you mean 'running'?" hidmotor -l 'sim:?state=runing' status
    fails_with 2 "did you mean 'running'?" hidmotor sim --state runing
    fails_with 2 "--model: unknown value 'fast' — use servo, unity or nominal" unitysim -l 'sim:?model=fast' status
    fails_with 2 "--quirks: unknown value 'powerup' — did you mean 'power-up'?" canpid -l 'sim:?quirks=powerup' status
}

@test "hidmotor, canpid, unitysim and ezphys simulate a minute within seconds with time=virtual" {
    for tool in hidmotor canpid unitysim ezphys; do # armctl does not report its position
        ok timeout "$patience" $tool -q -l "$fast" record $tool.csv --for 60s
        ok $tool -q info $tool.csv
        [[ $output =~ duration=(59\.9|60) ]]
    done
    ok timeout 30 ezphys -q -j -l "$fast" motor hinge 0.01 20 --for 60s
    same "$(jq "select(.cmd).time | round" <<<"$output")" 60
    fails 2 ezphys -l "$fast&real-time=1" status
    fails_with 2 "time=virtual not supported with real-time or 'serve'" ezphys -l "$fast" serve
}

@test "errors begin with FILE:LINE:COLUMN in scripts, pipes, recordings and tables" {
    printf '\n  nonsense\n' >moves
    for tool in $tools; do
        fails_with 2 "$tool: moves:2:3: unknown command 'nonsense'" $tool -q -l "$fast" run moves
        fails_with 2 "$tool: stdin:2:3: unknown command 'nonsense'" bash -c "$tool -q -l '$fast' <moves"
        run -2 --separate-stderr bash -c "$tool -q -j -l '$fast' <moves"
        matches "$(json .why)" "\"stdin:2:3: unknown command*"
        config $tool '[options]' 'nonsense = 1'
        exits_with 0 "$tool.ini:2:1: unknown option '--nonsense'" $tool config show
        rm config/armwire/$tool.ini
    done
    fails_with 2 "stdin:1:7: angle: 'frob'" bash -c "armctl -q -l '$fast' <<<'deg 1 frob'"
    printf '041#9A99193F0200\n041#9A99Z93F0200\n' >bytes
    exits_with 5 "bytes:2:9: 'Z' is not a hex digit" canpid decode bytes
    printf '(1.0) can0 044#CDCC4C3D0200\n(1.1) can0 044#XX\n' >bad.log
    exits_with 5 "bad.log:2:16: 'X' is not a hex digit" canpid decode bad.log
    fails_with 5 "bad.log:2:16: 'X' is not a hex digit" canpid -l "$fast" replay bad.log
}

@test "every text is ASCII in a locale without UTF-8" {
    for locale in C POSIX; do
        for tool in $tools; do
            for words in help 'help watch' 'help decode' describe list 'config show' nonsense \
                "-l $fast --color perhaps list" '-l nowhere: plot' '-l nowhere: watch'; do
                LC_ALL=$locale $tool $words >text 2>&1 </dev/null || true
                [ -s text ]
                same "$(LC_ALL=C grep -n '[^ -~	]' text | head -n 1 || true)" ""
            done
        done
        for words in --help --list nonsense '--check nowhere' '--connect 127.0.0.1:1 --connect-timeout 10ms' \
            '--scene'; do
            LC_ALL=$locale ezphys-sim $words >text 2>&1 </dev/null || true
            [ -s text ]
            same "$(LC_ALL=C grep -n '[^ -~	]' text | head -n 1 || true)" ""
        done
    done
}

# In text output, a unit appears once, after the number; only names in ms contain their unit. Columns: command,
# and part of its output.
@test "a number shows its unit only once in text output" {
    while IFS='|' read -r command wanted; do
        prints "$wanted" $command
        hasnt "$output" "_deg="
        same "$(grep -oE '_?ms=[0-9.]+ms|(hz|seconds)=[0-9]' <<<"$output" || true)" ""
    done <<END
armctl -q -l $fast deg 1 90|deg joint=1 angle=90deg result=confirmed ms=
armctl -q -l sim:?quirks=published pulse 2 1500us|pulse=1500us
hidmotor -q -l $fast move elbow=21.8 --wait|m3.target=21.8deg
hidmotor tip x=120mm y=50mm z=150mm|m1=22.6199deg
hidmotor tip 0 45 -30|mm
canpid -q -l $fast setpoint 10deg --max-jump 90deg -b lknee -c pos|value=10deg
canpid -q -l $fast setpoint 0.5Nm -b lknee -c tor|value=0.5Nm
canpid -q -l $fast step --from 0deg --to 20deg --for 2s -b lknee -c pos|deg·s
unitysim -q -l $fast move elbow=2300|elbow.ticks=2
unitysim -q -l $fast move elbow=20deg|elbow.actual=
ezphys -q -l sim:pendulum advance 10|time=0.01s
END
}

@test "SIGINT during a motion stops it and prints one line, in every tool" {
    while IFS='|' read -r command moves said; do
        # Writes to a file, because it never blocks.
        $command 2>trace >out 3>&- &
        started+=("$!")
        until grep -qF -e "$moves" trace; do sleep 0.02; done
        before=$(wc -l <trace)
        end_by INT 130 "${started[-1]}"
        # A busy machine may lose feedback; that is not part of the stop.
        rest=$(tail -n +$((before + 1)) trace | grep -E '^[a-z]+: ' | grep -v feedback || true)
        same "$(wc -l <<<"$rest")" 1
        has "$rest" "$said"
        rm trace
    done <<END
armctl -v -l sim:?turn-speed=20 deg 1 180|44 45 47|armctl: stopped: sending ended
hidmotor -v -l sim: move 0 90 0 duration=20s --wait|set_setpoints|hidmotor: stopped: holding
canpid -v -l sim: step --from 0deg --to 20deg --for 20s -b lknee -c pos|044#|canpid: stopped: disabled the driver
unitysim -v -l sim: drive elbow=+45 --for 20s|control|unitysim: stopped: all joints
hidmotor -v -l sim: step m2 --from 20deg --to 0deg --for 20s|set_setpoints|hidmotor: stopped: holding
unitysim -v -l sim: step elbow --from 20deg --to 0deg --for 20s|control|unitysim: stopped: all joints
ezphys -v -l sim:pendulum step hinge --from 1 --to 0 --for 20s|-> 2C 00|ezphys: stopped: 1 joint held at velocity 0
ezphys -v -l sim:pendulum motor hinge 2 1000 --for 100s|-> 2C 00|ezphys: stopped: 1 joint held at velocity 0
END
}

@test "every value of result is explained by help records and man 7 armwire" {
    words=$(cd "$root" && {
        grep -rhA4 '"result",' cmd lib --include='*.c' | tr '\n' ' ' |
            grep -oE '"result",[^;]*;' | grep -oE '"[a-z-]+"' | grep -v '"result"'
        sed -n '/aw_armctl_result_name(/,/^}/p' lib/protocol/armctl/client.c | grep -oE '"[a-z-]+"'
    } | tr -d '"' | sort -u)
    [ "$(wc -w <<<"$words")" -ge 15 ]
    for tool in $tools; do
        "$tool" help records >"$tool.text"
    done
    for word in $words; do
        for tool in $tools; do
            grep -qE "^  $word  " "$tool.text" || { echo "$tool help records lacks $word" && false; }
        done
        grep -qF "\`$word\`" "$root/docs/records.md"
        grep -qF "${word//-/\\-}" "$root/docs/man/armwire.7"
    done
}

# ---- Fields --------------------------------------------------------------------------------------

# The same rule finds fields in watch, --fields, --format and --where.
@test "watch, --fields, --format and --where find a field by the same names" {
    while IFS='|' read -r tool name fields; do
        prints_lines 3 $tool -q -j -l "$fast" watch -n 3 $name
        same "$(json 'keys - ["t","dir","msg","board"] | sort | join(" ")')" "\"$fields\""
        prints_lines 3 $tool -q -j -l "$fast" watch -n 3 --fields $name
        same "$(json 'keys - ["t","dir","msg"] | sort | join(" ")')" "\"$fields\""
        prints_lines 4 $tool -q --csv -l "$fast" watch -n 3 --fields $name
        prints_lines 2 $tool -q -l "$fast" watch -n 2 --where "$name>-99999"
        [[ $fields == *" "* ]] && continue
        ok $tool -q -l "$fast" watch -n 3 --format "%{t} %{$name}" || continue
        same "${#lines[@]}" 3
    done <<'END'
canpid|torque|torque
canpid|lknee.torque|torque
canpid|joint.torque|torque
canpid|lknee.joint.torque|torque
hidmotor|m1.position|m1
hidmotor|base.position|m1
hidmotor|positions.m1.position|m1
hidmotor|position|m1 m2 m3
unitysim|elbow.position|elbow
unitysim|feedback.elbow.position|elbow
END
    ok canpid -q -l "$fast" watch -n 20 --format '%{board} %{lknee.torque}'
    same "$(printf '%s\n' "${lines[@]}" | cut -d ' ' -f 1 | sort -u)" lknee
    fails_with 2 "several values" hidmotor -q -l "$fast" watch -n 1 --format '%{position}'
}

@test "an unknown field is an error that lists the available ones, also among valid names" {
    ok canpid -q -l "$fast" step --from 0deg --to 20deg --for 1s -b lknee -c pos --save step.csv
    while IFS= read -r command; do
        fails_like 2 "*'zebra'*available: *" timeout 20 canpid -q -l $fast $command </dev/null
    done <<'END'
watch torque zebra
watch -n 1 --fields torque,zebra
watch -n 1 --format %{zebra}
watch -n 1 --where zebra>1
plot torque zebra --for 1s
plot measured zebra step.csv --out step.svg
decode --fields zebra 041#9A99193F0200
END
    [ ! -e step.svg ]
    for tool in $tools; do
        for words in "--fields zebra" "--where zebra>1" "--format %{zebra}" "--fields bob.zebra"; do
            fails_like 2 "$tool: no message has a field '*zebra'*available: *" $tool decode $words </dev/null
        done
    done
    ok ezphys --scene pendulum decode --fields hinge.angular_velocity </dev/null # the simulation may have this object
}

@test "--fields and --format apply to rows and results and reject unknown names in every command" {
    for tool in $tools; do
        link=$fast move=status
        case $tool in
        armctl) move='deg 1 90' ;;
        hidmotor) move='move elbow=30' ;;
        canpid) move='setpoint 5deg -b lknee -c pos' ;;
        unitysim) move='move elbow=2100' ;;
        ezphys) link=sim:pendulum move='motor hinge 1 1' ;;
        esac
        for command in status limits 'ping -n 2' "$move" 'config show'; do
            fails_like 2 "$tool: *'zebra'* — available: *" timeout 20 $tool -q -l $link $command --fields zebra
        done
        [ $tool = ezphys ] || fails 2 timeout 20 $tool -q -v -l $link $move --fields zebra # nothing is sent
        fails 2 timeout 20 $tool -q -l $link ping -n 2 --format '%{lost} %{zebra}'
        gives_json 'keys | join(" ")' '"cmd lost ok p95_ms t"' $tool -q -j -l $link ping -n 2 --fields lost,p95_ms
        prints_no min $tool -q -l $link limits --fields max
        fails_with 2 "$tool: '%{max': invalid reference — write %{FIELD}" $tool -q -l $link limits --format '%{max'
        fails 2 $tool describe --fields zebra
        ok $tool -q -l $link stop --fields zebra # stop never fails
    done
    ok hidmotor -q -j -l "$fast" status --fields actual,m1.age
    same "$(json '[.m1,.m2 | keys | join(" ")] | join("; ")')" '"actual age; actual"'
    gives "0 0" ezphys -q -l sim:pendulum status --format '%{hinge.actual} %{contacts}'
}

@test "watch of a text file selects fields and reports names that never appear" {
    printf '%s\n' '{"t":1,"board":"lknee","torque":3,"b":4}' '{"t":2,"x":5,"b":6}' >text
    for tool in $tools; do
        ok $tool -q -j watch - b <text
        same "$output" '{"t":1,"lknee":{"b":4}}
{"t":2,"b":6}'
        ok $tool -q --format '%{t} %{b}' watch - <text
        same "$output" '1 4
2 6'
        for words in 'watch - b zebra' 'watch - --fields b,zebra'; do
            fails_with 2 "name 'zebra' not found — available: lknee.torque, lknee.b, x, b" $tool -q $words <text
        done
        # The name is part of another one.
        fails_with 2 "available: max, x, ma" $tool -q watch - zebra <<<'{"max":1,"x":2,"ma":3}'
        gives "$(<text)" $tool -q -j watch - <text
    done
}

@test "CSV has the columns of the sent or received messages" {
    while IFS='|' read -r command names; do
        ok $command
        same "$command: ${lines[0]}" "$command: t,dir,msg,$names"
        same "$(grep -c '^t,' <<<"$output")" 1
    done <<END
armctl -q --csv -l $fast deg 1 90 2 30|seq,joint,angle
hidmotor -q --csv -l $fast move elbow=30|duration,mode,m1,m2,m3
hidmotor -q --csv -l $fast watch -n 4|count,m1.setpoint,m1.position,m2.setpoint,m2.position,m3.setpoint,m3.position,m1.velocity,m1.effort,m2.velocity,m2.effort,m3.velocity,m3.effort
canpid -q --csv -l $fast set pid 3 0.0005 0 -b lknee -c pos --switch|board,value,controller
canpid -q --csv -l $fast watch -n 9|board,setpoint,output,measured,fix_link_angle,alpha_angle,torque,error,velocity,current,lever_angle
unitysim -q --csv -l $fast watch -n 4|shoulder.position,shoulder.velocity,elbow.position,elbow.velocity,wrist_rotate.position,wrist_rotate.velocity,wrist_flex.position,wrist_flex.velocity,hand.position,hand.velocity
ezphys -q --csv -l sim:pendulum motor hinge 1 10|id,velocity1,max_torque1,velocity2,max_torque2,velocity3,max_torque3
END
    ok armctl -q --csv -l "$fast" <<<$'deg 1 90\npos 3 20' # each command has its own header
    same "$(grep -n '^t,' <<<"$output" | tr '\n' ' ')" "1:t,dir,msg,seq,joint,angle 3:t,dir,msg,seq,joint,position "
}

@test "watch prints no error when its reader closes the pipe" {
    for tool in hidmotor canpid unitysim; do
        { timeout 20 $tool -q -l "$fast" watch 2>said && false || echo $? >status; } | head -n 1 >first
        same "$(<said)" ""
        same "$(<status)" 141
        [ -s first ]
    done
}

# ---- The tables of docs/suite.md -----------------------------------------------------------------

# common HEADING: prints the names in a table of docs/suite.md that are common to all tools.
common() {
    sed -n "/^## $1/,/^## /p" "$root/docs/suite.md" | grep '^| ' | grep -oE '`(--)?[a-z][a-z-]*' | tr -d '`'
}
# differences: prints the table of differences as "name|cell of each tool|reason", one line per name.
differences() {
    sed -n "/^## Differences/,/^## /p" "$root/docs/suite.md" | grep '^| [^|]' | grep -v '^| | ' |
        sed 's/^| //; s/ | /|/g; s/`//g' |
        awk -F'|' '{ n = split($1, name, " "); cells = substr($0, length($1) + 1)
                     for (i = 1; i <= n; i++) print name[i] cells }'
}

@test "docs/suite.md lists verbs and options that each tool has, and the differences" {
    order=(armctl hidmotor canpid unitysim ezphys)
    for tool in "${order[@]}"; do
        $tool help options >$tool.options
    done
    has_name() { # TOOL NAME
        case $2 in
        --*) grep -qE -e "$2( |=|\[|$)" "$1.options" ;;
        *) "$1" help "$2" >/dev/null 2>&1 ;;
        esac
    }
    n=0
    while IFS= read -r name; do
        for tool in "${order[@]}"; do
            has_name "$tool" "$name" || { echo "$tool lacks $name" && false; }
        done
        n=$((n + 1))
    done < <(common Commands; common Options)
    [ $n -gt 40 ]
    while IFS='|' read -r name a b c d e why; do
        cells=("$a" "$b" "$c" "$d" "$e")
        for i in 0 1 2 3 4; do
            found=-
            ! has_name "${order[i]}" "$name" || found=yes
            same "$name of ${order[i]}: $found" "$name of ${order[i]}: ${cells[i]}"
        done
        [ ${#why} -gt 10 ]
        n=$((n + 1))
    done < <(differences)
    [ $n -gt 50 ]
}

@test "docs/suite.md: exit codes, error formats and result keys are the same in all tools" {
    for tool in $tools; do
        link=$fast
        [ $tool != ezphys ] || link=sim:pendulum
        ok $tool help
        fails_like 2 "$tool: unknown command 'nonsense' — see '$tool help'" $tool nonsense
        fails_like 2 "$tool: *'zebra'* — available: *" timeout 20 $tool -q -l "$link" watch --fields zebra
        fails 5 $tool decode FFF
        run -2 --separate-stderr $tool -q -j -l "$link" ping --nonsense
        same "$(json 'keys - ["cmd"] | sort | join(" ")')" '"error exit ok t why"'
        ok $tool -q -j -l "$link" ping -n 3
        same "$(json '[.cmd,.ok,has("t"),has("n"),has("lost"),has("min_ms"),has("max_ms")] | join(" ")')" \
            '"ping true true true true true true"'
    done
}
