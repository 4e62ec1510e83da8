#!/usr/bin/env bats
# Rules for every command of every tool, hidden ones too. The tools list their own commands and
# examples, so new commands are covered automatically.

load common

# Prints arguments for commands whose help has no example.
words() {
    case $1/$2 in
    canpid/teleop) echo -c pos ;;
    */quit | */exit | */complete | */commands | */list | */home | */camera_request) ;;
    */reset | */positions | */velocities | */pid_gains | */velocity_gains) ;;
    armctl/jog) echo elbow ;;
    armctl/move) echo 1=90 ;;
    canpid/move) echo lknee=10deg -c pos ;;
    hidmotor/set_setpoints) echo 0 45 -30 1s sinusoidal ;;
    hidmotor/set_velocity) echo 1 2 3 ;;
    hidmotor/set_*_gains) echo 1 2 3 4 5 6 7 8 9 ;;
    canpid/play) echo nothing.csv -c pos ;;
    */design | */verify) echo nothing.csv ;;
    canpid/follow) echo nothing.csv -c pos --map lknee=x --max-speed 10 ;;
    hidmotor/follow | unitysim/follow) echo nothing.csv --map elbow=x ;;
    armctl/follow) echo nothing.csv --map 1=x --max-speed 10 ;;
    ezphys/follow) echo nothing.csv --map hinge=x ;;
    armctl/play | hidmotor/play | ezphys/play | unitysim/play) echo nothing.csv ;;
    canpid/k[pid]) echo 0.5 -b lknee -c pos ;;
    canpid/ref_*) echo -b lknee ;;
    canpid/send) echo "fan speed=10 --packets $root/docs/example/bus.packets" ;;
    hidmotor/send) echo "status --packets $root/docs/example/arm42.packets" ;;
    unitysim/send) echo "beep --packets $root/tests/golden/packets/unitysim.packets" ;;
    ezphys/send) echo "wind id=1 --packets $root/tests/golden/packets/ezphys.packets" ;;
    canpid/gains) echo apply lknee.gains ;;
    unitysim/control) echo elbow.velocity=4 elbow.state=increase ;;
    unitysim/update) echo camera.y=400 ;;
    ezphys/axis_motor) echo 1 2 3 ;;
    ezphys/axis_force) echo 1 2 ;;
    */watch | */describe | */teleop | */'?') ;;
    */plot) echo x ;;
    */wait | */expect) echo x=1 --for 0.1s ;;
    */test) echo nothing.csv ;;
    */encode) "$1" describe --as json | jq -r '[.messages[] | select(.dir != "rx")][-1].name' ;;
    */decode | */record | */replay | */info | */run | */probe) echo no.pcapng ;;
    */sim) echo --listen "$told" ;;
    */serve) echo --listen "unix:$D/no/folder" ;;
    *) return 1 ;;
    esac
}

# each TOOL: prints its commands with arguments, one per line. Removes their links, which the test's own link
# replaces.
each() {
    local name example
    while IFS=$'\t' read -r name example; do
        example=${example//"'"/}
        [[ $example ]] || example="$name $(words "$1" "$name")" || {
            echo "no example of $1 $name" >&2
            return 1
        }
        echo "$example"
    done < <("$1" commands) | sed 's/-l [^ ]* //'
}

# Matches commands that fail without files, profiles or terminals.
refusals='^(.*no\.pcapng|.*nothing\.csv|.*lknee\.gains|armctl (home|jog|teleop)|[a-z]* (plot x|wait x|expect x|encode))'

@test "--dry-run: every command succeeds, opens no link and creates no file" {
    start peer python3 "$BATS_TEST_DIRNAME/peer.py" --connections taken
    told=$url
    printf '(1.0) can0 044#0000003E0000\n' >one.log
    echo 'lknee pos kp 3' >one.gains
    mkdir empty
    cd empty
    for tool in $tools; do
        each $tool >"$D/$tool.list"
        [ $tool != canpid ] || printf '%s -b lknee\n' "gains apply ../one.gains" "replay ../one.log" >>"$D/$tool.list"
        while read -r -u 4 line; do
            echo "# $tool --dry-run $line"
            status=0
            timeout 60 $tool --dry-run --no-input -l "$told" --record rec.pcapng $line \
                </dev/null >"$D/out" 2>"$D/err" || status=$?
            case $status in
            0) ;;
            2) [[ "$tool $line" =~ $refusals ]] || { cat "$D/err" && false; } ;;
            *) echo "status $status: $(cat "$D/err")" && false ;;
            esac
        done 4<"$D/$tool.list"
        same "$(find . -mindepth 1)" ""
    done
    same "$(cat "$D/taken")" ""
    [ ! -e "$D/state" ]
}

@test "the file name - reads standard input, named stdin in errors" {
    for tool in $tools; do
        each $tool | sed -nE '/^record /d; s/(no\.pcapng|nothing\.csv|lknee\.gains)/-/p' >"$D/$tool.list"
        while read -r -u 4 line; do
            echo "# $tool $line"
            status=0
            timeout 60 $tool -q --no-input -l sim: $line <<<nonsense >"$D/out" 2>"$D/err" || status=$?
            [[ $status == [25] ]]
            has "$(<"$D/err")" "$tool: stdin:"
        done 4<"$D/$tool.list"
        [ "$(wc -l <"$D/$tool.list")" -ge 4 ]
    done
}

@test "--dry-run: a command that only reads reports that it has no preview" {
    while read -r tool command; do
        gives "" $tool --dry-run $command
        same "$stderr" "$tool: ${command%% *}: no preview, because --dry-run opens no link"
        gives_json '[.cmd,.ok,.dry_run]' "[\"${command%% *}\",true,true]" $tool -q -j --dry-run $command
        same "$stderr" ""
    done <<'END'
armctl ping
armctl watch
armctl record run.csv
armctl sim
armctl plot angle --out run.svg
hidmotor status
hidmotor ping
hidmotor gains
hidmotor gains save arm.gains
hidmotor record run.csv
canpid watch
canpid dump
canpid ping
unitysim status
unitysim ping
unitysim view
unitysim camera get
unitysim camera save above
unitysim limits save arm.limits
unitysim teach path.csv
unitysim list
ezphys hz
ezphys limits
ezphys status
ezphys ping
ezphys view
ezphys sim
END
    same "$(find . -name 'run.csv' -o -name '*.gains' -o -name path.csv -o -name '*.limits' -o -name '*.svg')" ""
}

@test "--dry-run: commands name the device data that they need, and reject invalid arguments" {
    echo 'elbow pid kp 0.02' >one.gains
    while IFS='|' read -r words on; do
        gives "" ${words%% *} --dry-run ${words#* }
        has "$stderr" ": no preview, because the packets depend on $on — try it with -l sim:, without --dry-run"
        same "$(wc -l <<<"$stderr")" 1
        gives_json '[.ok,.dry_run]' '[true,true]' ${words%% *} -q -j --dry-run ${words#* }
        fails 2 ${words%% *} --dry-run ${words#* } nonsense
    done <<'END'
hidmotor stop|the position of the arm
hidmotor jog elbow +5|the position of the joint
unitysim jog elbow +50|the position of the joint
ezphys jog hinge +0.2|the position of the joint
hidmotor move elbow=30|the position of the arm
hidmotor gains set elbow.kp=0.02|the other gains of the device
hidmotor gains apply one.gains|the other gains of the device
canpid step --from 0deg --to 1deg -b lknee -c pos|the telemetry
canpid sweep -b lknee -c pos|the telemetry
canpid tune -b lknee -c pos|the telemetry
canpid identify -b lknee -c pos|the telemetry
hidmotor step m2 --from 0deg --to 1deg|the telemetry
hidmotor sweep m2|the telemetry
hidmotor identify m2|the telemetry
hidmotor tune m2|the telemetry
unitysim step elbow --from 0deg --to 1deg|the telemetry
ezphys step hinge --from 0 --to 0.1|the joints of the device
unitysim camera set y=500|the position of the camera
ezphys stop|the joints of the device
ezphys advance|the previous commands
END
    fails 6 hidmotor --dry-run move elbow=300
    fails 2 canpid --dry-run tune -b lknee
    fails 6 ezphys --dry-run advance -3
}

# Prepares files for commands that need them: a recording, different gains, two runs.
more() {
    cat <<'END' | sed -n "s/^$1: //p"
armctl: info run.pcapng
armctl: decode run.pcapng
armctl: encode deg joint=1 angle=90
armctl: describe --as md
armctl: --config aliases.ini config show
hidmotor: info run.pcapng
hidmotor: gains
hidmotor: gains set elbow.kp=0.02
hidmotor: gains diff arm.gains
hidmotor: verify steps.ini
hidmotor: --dry-run send 37 1 2 3
canpid: info run.pcapng
canpid: gains diff lknee.gains
canpid: dump -n 3
canpid: sweep --amplitude 20deg -b lknee -c pos
canpid: design model.json
canpid: play walk.csv -c pos
canpid: verify spec.ini
unitysim: info run.pcapng
unitysim: --views views.csv camera views
unitysim: play sequence.csv
ezphys: info run.pcapng
ezphys: list
ezphys: probe run.pcapng
END
}

@test "every command supports text, -j, --csv and --format or reports why not, and leaks no descriptor" {
    printf '[link]\nbench = sim:\n' >aliases.ini
    printf 'elbow pid kp 0.02\n' >arm.gains
    printf 'lknee pos kp 3\n' >lknee.gains
    printf 'above,1,2,3,4,5,6\n' >views.csv
    printf '%s\n' 'Joint,Motion Type,Position,Velocity,Tolerance,Delay (ms)' \
        'Elbow,Auto,2300,45,10,0,' >sequence.csv
    printf '{"kind": "first-order", "gain": 2, "dead_time": 0.05, "tau": 0.5}\n' >model.json
    printf '%s\n' t,lknee 0,0 0.5,5 >walk.csv
    printf '%s\n' '[calm]' 'board = lknee' 'controller = pos' 'from = 0' 'to = 5' 'max-overshoot = 10' >spec.ini
    printf '%s\n' '[calm]' 'joint = m2' 'from = 0' 'to = 5' 'max-overshoot = 90' >steps.ini
    for value in 10 12; do
        canpid -q -l "$fast" step --from 0deg --to ${value}deg -b lknee -c pos --save run$value.csv
    done
    mv run10.csv a.csv
    mv run12.csv b.csv
    for tool in $tools; do
        $tool -q -l sim: record run.pcapng --for 0.3s
        { each $tool && more $tool; } | sed -E "
            s/^(watch|plot .*[^ ]|plot) *$/\1 --for 0.2s/
            s#^#$tool -q -l '$fast' #" >"$tool.forms"
        python3 "$BATS_TEST_DIRNAME/formats.py" "${BIN%/bin}/tests/memory/descriptors.so" <"$tool.forms"
    done
}

@test "--dry-run in a session does not change the session's state" {
    printf '%s\n' 'setpoint 5deg -b lknee -c pos' 'setpoint 4deg -b lknee -c pos --dry-run' \
        'watch --dry-run' >script
    remarks_like '*stopped: disabled the driver*' canpid -v -l sim: run script # finally sent to the real link
    printf '%s\n' 'move 1 2 3' 'move 3 4 5 --dry-run' 'ping --dry-run' 'jog base +1 --wait' >script
    gives_json .ok true hidmotor -q -j -l "$fast" run script
    printf '%s\n' 'limits set elbow 1800 2400' 'drive elbow=+5 --dry-run' 'limits' >script
    prints "elbow            position           1800       2400 tick" unitysim -q -l sim: run script
}

@test "--dry-run with --csv and --format prints only the record and logs the bytes" {
    prints_lines 2 armctl --dry-run --csv deg 1 90
    has "$stderr" "bytes: 30 44 45 47 31 2C 30 39 30 0D 0A"
    gives "90" armctl --dry-run --format '%{angle}' deg 1 90
    gives_json .bytes '"30 44 45 47 31 2C 30 39 30 0D 0A"' armctl -j --dry-run send DEG1,090
    fails 6 armctl --dry-run deg 1 400
    ok armctl -l @nope --dry-run deg 1 90
}

@test "records with an unknown field are rejected with a suggestion" {
    while IFS='|' read -r tool wrong near; do
        fails_with 2 "did you mean '$near'" "$tool" -q -l "$fast" <<<"$wrong"
        fails 2 "$tool" -q -l "$fast" --dry-run <<<"$wrong"
    done <<'END'
armctl|{"msg":"deg","joint":1,"angel":90,"angle":1}|angle
hidmotor|{"msg":"set_setpoints","duraton":5000,"m1":1,"m2":2,"m3":3}|duration
hidmotor|{"msg":"light","hue":1,"saturation":1,"value":1,"satuation":2}|saturation
canpid|{"msg":"aux","board":"lknee","index":0,"value":1,"indx":1}|index
unitysim|{"msg":"control","elbow":{"velocty":3}}|elbow.velocity
END
    fails 2 canpid -q -l "$fast" <<<'{"msg":"setpoint","board":"lknee","controller":"pos","value":1,"verfy":1}'
    fails 2 ezphys -q -l sim: <<<'{"msg":"axis_motor","id":1,"velocity1":1,"max_torque1":0,"torque":1}'
}

@test "every sent message can be fed back as a record with all its -j fields" {
    for tool in $(grep -vx armctl <<<"$tools"); do
        for message in $($tool describe --as json | jq -r '.messages[] | select(.dir != "rx").name'); do
            pairs=$($tool describe --as json | jq -r --arg m "$message" '
                [.messages[] | select(.name == $m and .dir != "rx") | .fields[]? | .name] | .[]' |
                grep -xE 'board|controller|value|index|scene|m[123]|m[123]\.k[pid]|hue|saturation|duration|id|axis1|velocity1|max_torque1' |
                sed -E 's/^(board|scene)$/&=1/;t;s/^(controller|id|index)$/&=1/;t;s/$/=0/;s/^scene=0/scene=1/')
            pairs=${pairs/board=1/board=lknee}
            [[ $message != reset ]] || pairs=
            [[ $tool != canpid || $message != setpoint ]] || pairs+=" controller=pos"
            [[ $tool != hidmotor || $message != set_setpoints ]] || pairs+=" mode=linear"
            bytes=$($tool encode $message $(tr ' ' '\n' <<<"$pairs" | sort -u -t= -k1,1))
            $tool decode -j --dir tx $bytes >record
            ok $tool -q -l "$fast" $([[ $tool != canpid ]] || echo --switch) --dry-run <record
            has "${output//[ #]/}" "${bytes//[ #]/}"
        done
    done
    armctl -q -j -l "$fast" deg 1 90 >records # seq, t, dir, and a result
    gives_json '[.cmd,.ok]' '["deg",true]' armctl -q -j -l "$fast" <records
    armctl -j --dry-run deg 1 90 >records
    ok armctl -q -l "$fast" <records
}

@test "a decoded command previews as its original bytes, even if options name another board or controller" {
    while IFS='|' read -r tool wire message; do
        bytes=$message options=
        [[ $message == *#* ]] || bytes=$($tool encode $wire $message)
        $tool decode -j $wire --dir tx $bytes >record
        [ $tool != canpid ] || options='-b rhip -c pos --switch'
        ok $tool -q $options $wire -l sim: --dry-run <record
        same "${lines[1]// /}" "${bytes// /}"
    done <<'END'
canpid||041#9A99193F0200
canpid||062#6F12033A0100
canpid||0C3#000020410300
canpid||044#CDCC4CBE0200
canpid||024#0000003E0100
canpid||085#6F12033B0000
canpid||086#010000000000
canpid||0A7#0000803F0000
canpid||0C8#000000000000
canpid||049#000080BF0300
canpid||04A#000000000000
canpid||044#0000C03F0000
ezphys|--wire le32|axis_motor id=1 velocity1=2 max_torque1=1000
ezphys|--wire be32|axis_force id=1 axis1=-0.5
ezphys|--wire name32|axis_motor name=hinge velocity1=2 max_torque1=1000
ezphys|--wire name32|axis_force name=hinge axis1=4
ezphys|--wire stream|reset
unitysim||scene scene=4 frame_rate=60 camera.x=-5 camera.y=7 camera.rz=90 elbow.min=1800 hand.max=2700
unitysim||update camera.y=400 shoulder.min=1100 wrist_flex.max=3000
unitysim||control elbow.velocity=45 elbow.state=increase hand.velocity=20 hand.state=keep
END
}

@test "query records are sent, and their answers are printed" {
    for question in positions velocities pid_gains velocity_gains; do
        gives_json '[.dir,.msg]' "[\"rx\",\"$question\"]" hidmotor -q -j -l "$fast" <<<"{\"msg\":\"$question\"}"
    done
    ok unitysim -q -j -l sim: <<<'{"dir":"tx","msg":"camera_request"}'
    same "$(json '[.cmd,.ok,.y]')" '["camera_request",true,500]'
}

@test "each message has the expected safety class, bytes, exit code and stop at the end of a script" {
    gains='"m1":{"kp":1,"ki":2,"kd":3},"m2":{"kp":4,"ki":5,"kd":6},"m3":{"kp":7,"ki":8,"kd":9}'
    while IFS='|' read -r class exit stop tool words bytes; do
        words=${words/GAINS/$gains}
        word=${words#*:\"}
        same "$words $($tool help -j "${word%%[ \"]*}" | jq -r .safety)" "$words $class"
        ok "$tool" -q --dry-run <<<"$words"
        same "$words $(tail -1 <<<"$output" | tr -d ' ' | sed -E 's/(00)+$//')" "$words $bytes"
        exits "$exit" "$tool" -l "$fast" <<<"$words"
        same "$words $(grep -c stopped: <<<"$stderr")" "$words $stop"
    done <<'END'
writes|0|1|canpid|kp 0.6 -b lknee -c tor --switch|041#9A99193F02
writes|0|1|canpid|ki 0.1 -b lknee -c tor --switch|042#CDCCCC3D02
writes|0|1|canpid|kd -1 -b lknee -c tor --switch|043#000080BF02
moves|0|1|canpid|setpoint 1deg -b lknee -c pos|044#610B363B
writes|0|1|canpid|precompression 2mm -b lknee -c pos --switch|045#6F12033B
moves|0|0|canpid|event start -b lankle|066#01
writes|0|0|canpid|aux 2 0.5 -b lknee|049#0000003F02
writes|0|0|canpid|ref_alpha -b lknee|047#
writes|0|0|canpid|ref_fix_link -b lknee|048#
writes|0|0|canpid|calibrate -b lknee|04A#
writes|0|0|hidmotor|light 0.33 1 0.5|D0070000C3F5A83E0000803F0000003F
reads|0|0|hidmotor|positions|7607
reads|0|0|hidmotor|velocities|1E07
reads|0|0|hidmotor|pid_gains|4107
reads|0|0|hidmotor|velocity_gains|2107
moves|0|0|hidmotor|gripper 90|AA0700005A
moves|0|1|hidmotor|velocity elbow=20|1307000000000000000000000000A041
dangerous|2|0|hidmotor|send 2000 0.5 1 1|D00700000000003F0000803F0000803F
dangerous|0|0|hidmotor|send 1910|7607
dangerous|2|0|hidmotor|send 1848 500 1 0 4 3|380700000000FA430000803F000000000000804000004040
moves|0|1|hidmotor|{"msg":"set_velocity","m1":0,"m2":0,"m3":20}|1307000000000000000000000000A041
moves|0|1|hidmotor|{"msg":"set_setpoints","duration":500,"mode":"linear","m1":0,"m2":4,"m3":3}|380700000000FA4300000000000000000000804000004040
writes|0|0|hidmotor|{"msg":"set_pid_gains",GAINS}|6C0700000000803F0000004000004040000080400000A0400000C0400000E0400000004100001041
writes|0|0|hidmotor|{"msg":"set_velocity_gains",GAINS}|120700000000803F0000004000004040000080400000A0400000C0400000E0400000004100001041
reads|0|0|unitysim|camera_request|FFFF03FC
moves|0|1|unitysim|{"msg":"control","elbow":{"velocity":5,"state":"increase"}}|FFFF01140000000001050001020000000300000004000000DA
writes|0|0|unitysim|{"msg":"update","camera":{"x":1}}|FFFF02260100010000010000010000010000010000010404010CA4060A0A0404010C1603000D8807F00A39
writes|0|0|unitysim|scene basic|FFFF0028011E0000010000010000010000010000010000010404010CA4060A0A0404010C1603000D8807F00A1B
moves|0|1|ezphys|axis_motor 1 2 1000|2C000000010000000300000001000000180000000000004000007A44
moves|0|0|ezphys|axis_force 1 5|200000000100000002000000010000000C0000000000A040
writes|0|0|ezphys|reset|140000000100000001
moves|0|0|armctl|deg 1 90|30444547312C3039300D0A
END
}

@test "surplus arguments are rejected with the usage" {
    while IFS='|' read -r words usage; do
        fails_with 2 "$usage" $words
        fails 2 ${words%% *} --dry-run ${words#* }
    done <<'END'
unitysim camera set 1 2 3 4 5 6 7|unexpected argument '7' — usage: camera set [X]
unitysim camera get above|unexpected argument 'above' — usage: camera get
unitysim camera default 1|unexpected argument '1'
unitysim camera views x|unexpected argument 'x'
unitysim camera use above below|unexpected argument 'below' — usage: camera use [NAME]
unitysim camera save above y=3|camera save: unknown argument 'y'
unitysim limits set elbow 1800 2400 5|unexpected argument '5' — usage: limits set [JOINT] [MIN] [MAX]
unitysim limits show elbow|unexpected argument 'elbow' — usage: limits show
unitysim limits save a b|unexpected argument 'b' — usage: limits save [FILE]
hidmotor gains show foo|unexpected argument 'foo' — usage: gains show
hidmotor gains save a b|unexpected argument 'b' — usage: gains save [FILE]
hidmotor gains elbow.kp=1|gains: unknown argument 'elbow.kp' — usage: gains [ACTION]
canpid gains apply a b|unexpected argument 'b'
canpid set kp 1 2 -b lknee -c pos|requires one value
armctl config show foo|unexpected argument 'foo'
armctl deg 1 90 2|missing argument 'angle'
armctl help deg pos|unexpected argument 'pos'
ezphys reset now|unexpected argument 'now'
END
}

@test "each command prints one result under the name that the user typed" {
    result() { jq -c 'select(.cmd) | [.cmd,.ok]' <<<"$output" | xargs; }
    while IFS='|' read -r tool words; do
        ok $tool -q -j -l "$fast" $words
        same "$(result)" "[${words%% *},true]"
    done <<'END'
armctl|deg 1 90 2 45 1 10
hidmotor|velocity 1 0 0
hidmotor|set_velocity 1 0 0
hidmotor|light 0 1 1
hidmotor|gains set elbow.kp=0.02
unitysim|camera_request
END
    ok ezphys -q -j -l sim: axis_motor hinge 1 10
    same "$(result)" "[axis_motor,true]"
    printf 'elbow pid kp 0.02\nelbow velocity kp 0.03\n' >arm.gains
    ok hidmotor -q -j -l "$fast" gains apply arm.gains
    same "$(result)" "[gains,true]"
    same "$(json '[.result,.gains]')" '["confirmed",2]'
    gives_json '[.result,.moves,.retries]' '["confirmed",3,0]' armctl -q -j -l "$fast" deg 1 90 2 45 1 10
}

@test "ezphys: decode, watch and record print the axis of a joint" {
    axes() { jq -c 'select(.msg == "joint_axis") | [.id,.axis]' | sort -u; }
    ezphys -q -l 'sim:?scene=humanoid' --record run.pcapng watch -j joint_axis -n 40 | axes >live
    grep -q ',2' live
    for command in 'decode -j run.pcapng' 'decode -j --raw run.pcapng' 'watch -j -l log:run.pcapng'; do
        ezphys -q $command | axes >other
        cmp live other
    done
    ok ezphys decode -j --where 'axis==2' run.pcapng
    same "$(jq -r .axis <<<"$output" | sort -u)" 2
    ok ezphys -q -l log:run.pcapng record run.ndjson
    axes <run.ndjson | cmp live -
    ok ezphys -q -l log:run.pcapng watch -n 3 -j --where 'axis==2'
    same "$(jq -r .axis <<<"$output" | sort -u)" 2
}

@test "messages and fields named in each tool's table exist in its protocol" {
    for tool in $tools; do
        $tool describe --as json |
            jq -r '.messages[] | .name, (.name + "." + (.fields[]?.name))' | sort -u >known
        perl -0ne '
            push @names, $1 while /\.(?:position_message|reset_message) = "([^"]+)"/g;
            push @lists, $1 while /\.(?:relative|watched) = AW_LIST\(([^)]*)\)/g;
            push @names, map { /"([^"]+)"/g } @lists;
            push @names, $1 while /\n {5,}.*\.field = "([^"]+)"/g;
            print "$_\n" for @names' "$root/cmd/$tool/tool.c" | sort -u >named
        [ -s named ]
        same "$(comm -23 named known)" ""
    done
}
