# Sourced by run.sh: converts captures to NDJSON and CSV, compared with tshark and our dissector; measures replay.
# shellcheck shell=bash disable=SC2154 # variables of run.sh

# processor COMMAND…: prints the least CPU seconds of five runs, which other load hardly affects.
processor() {
    local best=9999 t
    for _ in 1 2 3 4 5; do
        t=$({ TIMEFORMAT='%U %S'; time "$@" >/dev/null 2>&1; } 2>&1 | awk '{ print $1 + $2 }')
        if holds "$t" '<=' "$best"; then best=$t; fi
    done
    echo "$best"
}

per_second() { awk -v n="$1" -v t="$2" 'BEGIN { printf "%.*f", n / t < 1e5 ? 4 : 2, n / t / 1e6 }'; }

# decoded TOOL STYLE COUNT FILE: million records per second; 0 if the number of records is not COUNT
decoded() {
    local lines
    lines=$("$BIN/$1" decode "$2" "$4" | wc -l)
    [ "$lines" -ge "$3" ] && per_second "$3" "$(processor alone "$BIN/$1" decode "$2" "$4")" || echo 0
}

# Runs tshark as the user nobody, because Wireshark does not run Lua as root.
tshark_rate() {
    local few=5000 who=()
    build/tests/bench/make_capture "$1" "$dir/few.pcapng" $few
    "$BIN/$1" describe --as lua >"$dir/$1.lua"
    [ "$(id -u)" != 0 ] || who=(setpriv --reuid=65534 --regid=65534 --clear-groups)
    chmod 755 "$dir"
    per_second $few "$(processor "${who[@]}" env HOME=/ tshark -X "lua_script:$dir/$1.lua" -r "$dir/few.pcapng" -T ek)"
}

# capture_row TOOL NAME LIMIT: measures a capture of the tool's messages from the page cache
capture_row() {
    local count=2000000 json csv
    build/tests/bench/make_capture "$1" "$dir/run.pcapng" $count
    json=$(decoded "$1" -j $count "$dir/run.pcapng")
    csv=$(decoded "$1" --csv $count "$dir/run.pcapng")
    verdict "$json" '>=' "$3"
    row "$1 decode -j of pcapng, $2" "$json" M/s "tshark -T ek $(tshark_rate "$1")" ">= $3" "$met"
    row "$1 decode --csv of pcapng" "$csv" M/s "" "" ""
    rm "$dir/run.pcapng"
}

captures() {
    capture_row hidmotor "24 of 64 bytes" 5
    capture_row unitysim "25 bytes" 5
    capture_row ezphys "24 bytes, six floats" 5
    mcap_rows
}

# Prints messages and bytes of a recording. MCAP has three messages per frame, pcapng has one packet.
mcap_rows() {
    local what
    read_rates alone build/tests/bench/bench_mcap 1000000
    for what in written read; do
        verdict "${rates[mcap $what]:-0}" '>=' 3
        row "MCAP: messages $what" "${rates[mcap $what]:-0}" M/s "pcapng ${rates[pcapng $what]:-0}" ">= 3" "$met"
    done
    row "MCAP: size of a frame with its values and /joint_states" "${sizes[mcap written]:-0}" bytes \
        "pcapng, frame only: ${sizes[pcapng written]:-0} bytes" "no limit" ""
}

# Measures P99 of the lateness of replayed commands: one every 2 ms, hence every 12 ms for each board.
replay_times() {
    local late
    awk 'BEGIN { for (i = 0; i < 1000; i++) printf "(%.6f) can0 %03X#CDCC4C%02X0200\n", 1000 + i / 500, i % 6 * 32 + 36, 61 - i % 2 }' >"$dir/replay.log"
    late=$("$BIN/canpid" -q -j -l sim: replay "$dir/replay.log" --max-jump 99 | jq .late_p99_ms)
    verdict "${late:-999}" '<=' 1
    row "canpid replay: delay of a command, P99" "${late:-999}" ms "" "<= 1" "$met"
}
