#!/bin/bash
# Tests the commands that a tool gets from the shell by describing its joints. Prints TAP.
#
#   tests/toy/run.sh build/tests/toy/toy
set -u
toy=$PWD/$1
folder=$(mktemp -d) && cd "$folder" || exit 1
trap 'rm -rf "$folder"; [ -z "${server:-}" ] || kill "$server" 2>/dev/null' EXIT
export XDG_CONFIG_HOME=$folder XDG_STATE_HOME=$folder XDG_RUNTIME_DIR=$folder
fast='sim:?time=virtual'
n=0

# gives STATUS TEXT WORDS…: requires that the tool with these arguments exits with STATUS and prints TEXT.
gives() {
    local wanted=$1 text=$2 said status name
    shift 2
    name="'$*' exits $wanted and prints '$text'"
    said=$("$toy" -q -l "${link:-$fast}" "$@" 2>&1 </dev/null)
    status=$?
    n=$((n + 1))
    if [ "$status" = "$wanted" ] && [[ $said == *$text* ]]; then
        echo "ok $n - $name"
    else
        printf '# status %s: %s\nnot ok %d - %s\n' "$status" "${said//$'\n'/$'\n'# }" $n "$name"
    fi
}

gives 0 'tilt                 -     0.00 deg   -' status
gives 0 'pan              angle               -80         80 deg    table' limits pan
gives 0 'result=arrived pan.target=30deg pan.actual=' move pan=30 tilt=-10
gives 6 'pan: 90 deg is out of range (-80 to 80 deg' move pan=90
gives 2 "joint 'pam' not found — did you mean 'pan'?" move pam=9
gives 2 "pan: 'nan' is not a number" move pan=nan
gives 0 'jog result=arrived tilt.target=5deg' jog tilt +5
gives 2 'jog: no terminal' jog tilt
gives 0 'home result=arrived' home
printf 't,pan,tilt [rad]\n0,0,0\n1,30,-0.3\n2,0,0\n' >way.csv
gives 0 'play points=3 joints=2 duration=2s sent=101' play way.csv --cubic
gives 6 'way.csv:3:1: pan: 3e+04 deg/s at 0 s is faster than 90' play way.csv --columns t_ms,pan,-
gives 6 'the first target is 50 deg: farther than --max-jump' play <(printf 't,pan\n0,50\n1,60\n')
gives 0 'samples=6' record places.csv --for 100ms
gives 0 'tilt.velocity' info places.csv
gives 0 '<- place pan.position=0deg' watch -n 2
gives 0 'plot file=way.svg' plot position --for 200ms --out way.svg
gives 0 'step joint=pan from=0deg to=20deg' step pan --from 0deg --to 20deg
gives 0 'stop result=stopped' stop
gives 0 '' teleop --dry-run
gives 0 '01 00 00 20 41 00 00 00 00' encode drive pan=10

# A server with two clients: one plays, and the other one watches.
"$toy" -q -l sim: serve --listen unix:head 2>ready &
server=$!
for ((i = 0; i < 500; i++)); do
    grep -q 'ready:' ready && break
    sleep 0.02
done
link=serve:unix:head
gives 0 'result=arrived pan.target=10deg' move pan=10
gives 0 'pan                  -     9.' status
gives 0 'stop result=stopped' stop
echo "1..$n"
