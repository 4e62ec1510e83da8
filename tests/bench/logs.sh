# Sourced by run.sh: a candump log to records and charts on one CPU, compared with other readers of
# such logs.
# shellcheck shell=bash disable=SC2154 # variables of run.sh

# alone COMMAND…: runs the command on one CPU.
alone() { taskset -c "$(taskset -cp $$ | sed 's/.*: //; s/[,-].*//')" "$@"; }

# log_row NAME LIMIT OPTION…: measures canpid with the log: million frames per second of CPU time. A note may follow
# the number in LIMIT.
log_row() {
    local own
    own=$(per_second "$lines" "$(processor alone "$BIN/canpid" "${@:3}" "$dir/run.log")")
    verdict "$own" '>=' "${2%% *}"
    row "canpid $1" "$own" M/s "" ">= $2" "$met"
}

# Reads the file into the page cache.
log_file() {
    local own iso half long python lines=2000000 few=100000
    candump_log $lines >"$dir/run.log"
    candump_log $few >"$dir/few.log"
    [ "$("$BIN/canpid" decode -j "$dir/run.log" | wc -l)" = $lines ] || below=$((below + 1))
    own=$(per_second $lines "$(processor alone "$BIN/canpid" decode -j "$dir/run.log")")
    long=$(rate $lines "$(wall sh -c "log2long <'$dir/run.log'")")
    python=$(rate $few "$(wall /usr/bin/python3 -c 'import can, sys
for message in can.LogReader(sys.argv[1]): print(message)' "$dir/few.log")")
    verdict "$own" '>=' 6
    row "canpid decode -j" "$own" M/s "log2long $long, python-can $python" ">= 6" "$met"
    half=$(awk -v a="$own" 'BEGIN { printf "%.2f (half of %s)", a / 2, a }')
    iso=$(per_second $lines "$(processor alone "$BIN/canpid" decode -j --time iso "$dir/run.log")")
    verdict "$(awk -v a="$own" -v b="$iso" 'BEGIN { print b / a }')" '>=' 0.84
    row "canpid decode -j --time iso" "$iso" M/s "-j $own" "$(ratio "$iso" "$own") (>= 0.84)" "$met"
    log_row "decode --csv" "$half" decode --csv
    log_row "decode --format '%{t} %{torque}'" 7.5 decode --format '%{t} %{torque}'
    log_row "decode -j --where 'alpha_angle>15'" 7.5 decode -j --where 'alpha_angle>15'
    log_row "info" "$half" info
    log_row "plot torque --out run.gp" 4.5 plot torque --out "$dir/run.gp"
    rm "$dir/run.log"
}
