#!/bin/bash
# teleop with kernel gamepads: releases the button and disconnects the gamepad during a motion, and measures the delay
# of the stop in the recording of each tool's simulator. Also tests a gamepad with raw uhid reports, and suspended
# (SIGSTOP) or killed programs. ROUNDS=25 gives 100 runs of each.
# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"
load uinput evdev uhid hid-generic
export XDG_STATE_HOME=/run/state XDG_CONFIG_HOME=/run/config

# drive RELEASES PAUSE_MS TOOL…: runs the tools with one pad; each has a recording and a log. $kind uhid: raw
# reports.
kind=
drive() {
    local tool releases=$1 pause=$2
    shift 2
    pids=()
    start_pad "$releases" "$pause" $kind
    for tool; do
        rm -f "$tool.pcapng"
        "${bin:?}/$tool" ${links[$tool]} teleop --pad "${node:?}" --record "$tool.pcapng" -j \
            >"$tool.json" 2>"$tool.log" &
        pids+=($!)
        wait_for 'hold to run' "$tool.log"
    done
    echo >&9
    exec 9>&-
}

# pulled_out TOOL PID: succeeds if it exited with 7 because the gamepad was disconnected.
pulled_out() {
    ended 7 "$2" && grep -q 'gamepad disconnected' "$1.log" && return
    cat "$1.log" && false
}

# in_time TOOL COUNT: requires a stop within 20 ms of each release and of the end.
in_time() {
    "$bin/$1" -q decode "$1.pcapng" -j --dir tx | jq -r "select(${stops[$1]}) | .t" >stops.txt
    all_within 20 "$2" 'released|gone' stops.txt
}

# stands_behind COUNT: checks armctl, which moves in steps. No step starts more than 20 ms after a release or the
# end, until the stick is deflected again. Each stop comes within that time, even during a step, and returns to
# the confirmed position.
stands_behind() {
    "$bin/armctl" -q decode armctl.pcapng -j | jq -r 'select(.msg == "deg") | [.t, .dir, .angle] | @tsv' >steps.txt
    awk -v count="$1" '
        FNR == NR { if ($2 == "rx") at = $3; else { time[++n] = $1; begins[n] = $3 != at } next }
        /^(pushed|released|gone) / { what[++events] = $1; when[events] = $2 + 0 }
        END {
            for (i = 1; i <= events; i++) {
                if (what[i] == "pushed") continue
                total++
                until = i < events ? when[i + 1] : 1e18
                stop = 0
                for (k = 1; k <= n; k++) {
                    if (time[k] <= when[i] || time[k] >= until) continue
                    after = (time[k] - when[i]) * 1000
                    if (begins[k]) { begun++; late += after > 20 }
                    else if (!stop) { stop = 1; stops++; late += after > 20; worst = after > worst ? after : worst }
                }
            }
            for (k = 1; k <= n; k++) steps += begins[k]
            printf "# armctl: behind %d ends of %d steps %d began, %d later than 20 ms; %d stops, the worst after %.1f ms\n",
                total, steps, begun, late, stops, worst
            exit !(total == count && stops == count && late == 0 && steps > total)
        }' steps.txt pad.log
}

declare -A links=([armctl]='-l sim: --config armctl.ini --force' [hidmotor]='-l sim:' [canpid]='-l sim: -c pos -b lknee' [unitysim]='-l sim:'
    [ezphys]='-l sim:cart-pole')
declare -A stops=([hidmotor]='.msg == "set_setpoints" and .duration == 0'
    [canpid]='.msg == "setpoint" and .value > 360'
    [unitysim]='.msg == "control" and ([.. | .state? | select(. == "increase" or . == "decrease")] | length == 0)'
    [ezphys]='.msg == "axis_motor" and .velocity1 == 0')

drive 100 20 hidmotor
check "hidmotor: teleop exits 7 if the gamepad is disconnected during a motion" pulled_out hidmotor "${pids[0]}"
check "hidmotor: 101 of 101 stops are sent within 20 ms" in_time hidmotor 101
more=$((${rounds:?} * 10 > 100 ? 100 : rounds * 10))
printf '[joint lift]\nindex = 2\nhome = 180\n' >armctl.ini
for pair in 'canpid unitysim' 'ezphys armctl'; do
    drive $more 120 $pair
    i=0
    for tool in $pair; do
        check "$tool: teleop exits 7 if the gamepad is disconnected during a motion" pulled_out "$tool" "${pids[i++]}"
        [ "$tool" = armctl ] ||
            check "$tool: $((more + 1)) of $((more + 1)) stops are sent within 20 ms" in_time "$tool" $((more + 1))
    done
done
check "armctl: $((more + 1)) of $((more + 1)) stops are sent within 20 ms, and no step starts later" stands_behind $((more + 1))
for ((i = 4; i < rounds * 4; i++)); do
    drive 0 20 hidmotor
    check "hidmotor: teleop exits 7 if the gamepad is disconnected during its first motion" pulled_out hidmotor "${pids[0]}"
    check "hidmotor: the stop is sent within 20 ms after the gamepad is disconnected" in_time hidmotor 1
done

kind=uhid
use_raw_reports
drive 10 60 hidmotor
check "hidmotor: teleop exits 7 if a gamepad with raw reports is disconnected" pulled_out hidmotor "${pids[0]}"
check "hidmotor: 11 of 11 stops are sent within 20 ms with a gamepad with raw reports" in_time hidmotor 11
unset SDL_GAMECONTROLLERCONFIG
start_pad hold
plain=(setpriv "--bounding-set=-dac_override,-dac_read_search" "$bin/hidmotor" -q -l sim: teleop)
chmod 0 /dev/input/event*
check_fails 4 'TAG+="uaccess"' "without permission for any gamepad, the error contains the udev rule" "${plain[@]}"
check_fails 4 'permission denied' "--pad with a gamepad without permission fails with 'permission denied'" "${plain[@]}" --pad "$node"
chmod 600 /dev/input/event*
exec 9>&-
mkdir still
check "suspended and killed programs stop the motion (teleop_still.py)" env ROUNDS="$rounds" python3 \
    "$(dirname "$0")/../cli/teleop_still.py" "$bin" /run/still "${programs:?}/pad"
