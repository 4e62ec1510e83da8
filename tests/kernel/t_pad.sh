#!/bin/bash
# armwire-pad with kernel gamepads: its records and their delay, gamepads unknown to SDL, and disconnected gamepads.
# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"
load uinput evdev uhid hid-generic
export XDG_STATE_HOME=/run/state XDG_CONFIG_HOME=/run/config

# connect WORD…: starts tests/kernel/pad WORD…, which waits for a line on descriptor 9; sets $node.
connect() {
    rm -f go
    mkfifo go
    "${programs:?}/pad" "$@" <go >pad.log &
    exec 9>go
    wait_for '^pad: ' pad.log
    node=$(sed -n 's/^pad: //p' pad.log)
}
disconnect() { echo >&9 && exec 9>&-; }

# begun WORD…: starts armwire-pad with these arguments and waits for its first record.
begun() {
    "${bin:?}/armwire-pad" "$@" >records 2>said 9>&- &
    reader=$!
    wait_for '"age"' records
}

# late_by MS COUNT: succeeds if, for each "released T" of the pad, a record shows the released button within MS.
late_by() {
    jq -r '[.t, .rightshoulder] | @tsv' records >states.txt
    awk -v most="$1" -v count="$2" '
        FNR == NR { if ($2 == 0) up[++n] = $1; next }
        /^released / {
            while (at <= n && up[at] < $2) at++
            ms = at <= n ? (up[at] - $2) * 1000 : 1e9
            late += ms > most
            worst = ms > worst ? ms : worst
            total++
        }
        BEGIN { at = 1 }
        END {
            printf "# %d of %d releases within %g ms, the worst after %.1f ms\n", total - late, total, most, worst
            exit !(total == count && late == 0)
        }' states.txt pad.log
}

# holds FILE FILTER: succeeds if the jq filter is true for the records in FILE.
holds() { jq -en "$2" <"$1" >/dev/null; }

check_fails 4 'no gamepad found' "without a gamepad" "$bin/armwire-pad"
connect 20 50
"$bin/armwire-pad" --list >list
check "--list: its number, path and name" grep -qx "0  $node  [0-9a-f]*  Xbox 360 Controller" list
begun --pad xbox
check "the first record has the controls at rest, by SDL's names" holds records 'input | .msg == "pad" and .bus == "usb" and
    .pad == "Xbox 360 Controller" and .leftx == 0 and .lefty == 0 and .lefttrigger == 0 and .rightshoulder == 0 and
    .age < 0.1 and (keys | length == 26)'
disconnect
wait $reader
check "pulled out: exit 7" [ $? -eq 7 ]
check "and the last record says so" holds records '[inputs] | last | .exit == 7 and .why == "gamepad disconnected"'
sed -i '$d' records
check "releases are in the records within 10 ms" late_by 10 20
check "axes reach both ends" holds records '[inputs.lefty] | min == -1 and max == 1'
check "no 60 ms without a record" holds records '[inputs.t] | [.[1:], .[:-1]] | transpose | all(.[0] - .[1] < 0.06)'

connect hold
begun --pad "$node"
echo >&9
sleep 1.5
jq -c 'select(.rightshoulder == 1 and .lefty == -1)' records >held
check "a held stick stays in the records, with a growing age" holds held '[inputs.age] | length > 50 and max > 1'
disconnect
wait $reader

# A gamepad with raw reports, which SDL maps only by an environment variable.
echo 1 >/sys/module/hid/parameters/ignore_special_drivers
connect 3 60 uhid
export SDL_GAMECONTROLLERCONFIG='030000006d04000016c2000014040000,F310,leftshoulder:b4,rightshoulder:b5,leftx:a0,lefty:a1,rightx:a2,righty:a3,lefttrigger:b6,righttrigger:b7,platform:Linux,'
begun
check "a line of the environment maps it" holds records 'input | keys - ["t", "msg", "pad", "bus", "age"] | length == 8'
disconnect
wait $reader
check "raw reports by uhid: pulled out: exit 7" [ $? -eq 7 ]
unset SDL_GAMECONTROLLERCONFIG
