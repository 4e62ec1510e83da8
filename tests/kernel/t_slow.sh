#!/bin/bash
# A serial port that is not read for a while: the kernel's buffer is full, and the data read next is old. The simulated
# adapter is behind two UARTs; the tool waits for its next line or is suspended.
# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"
export XDG_RUNTIME_DIR=/run XDG_STATE_HOME=/run/state XDG_CONFIG_HOME=/run/config
canpid=${bin:?}/canpid
"$canpid" sim -b lknee --listen slcan:pty:/run/adapter 2>sim.log &
sim=$!
wait_for "^ready: " sim.log
socat /run/adapter,raw,echo=0 /dev/ttyS2,raw,echo=0,b115200 &
wire=$!
link='slcan:/dev/ttyS1?baud=115200'

# script LOG: starts the tool with commands from descriptor 5; sets $tool.
script() {
    rm -f lines
    mkfifo lines
    "$canpid" -q -l "$link" <lines >"$1" 2>&1 &
    tool=$!
    exec 5>lines
}

script waits.log
echo 'setpoint 5 -b lknee -c pos' >&5
wait_for "result=sent" waits.log
sleep 8 # a period of silence
echo 'status -b lknee -j' >&5
echo 'stop -b lknee -j' >&5
exec 5>&-
wait $tool
check "the stop of a script is confirmed after 8 s without input" grep -q '"confirmed":"lknee"' waits.log
check "status after 8 s without input shows telemetry younger than 0.5 s" \
    awk -F'"age":' '/"age":/ { exit !($2 + 0 < 0.5) }' waits.log

script stopped.log
echo 'setpoint 5 -b lknee -c pos' >&5
wait_for "result=sent" stopped.log
kill -STOP $tool
sleep 8 # fills the port's buffer
echo 'stop -b lknee -j' >&5
exec 5>&-
kill -CONT $tool
wait $tool
check "the stop of a program that was suspended for 8 s is confirmed" grep -q '"confirmed":"lknee"' stopped.log
cat waits.log stopped.log
kill $wire $sim
wait $sim
cat sim.log
