#!/bin/bash
# Serial ports: two 16550s wired back to back, /dev/ttyS1 and /dev/ttyS2.
# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

check "serial links pass lines both ways, lock the port and set the modem lines" \
    timeout 100 "${programs:?}/serial_roundtrip" /dev/ttyS1 /dev/ttyS2 500 serial

# Sets permissions as udev does, and uses a user outside the group.
chgrp dialout /dev/ttyS1 /dev/ttyS2
chmod 660 /dev/ttyS1 /dev/ttyS2
check_fails 4 "add yourself to group dialout: sudo usermod -aG dialout" \
    "a port without permission exits 4 and suggests the group" \
    setpriv --reuid nobody --regid nogroup --clear-groups \
    "$programs/serial_roundtrip" --open /dev/ttyS1

armctl=${bin:?}/armctl
if [ ! -x "$armctl" ]; then
    check "armctl: $armctl is not built" false
    exit
fi

"$armctl" sim --listen serial:/dev/ttyS2 2>sim.log &
sim=$!
check "armctl sim is ready on a UART" wait_for "^ready: " sim.log
export XDG_STATE_HOME=/run/state XDG_CONFIG_HOME=/run/config
check "armctl deg succeeds over a UART" timeout 60 "$armctl" -l serial:/dev/ttyS1 deg 1 90
check "armctl accepts the path of a port as link" timeout 60 "$armctl" -l /dev/ttyS1 deg 2 45
check "armctl arm succeeds over a UART with dtr=off" timeout 60 "$armctl" -l "serial:/dev/ttyS1?dtr=off" arm 250 45 120
check_fails 4 "busy" "a busy port exits 4" timeout 20 "$armctl" -l /dev/ttyS2 deg 1 90
check_fails 4 "busy: in use by armctl (pid $sim)" "another user's error names the program that uses the port" \
    setpriv --reuid nobody --regid dialout --clear-groups \
    "$programs/serial_roundtrip" --open /dev/ttyS2
check_fails 4 "port not found" "a missing port exits 4" timeout 20 "$armctl" -l /dev/ttyS9 deg 1 90
check "armctl list shows /dev/ttyS1" bash -c "timeout 20 '$armctl' list | grep /dev/ttyS1"
kill -TERM $sim
wait $sim
cat sim.log
