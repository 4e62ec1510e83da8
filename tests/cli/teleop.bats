#!/usr/bin/env bats
# teleop: recordings of a pad in virtual time, keys on a terminal. The rules themselves are tried in
# tests/unit/control/test_teleop.c.
load common

# pad TIME=CONTROL:VALUE…: a recording in which the pad does that; hold is the enabling button.
pad() {
    local word control
    sed -n '/^```evemu/,/^E:/{/^[#NIPBA]/p}' "$root/docs/teleop.md" >pad.evemu
    echo 'E: 0.0 0000 0000 0' >>pad.evemu
    for word in "$@"; do
        control=${word#*=}
        case ${control%:*} in
        hold) control=0001\ 0137\ ${control#*:} ;;
        full) control=0001\ 0136\ ${control#*:} ;;
        leftx) control=0003\ 0000\ ${control#*:} ;;
        lefty) control=0003\ 0001\ ${control#*:} ;;
        lost) control='0000 0003 0' ;;
        alive) control='0004 0004 7' ;;
        esac
        printf 'E: %s %s\nE: %s 0000 0000 0\n' "${word%%=*}" "$control" "${word%%=*}" >>pad.evemu
    done
}

drive() { hidmotor -q -l "$fast" teleop --pad file:pad.evemu "$@"; }

# The motor's first setpoint and the last, rounded to degrees.
ends_of() {
    hidmotor -q -j decode run.pcapng --dir tx |
        jq -r "select(.msg == \"set_setpoints\") | .$1 | round" | sed -n '1p;$p' | xargs
}

@test "a stick moves its joint while the button is held, and for as long" {
    pad 0.5=hold:1 1.0=lefty:-32768 2.0=hold:0 2.5=lefty:0
    ok drive --record run.pcapng -j
    same "$(jq -c '[.cmd, .result, .stops]' <<<"$output")" '["teleop","ended",1]'
    [ "$(jq '.stop_ms < 20' <<<"$output")" = true ]
    read -r first last <<<"$(ends_of m2)"
    # A quarter of 200 deg/s for a second, from where it was.
    [ "$first" -le 3 ] && [ "$last" -ge 44 ] && [ "$last" -le 51 ]
}

@test "nothing moves without the button, nor by a stick that is out when it is pressed" {
    pad 0.5=lefty:-32768 1.0=hold:1 2.0=hold:0
    ok drive --record run.pcapng -j
    read -r first last <<<"$(ends_of m2)"
    [ $((last - first)) -le 1 ]
    pad 0.5=lefty:-32768 1.0=lefty:0
    ok drive --record run.pcapng -j
    same "$(ends_of m2)" ''
}

@test "events that are lost stop it, and the button has to be seen up again" {
    pad 0.5=hold:1 1.0=lefty:-32768 1.2=lost 2.0=alive
    ok drive --record run.pcapng -j
    same "$(jq -c .stops <<<"$output")" 1
    read -r _ last <<<"$(ends_of m2)"
    [ "$last" -le 13 ]
}

@test "each tool: what the stick has done when the button is let go, and that it stands then" {
    pad 0.5=hold:1 1.0=lefty:-32768 2.0=hold:0 2.5=lefty:0
    while IFS='|' read -r tool words field least most; do
        # shellcheck disable=SC2086
        ok $tool -q $words teleop --pad file:pad.evemu --record run.pcapng
        has "$output" 'result=ended stops=1'
        moved=$("$tool" -q decode run.pcapng -j | jq "select($field != null and (.id // 1) == 1) | $field" |
            sort -g | awk 'NR == 1 { a = $1 } { b = $1 } END { print b - a }')
        [ "$(jq -n "$moved >= $least and $moved <= $most")" = true ] || {
            echo "$tool: $moved is not from $least to $most" && false
        }
    done <<END
unitysim|-l $fast|.elbow.position|70|90
canpid|-l $fast -c pos -b lknee|.measured|0.1|2
ezphys|-l sim:cart-pole|.displacement|0.4|0.6
END
    fails 2 canpid -q -l "$fast" teleop --pad file:pad.evemu
    has "$stderr" '-c'
}

@test "teleop: what cannot be done is said before anything moves" {
    pad 0.5=hold:1
    fails 2 drive --map nobody
    has "$stderr" "no map 'nobody' — there is arm"
    fails 2 hidmotor -q -l sim: teleop --keys
    has "$stderr" 'needs a terminal'
    fails 4 hidmotor -q -l sim: teleop --pad file:nothing
    fails 4 hidmotor -q -l sim: teleop --pad /dev/null
    mkdir -p config/armwire
    printf '[teleop mine]\nleftx = elbow velocity 30deg/s\n' >config/armwire/hidmotor.ini
    fails 2 drive --map mine
    has "$stderr" 'no line enable'
    printf '[teleop mine]\nenable = a\nleftx = wrist velocity 30deg/s\n' >config/armwire/hidmotor.ini
    fails 2 drive --map mine
    has "$stderr" "no joint 'wrist'"
}

@test "keys: a key is a push and a stop; the panel says what the joints do; q leaves" {
    TERM=xterm terminal 80 <<<"
        launch hidmotor -q -l sim: teleop --keys
        want {[?1049h} {stands: press a key} shoulder {q quit}
        type \033\[A
        want RUNS {stands: press a key} stopped
        type q
        want {result=left stops=1}
        ends 0"
}

@test "keys: where releases are reported a key that is held runs, and a stop ends it" {
    TERM=xterm terminal 80 <<<"
        launch hidmotor -q -l sim: teleop --keys
        want {[?1049h} {stands: press a key}
        type \033\[?11u
        want {held to run}
        type \033\[1\;1:1A
        want RUNS =====
        type \033\[1\;1:3A
        want {stands: press a key}
        type \033\[1\;1:1A
        want RUNS
        type \003
        want {[?1049l} {stopped}
        ends 130"
}
