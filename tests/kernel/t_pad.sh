#!/bin/bash
# armwire-pad with kernel gamepads: its records and their delay, gamepads unknown to SDL, and disconnected gamepads.
# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"
load uinput evdev uhid hid-generic
export XDG_STATE_HOME=/run/state XDG_CONFIG_HOME=/run/config

disconnect() { echo >&9 && exec 9>&-; }

# begun WORD…: starts armwire-pad with these arguments and waits for its first record.
begun() {
    "${bin:?}/armwire-pad" "$@" >records 2>said 9>&- &
    reader=$!
    wait_for '"age"' records
}

# holds FILE FILTER: succeeds if the jq filter is true for the records in FILE.
holds() { jq -en "$2" <"$1" >/dev/null; }

check_fails 4 'no gamepad found' "armwire-pad without a gamepad fails" "$bin/armwire-pad"
start_pad 20 50
"$bin/armwire-pad" --list >list
check "--list prints number, path and name of the gamepad" grep -qx "0  ${node:?}  [0-9a-f]*  Xbox 360 Controller" list
begun --pad xbox
check "the first record has SDL's names of the controls, all at rest" holds records 'input | .msg == "pad" and .bus == "usb" and
    .pad == "Xbox 360 Controller" and .leftx == 0 and .lefty == 0 and .lefttrigger == 0 and .rightshoulder == 0 and
    .age < 0.1 and (keys | length == 26)'
disconnect
wait $reader
check "armwire-pad exits 7 if the gamepad is disconnected" [ $? -eq 7 ]
check "the last record reports that the gamepad is disconnected" holds records '[inputs] | last | .exit == 7 and .why == "gamepad disconnected"'
sed -i '$d' records
jq -r 'select(.rightshoulder == 0) | .t' records >released.txt
check "each release of the button is in a record within 10 ms" all_within 10 20 released released.txt
check "the axis of the stick reaches -1 and 1" holds records '[inputs.lefty] | min == -1 and max == 1'
check "records follow each other within 60 ms" holds records '[inputs.t] | [.[1:], .[:-1]] | transpose | all(.[0] - .[1] < 0.06)'

start_pad hold
begun --pad "$node"
echo >&9
sleep 1.5
jq -c 'select(.rightshoulder == 1 and .lefty == -1)' records >held
check "records of a held stick continue, and their age grows" holds held '[inputs.age] | length > 50 and max > 1'
disconnect
wait $reader

# A gamepad with raw reports, which SDL maps only by an environment variable.
use_raw_reports
start_pad 3 60 uhid
begun
check "SDL_GAMECONTROLLERCONFIG maps a gamepad with raw reports" holds records 'input | keys - ["t", "msg", "pad", "bus", "age"] | length == 8'
disconnect
wait $reader
check "armwire-pad exits 7 if a gamepad with raw reports is disconnected" [ $? -eq 7 ]
unset SDL_GAMECONTROLLERCONFIG
