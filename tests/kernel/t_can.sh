#!/bin/bash
# CAN: the can: link on a virtual interface together with can-utils; slcan: with the kernel's
# driver; and canpid with its simulator on the interface.
# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"
load vcan can-raw slcan
ip link add vcan0 type vcan
ip link set vcan0 up
can_link=${programs:?}/can_link
for program in candump cansend canplayer slcand; do
    command -v $program >/dev/null || check "$program of can-utils is installed" false
done

check "10000 frames make round trips over vcan0" timeout 60 "$can_link" round-trips vcan0
check "the kernel filters the frames of a link" timeout 20 "$can_link" filters vcan0
check "frames have the kernel's timestamps, and a link marks its own frames" timeout 20 "$can_link" own vcan0
check "a link reports the number of frames that the kernel drops in a burst" timeout 20 "$can_link" bursts vcan0
check "a link reads 9000 frames per second several at a time" \
    timeout 20 "$can_link" busy vcan0
check "error frames are reported as text" timeout 20 "$can_link" errors vcan0
check "a link reports an interface that goes down, and works once it is up again" timeout 20 "$can_link" down vcan0
check "a link reports a removed interface, and works once it is created again" timeout 20 "$can_link" removed vcan0
check "interfaces that cannot be opened are reported" timeout 20 "$can_link" open vcan0

# One frame for each packet of a board, as command and as telemetry.
frames=(041#9A99193F0200 042#6F12033A0000 043#000000000300 044#CDCC4CBE0200 045#6F12033B0200
    046#010000000000 047#000000000000 048#000000000000 049#000000400000 05D#00089AF9AE07
    05E#9CFF000200F0 05F#80F8730806FF)

# same_frames FILE: succeeds if the file contains these frames in order, one per line in any format.
same_frames() {
    printf '%s\n' "${frames[@]}" >wanted # /dev/fd does not exist here
    grep -o '[0-9A-F]*#[0-9A-F]*' "$1" | diff wanted -
}

# wait_for_list LIST: waits until a socket on vcan0 is in this list: candump is in "all"; only our links request
# error frames and are in "err".
wait_for_list() {
    local tries
    for ((tries = 100; tries > 0; tries--)); do
        grep -q '^ *vcan0 ' "/proc/net/can/rcvlist_$1" && return
        sleep 0.1
    done
}

# start_slcand PTY INTERFACE: connects the kernel's slcan driver to our adapter's pty.
start_slcand() {
    local tries
    slcand -F -o -c -s8 "$(readlink "$1" | cut -c6-)" "$2" >slcand.log 2>&1 &
    slcand=$!
    for ((tries = 100; tries > 0; tries--)); do
        [ -e "/sys/class/net/$2" ] && break
        sleep 0.1
    done
}

timeout 30 candump -L -n ${#frames[@]} vcan0 >candump.log &
dump=$!
timeout 30 "$can_link" dump can:vcan0 ${#frames[@]} >link.log &
link=$!
wait_for "^open" link.log
wait_for_list all
check "can_link sends all frames of a board" timeout 20 "$can_link" send can:vcan0 "${frames[@]}"
check "candump receives as many frames as can_link sends" ended 0 $dump
check "a second link receives as many frames as can_link sends" ended 0 $link
check "candump receives the frames of can_link unchanged" same_frames candump.log
check "a second link receives the frames of can_link unchanged" same_frames link.log

timeout 30 "$can_link" dump can:vcan0 $((${#frames[@]} + 1)) >player.log &
link=$!
wait_for "^open" player.log
cansend vcan0 041#9A99193F0200
check "canplayer plays a candump log" timeout 20 canplayer -I candump.log
check "a link receives as many frames as cansend and canplayer send" ended 0 $link
sed -i 2d player.log # skips the frame of cansend, after "open"
check "a link receives the frames of canplayer unchanged" same_frames player.log

# Roles reversed: the kernel's slcan driver is the host, and our slcan: link plays the adapter.
timeout 60 "$can_link" dump slcan:pty:/run/adapter 1 >adapter.log &
adapter=$!
wait_for "^open" adapter.log
start_slcand /run/adapter slcan0
check "the interface of slcand with our adapter comes up" ip link set slcan0 up
cansend slcan0 044#CDCC4CBE0200
check "our adapter receives a frame from the kernel" ended 0 $adapter
check "our adapter receives the kernel's frame unchanged" grep -q "^044#CDCC4CBE0200" adapter.log
# The adapter has ended after that frame. Starts another one, which is suspended and reads nothing.
kill $slcand
wait $slcand
cat adapter.log slcand.log

"$can_link" dump slcan:pty:/run/stalled 1000 >stalled.log &
stalled=$!
wait_for "^open" stalled.log
start_slcand /run/stalled slcan1
ip link set slcan1 up
kill -STOP $stalled
check "sending into a full queue is retried for a second, then reported" \
    timeout 60 "$can_link" full slcan1
kill -CONT $stalled
kill $slcand $stalled
wait $slcand $stalled

canpid=${bin:?}/canpid
if [ ! -x "$canpid" ]; then
    check "canpid: $canpid is not built" false
    exit
fi
export XDG_STATE_HOME=/run/state XDG_CONFIG_HOME=/run/config

# count PATTERN FILE WANTED: succeeds if this number of lines match.
count() { [ "$(grep -c -- "$1" "$2")" = "$3" ]; }

"$canpid" sim --listen can:vcan0 2>sim.log &
sim=$!
check "canpid sim is ready on vcan0" wait_for "^ready: can:vcan0" sim.log
timeout 60 "$canpid" -l can:vcan0 watch -n 100 -j >watch.json
check "canpid watch prints 100 telemetry records of vcan0" count '"msg":"\(joint\|pid\|sensors\)"' watch.json 100
timeout 60 "$canpid" -l can:vcan0 watch -b lknee -n 30 -j >lknee.json
check "canpid watch -b lknee prints only records of lknee" count '"board":"lknee"' lknee.json 30
check "canpid setpoint --verify succeeds on vcan0" \
    timeout 20 "$canpid" -l can:vcan0 setpoint 5deg -b lknee -c pos --verify
timeout 60 "$canpid" -l can:vcan0 record -n 60 record.log
check "canpid record writes candump lines" \
    count '^([0-9]\{10\}\.[0-9]\{6\}) vcan0 0[0-9A-F][0-9A-F]#[0-9A-F]\{12\}$' record.log 60
# Several programs on one bus use the server; killing it sends its stop.
mkdir -p /run/served
export XDG_RUNTIME_DIR=/run/served
"$canpid" -l can:vcan0 serve 2>serve.log &
server=$!
check "canpid serves vcan0" wait_for "^ready: serve:" serve.log
timeout 60 "$canpid" watch -n 60 -j >shared.json 2>through.log &
watch=$!
wait_for "through it" through.log
check "canpid setpoint --verify succeeds through a server while another client watches" \
    timeout 20 "$canpid" -q setpoint 4deg -b lknee -c pos --verify
check "canpid watch -n ends through a server" ended 0 $watch
check "canpid watch prints 60 telemetry records through a server" count '"msg":"\(joint\|pid\|sensors\)"' shared.json 60
check "another client can stop through the server" timeout 20 "$canpid" -q stop -b lknee
timeout 30 candump -L vcan0,044:7FF >stopped.log &
dump=$!
wait_for_list fil
timeout 30 "$canpid" -q step --from 0deg --to 5deg --for 20s -b lknee -c pos >/dev/null 2>&1 &
step=$!
wait_for "044#" stopped.log
kill -KILL $server
check "after a server is killed during a motion, setpoint 1.5 (disable) is on the bus" wait_for "044#0000C03F" stopped.log
wait $server $step
kill $dump
wait $dump
cat serve.log
unset XDG_RUNTIME_DIR

kill -TERM $sim
wait $sim
cat sim.log

# Without the simulator, checks each packet in both directions.
timeout 60 "$canpid" -l can:vcan0 watch -n ${#frames[@]} -j >seen.json &
watch=$!
wait_for_list err # canpid's link
for frame in "${frames[@]}"; do cansend vcan0 "$frame"; done
check "canpid watch receives one frame of each message" ended 0 $watch
cut -d'"' -f10 seen.json >seen
printf '%s\n' kp ki kd setpoint precompression event ref_alpha ref_fix_link aux pid joint sensors |
    diff seen - >seen.diff
check "canpid watch decodes each message by its name" count . seen.diff 0
timeout 30 candump -L -n ${#frames[@]} vcan0 >replayed.log &
dump=$!
wait_for_list all
check "canpid replays a candump log" timeout 60 "$canpid" -l can:vcan0 replay --all --switch --yes --force candump.log
check "candump receives as many frames as canpid replays" ended 0 $dump
check "candump receives the replayed frames unchanged" same_frames replayed.log
