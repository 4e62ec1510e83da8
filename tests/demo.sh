#!/bin/bash
# Demonstrates the five tools without a robot: each one moves its simulated arm. Prints the commands and
# checks their output; the exit status is 0 if all are as expected.
set -u
cd "$(dirname "$0")/.." || exit 1
export PATH=$PWD/${BIN:-build/bin}:$PATH

dir=$(mktemp -d)
export XDG_CONFIG_HOME=$dir/config XDG_STATE_HOME=$dir/state
trap 'rm -rf "$dir"' EXIT

bold='' dim='' red='' plain=''
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ] && [ "${TERM:-dumb}" != dumb ]; then
    bold=$'\e[1m' dim=$'\e[2m' red=$'\e[31m' plain=$'\e[0m'
fi
wrong=0

title() { printf '\n%s%s%s — %s\n' "$bold" "$1" "$plain" "$2"; }
say() { printf '  %s\n' "$1"; }

# show [STATUS:]PATTERN COMMAND: runs and prints a command line. Its output must match PATTERN, and
# its exit status must be STATUS (default: 0).
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

title armctl 'a handler arm that sends lines of ASCII over a serial port'
show 'result=confirmed' 'armctl -q -l sim: deg 1 45'
say 'On a bad line one packet in five is lost; the tool sends it again:'
show 'confirmed.*retries=[1-9]' "armctl -q -l 'sim:?drop=20%&seed=3' --ack-timeout 200ms deg 1 30"
say 'A value outside the range is never sent:'
show '6:400' 'armctl -q -l sim: deg 1 400'

title hidmotor 'the teaching arm: three joints and a gripper, 64-byte HID reports'
show 'result=arrived' "hidmotor -q -l 'sim:?time=virtual' move 0 45 -30 --wait --record run.pcapng"
say 'The recording as a plot here, and as a picture in a file:'
show 'm2.setpoint' 'LINES=12 COLUMNS=76 hidmotor plot run.pcapng m2.setpoint m2.position'
show 'file=run.svg' 'hidmotor -q plot run.pcapng m2.setpoint m2.position --out run.svg'

title canpid 'the joint drivers of an exoskeleton on a CAN bus'
show 'result=verified' 'canpid -q -l sim: setpoint 10deg -b lknee -c pos --approach 10deg/s --verify'
say 'A log of candump is input like any other:'
printf '(1700000000.000000) can0 05E#9CFF000200F0\n(1700000000.010000) can0 05F#80F8730806FF\n' \
    >"$dir/run.log"
show 'lever_angle=-11.25deg' 'canpid decode run.log'

title unitysim 'the Bento arm, simulated in Unity'
show 'result=arrived' 'unitysim -q -l sim: move elbow=2300'
show '^FF FF 03 FC' 'unitysim encode camera_request'

title ezphys 'a physics simulator that waits for an answer after each step'
show 'displacement=' "ezphys -q -l 'sim:?scene=pendulum' motor hinge 2 1000 --for 1s"

if [ $wrong = 0 ]; then
    printf '\n%sAll answers were as expected. Now try the arm of hidmotor yourself:%s\n' "$dim" "$plain"
    printf '    %s\n' 'PATH=$PWD/build/bin:$PATH' 'export PYTHONPATH=$PWD/lib/python' 'hidmotor -l sim: jog m2 15' 'man docs/man/hidmotor.1'
else
    printf '\n%s%d of these answers were not as expected.%s\n' "$red" $wrong "$plain"
fi
exit $((wrong != 0))
