#!/bin/bash
# A page to read: the five tools at work, each command as you would type it. Nothing here needs a
# robot. Every answer is checked; the exit status is 0 if all were as expected.
set -u
cd "$(dirname "$0")/.." || exit 1
export PATH=$PWD/${BIN:-build/bin}:$PATH

dir=$(mktemp -d)
export XDG_CONFIG_HOME=$dir/config XDG_STATE_HOME=$dir/state
servers=()
# shellcheck disable=SC2317 # called by the trap
leave() {
    [ ${#servers[@]} = 0 ] || kill "${servers[@]}" 2>/dev/null
    wait
    rm -rf "$dir"
}
trap leave EXIT

bold='' dim='' red='' plain=''
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ] && [ "${TERM:-dumb}" != dumb ]; then
    bold=$'\e[1m' dim=$'\e[2m' red=$'\e[31m' plain=$'\e[0m'
fi
wrong=0

title() { printf '\n%s%s%s — %s\n' "$bold" "$1" "$plain" "$2"; }
say() { printf '\n  %s\n' "$1"; }

# show EXPECTED COMMAND: runs a command line and prints both. EXPECTED is a pattern that the output
# must have; a number before it and a colon is the exit status, if not 0.
show() {
    local pattern=$1 command=$2 status=0 wanted=0 out
    case $pattern in [0-9]:*) wanted=${pattern%%:*} pattern=${pattern#*:} ;; esac
    printf '  %s$ %s%s\n' "$bold" "$command" "$plain"
    out=$(cd "$dir" && eval "$command" 2>&1 </dev/null) || status=$?
    printf '%s\n' "$out" | sed 's/^/    /'
    if [ $status != "$wanted" ] || ! grep -qE -- "$pattern" <<<"$out"; then
        wrong=$((wrong + 1))
        printf '    %s^ expected "%s" and exit status %s; it was %s%s\n' \
            "$red" "$pattern" "$wanted" $status "$plain"
    fi
}

# serve COMMAND: starts a simulator of its own process and waits for its line "ready: URL".
serve() {
    local line
    printf '  %s$ %s &%s\n' "$bold" "$1" "$plain"
    mkfifo "$dir/ready"
    (cd "$dir" && eval "exec $1" 2>"$dir/ready" </dev/null >/dev/null) &
    servers+=($!)
    exec 3<"$dir/ready"
    rm "$dir/ready"
    url=
    while IFS= read -r -t 10 line <&3; do
        printf '    %s\n' "$line"
        case $line in "ready: "*) url=${line#ready: } && break ;; esac
    done
    if [ -z "$url" ]; then
        wrong=$((wrong + 1))
        printf '    %s^ no line "ready: URL" came%s\n' "$red" "$plain"
    fi
}

title armctl 'a handler arm that speaks lines of ASCII over a serial port'
say 'A simulated arm in a process of its own, behind a pseudo-terminal:'
serve "armctl sim --listen pty:arm"
say 'Turn joint 1. The answer comes when the motion has ended:'
show 'result=confirmed' "armctl -l ./arm deg 1 45"
say 'The same with every packet shown, and as JSON:'
show 'DEG|44 45 47' "armctl -l ./arm -v deg 1 60"
show '"ok":true.*"result":"confirmed"' "armctl -l ./arm -j arm 250 45 120 | tail -n 1"
say 'A bad line: one packet in five is lost. The alternating bit repairs that:'
show 'confirmed.*retries=[1-9]' "armctl -l './arm?drop=20%&seed=3' --ack-timeout 200ms deg 1 30"
say 'What is out of range never leaves the computer:'
show '6:' "armctl -l ./arm deg 1 400"

title hidmotor 'the teaching arm: three joints and a gripper, 64-byte HID reports'
show '^38 07 00 00 00 00 7A 44' \
    "hidmotor encode set_setpoints duration=1s mode=sinusoidal m1=0 shoulder=45 elbow=-30"
show '"id":4660' "hidmotor decode -j '63 00 00 00 34 12 00 00$(printf ' 00%.0s' {1..56})'"
show 'gripper' 'hidmotor describe gripper'

title canpid 'the joint drivers of an exoskeleton on a CAN bus'
show '^044#CDCC4CBE0200' 'canpid encode setpoint board=lknee controller=tor value=-5Nm'
show 'torque=-3.125' "canpid decode '05E#9CFF000200F0'"
say 'A log of candump is input like any other:'
printf '(1700000000.000000) can0 05E#9CFF000200F0\n(1700000000.010000) can0 05F#80F8730806FF\n' \
    >"$dir/run.log"
show '^-11.25' "canpid decode --format '%{lever_angle}' run.log"

title unitysim 'the Bento arm, simulated in Unity'
show '^FF FF 03 FC' 'unitysim encode camera_request'
show '"elbow":\{"position":2048' "unitysim decode -j \\
      'FF FF 04 1E 00 00 08 01 00 00 01 00 08 01 00 00 02 00 08 01 00 00 03 00 08 01 00 00 04 00 08 01 00 00 A6'"
say 'A damaged packet is said to be one (exit status 5):'
show '5:checksum' "unitysim decode 'FF FF 03 FD'"

title ezphys 'a physics simulator that waits for every answer'
show '^14 00 00 00 01 00 00 00 01 00 00 00' 'ezphys encode reset'
show 'step' 'ezphys describe timestamp'
show 'velocity1=1.5' "ezphys encode axis_motor id=3 velocity1=1.5 max_torque1=10 |
      ezphys decode --dir tx -"

if [ $wrong = 0 ]; then
    printf '\n%sAll of this was checked while you read.%s Next: build/bin/armctl -l sim:\n' "$dim" "$plain"
else
    printf '\n%s%d of these answers were not as expected.%s\n' "$red" $wrong "$plain"
fi
exit $((wrong != 0))
