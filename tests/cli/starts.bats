#!/usr/bin/env bats
# Streams must not start with a jump, in each tool and for each kind of stream. Only the start check refuses the
# rows of the first table.
load common

# write_streams: writes files that start away from the joint's position.
write_streams() {
    printf 't,m1,m2,m3\n0,0,60,0\n1,0,80,0\n' >hidmotor.csv
    printf 't,lknee\n0,20\n1,30\n' >canpid.csv
    printf 't,elbow\n0,25\n1,30\n' >unitysim.csv
    printf 't,rail\n0,0.5\n1,0.6\n' >ezphys.csv
    config armctl '[joint base]' 'index = 1' 'speed = 90' '[joint lift]' 'index = 2'
    printf 't,base\n0,60\n1,70\n' >armctl.csv
    ok hidmotor -q -l "$fast" --record hidmotor.pcapng play hidmotor.csv --approach 100
    ok canpid -q -l "$fast" --record canpid.pcapng play canpid.csv -c pos --approach 50
    ok unitysim -q -l "$fast" --record unitysim.pcapng move elbow=2300
    ok ezphys -q -l sim:cart-pole --record ezphys.pcapng motor rail 0.5 100 --for 0.2s
    printf '{"msg":"set_setpoints","duration":0,"m1":0,"m2":60,"m3":0}\n' >hidmotor.lines
    printf 'setpoint 20deg -b lknee -c pos\nsetpoint 21deg -b lknee -c pos\n' >canpid.lines
    printf '{"t":1,"dir":"rx","msg":"positions","m2":{"position":60}}\n{"t":2,"dir":"rx","msg":"positions","m2":{"position":60}}\n' >hidmotor.leader
    for at in 1 2; do
        for joint in 1 2; do
            printf '{"t":%s,"dir":"rx","msg":"deg","joint":%s,"angle":%s0}\n' $at $joint $((6 / joint)) >>armctl.leader
        done
        printf '{"t":%s,"dir":"rx","msg":"pid","board":"lknee","measured":10}\n' $at >>canpid.leader
    done
    printf 't,elbow\n0,25\n2,25\n' >unitysim.leader
    printf 't,rail\n0,0.5\n2,0.5\n' >ezphys.leader
    for at in 1 2; do printf '{"t":%s,"dir":"rx","msg":"joint_axis","id":1,"axis":1,"displacement":0.5}\n' $at; done >ezphys.kin
}

ways() {
    cat <<END
armctl|play|play armctl.csv|deg base 10
armctl|follow|follow armctl.leader --map base=joint1.angle|deg base 10
hidmotor|play|play hidmotor.csv|
hidmotor|replay|replay hidmotor.pcapng --from 1.5s|
hidmotor|stream|{"cmd":"set_setpoints","duration":0,"m1":0,"m2":60,"m3":0,OPTIONS}|
hidmotor|follow|follow hidmotor.leader --map m2=m2|
canpid|play|play canpid.csv -c pos|
canpid|replay|replay canpid.pcapng --from 0.45s -c pos|status -c pos
canpid|stream|setpoint 20deg -b lknee -c pos|
canpid|follow|follow canpid.leader -c pos -b lknee --map lknee=measured*2 --max-speed 30|
unitysim|play|play unitysim.csv|
unitysim|follow|follow unitysim.leader --map elbow=elbow|
unitysim|replay|replay unitysim.pcapng|move elbow=2500
ezphys|play|play ezphys.csv|
ezphys|follow|follow ezphys.kin --map rail=displacement --max-speed 1|
ezphys|replay|replay ezphys.pcapng|move rail=0.5 --speed 1
END
}

# line WORDS OPTION VALUE: prints the command with an additional option, as text or JSON.
line() {
    case $1 in
    *OPTIONS*) [ "$#" = 1 ] && echo "${1/,OPTIONS/}" || echo "${1/OPTIONS/\"options\":\{\"${2#--}\":\"$3\"\}}" ;;
    *) echo "$*" ;;
    esac
}

link() { [ "$1" = ezphys ] && echo sim:cart-pole || echo "$fast"; }

@test "a stream that starts farther away than --max-jump sends nothing, except with --approach" {
    write_streams
    while IFS='|' read -r tool way words before; do
        { [ -z "$before" ] || echo "$before"; line "$words"; } >lines
        fails 6 "$tool" -q -l "$(link "$tool")" --record refused.pcapng <lines || { echo "$tool $way" && false; }
        matches "$why" '* is at *, the first target is *: farther than --max-jump *give --approach * to move there first' ||
            { echo "$tool $way" && false; }
        [ -n "$before" ] || same "$("$tool" -q -j decode refused.pcapng --dir tx 2>/dev/null |
            jq -c 'select(.velocity1 != 0 and (.msg | test("setpoint|axis_motor|control"))) | select(.msg != "control" or .elbow.state != "stop")')" '' || { echo "$tool $way" && false; }
    done < <(ways)
    while IFS='|' read -r tool way words before; do
        for option in '--approach 15' '--max-jump 300'; do
            [ "$tool" != ezphys ] || option=${option/15/0.9}
            { [ -z "$before" ] || echo "$before"; line "$words" ${option% *} "${option#* }"; } >lines
            ok "$tool" -q -l "$(link "$tool")" <lines || { echo "$tool $way $option" && false; }
        done
    done < <(ways)
}

@test "canpid: --max-speed and the following-error limit apply to the approach" {
    printf 't,lknee\n0,60\n' >far.csv
    fails 6 canpid -q -l "$fast" play far.csv -c pos --approach 50deg/s --max-speed 20
    has "$why" '--approach 50deg/s: exceeds --max-speed 20'
    fails_with 6 'exceeds --max-speed 300' canpid -q -l "$fast" play far.csv -c pos --approach 400deg/s
    ok canpid -q -l "$fast" play far.csv -c pos --approach 20deg/s --max-speed 20
    fails 1 canpid -q -l "$fast&plant=stuck" --record stuck.pcapng play far.csv -c pos --approach 250deg/s
    has "$why" 'behind its target, more than --max-lag 15 for 0.3 s'
    ok canpid -q -j decode stuck.pcapng --where 'setpoint>10' --dir tx
    same "$(jq -s 'map(.t) | .[-1] - .[0] < 0.6' <<<"$output")" true
}

@test "follow of a simulation needs --approach because the start cannot be compared" {
    write_streams
    fails 2 ezphys -q -l sim:cart-pole follow ezphys.leader --map rail=rail --max-speed 1
    has "$why" '--approach 10m/s to move to its position first'
    ok ezphys -q -l sim:cart-pole follow ezphys.leader --map rail=rail --max-speed 1 --approach 0.5
}

@test "the start check is repeated only after a stop, a gap or another motion" {
    printf '%s\n' 'setpoint 5deg -b lknee -c pos' 'setpoint 14deg -b lknee -c pos' \
        'setpoint 20deg -b lknee -c pos' 'setpoint 20deg -b rknee -c pos --max-jump 30deg' >lines
    prints_lines 4 canpid -q -l "$fast" <lines
    for between in stop 'watch --for 1s -b lknee' 'move lknee=5deg -c pos' 'status -c pos --take'; do
        printf '%s\n' 'setpoint 5deg -b lknee -c pos' "$between" 'setpoint 25deg -b lknee -c pos' >lines
        fails 6 canpid -q -l "$fast" <lines || { echo "$between" && false; }
        has "$why" 'stdin:3:1: lknee is at'
    done
    printf '%s\n' 'setpoint 5deg -b lknee -c pos' 'status -c pos' 'set kp 6 -b lknee -c pos' 'setpoint 5deg -b lknee -c pos' >lines
    ok canpid -q -l "$fast" <lines
    # Files and typed lines are checked alike; setpoints that disable a driver are exempt.
    printf '%s\n' 'setpoint 20deg -b lknee -c pos' >file
    fails 6 canpid -q -l "$fast" run file
    fails 6 canpid -q -l "$fast" run - <file
    ok canpid -q -l "$fast" run - --approach 40deg/s <file
    ok canpid -q -l "$fast" run file --max-jump 30deg
    fails 6 canpid -q -l "$fast" setpoint 20deg -b lknee -c pos
    has "$why" 'lknee is at 0 deg, the first target is 20 deg: farther than --max-jump 7.2 deg'
    ok canpid -q -l "$fast" setpoint 20deg -b lknee -c pos --approach 40deg/s
    ok canpid -q -l "$fast" setpoint 20deg -b lknee -c pos --max-jump 30deg
    fails_with 6 'give --approach 1%/s' canpid -q -l "$fast" setpoint 0.4 -b lknee -c lvl
    ok canpid -q -l "$fast" <<<'setpoint 540deg -b lknee -c pos'
    ok canpid -q -l "$fast" --dry-run <file
}

@test "a stream to a board or arm whose position is unknown is refused" {
    fails_with 6 'position unknown' canpid -q -l "$fast" <<<'setpoint 1deg -b 0xE0 -c pos'
    exits 3 canpid -q -l "$fast" <<<'setpoint 1deg -b 0xE0 -c pos --force' # sent, but no board confirms the final stop
    has "$output" 'value=1deg result=sent'
    printf '[joint base]\nindex = 1\nkind = rotate\nmax = 180\n' >arm.ini
    printf 't;base\n0;90\n1;100\n' >arm.csv
    fails 6 armctl -q --config arm.ini -l "$fast" play arm.csv
    has "$why" "base: position unknown, and the first target is 90 deg — move it once, or give --force to move there"
    prints "play points=2 joints=1" armctl -q --config arm.ini -l "$fast" <<<$'move base=90\nplay arm.csv'
}

@test "timed moves, home, moves at the arm's own speed and sequences are exempt from the start check" {
    while IFS='|' read -r tool words; do
        ok "$tool" -q -l "$(link "$tool")" <<<"$words" || { echo "$tool $words" && false; }
    done <<END
hidmotor|{"msg":"set_setpoints","duration":500,"m1":0,"m2":60,"m3":0}
hidmotor|move 0 60 0 --wait
canpid|move lknee=20deg -c pos
unitysim|move elbow=2300
ezphys|move rail=0.5 --speed 1
armctl|deg 1 90
END
    printf 'Joint,Motion Type,Position,Velocity,Tolerance,Delay (ms)\nElbow,Auto,2500,20,10,0,\n' >far.csv
    ok unitysim -q -l "$fast" --record run.pcapng play far.csv
    same "$(unitysim -q -j decode run.pcapng --dir tx | jq -s 'map(.elbow.velocity | values) | max')" 20
    for i in 1 2; do echo '{"msg":"control","elbow":{"velocity":20,"state":"increase"}}'; done >lines
    ok unitysim -q -l "$fast" --record again.pcapng <lines
    same "$(unitysim -q -j decode again.pcapng --dir tx | jq -s 'map(.elbow.velocity | values) | max')" 20
}

@test "help play prints the default --max-lag of each tool" {
    while IFS='|' read -r tool most; do
        prints "more than this for 0.3 s (default: $most)" "$tool" help play
    done <<'END'
armctl|none
canpid|15 deg or 2 Nm
ezphys|0.5 rad or m
hidmotor|20 deg
unitysim|none
END
}
