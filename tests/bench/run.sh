#!/bin/bash
# Prints a Markdown table of speeds, with peers measured in the same run and the limit, if any.
#
#   tests/bench/run.sh [SECONDS per measurement]
#
# Start-up is measured with hyperfine without a shell; its peer is cansend of can-utils, a small C
# program that links only libc. Exit status 1 if a limit is missed.
set -u
cd "$(dirname "$0")/../.." || exit 1
seconds=${1:-1}
BIN=${BIN:-build/bin}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export HOME=$dir XDG_CONFIG_HOME=$dir XDG_STATE_HOME=$dir LC_ALL=C.UTF-8
below=0
[ -x "$BIN/armctl" ] && [ -x "$BIN/canpid" ] || { echo "no programs in $BIN — make" >&2 && exit 1; }

# row WHAT VALUE UNIT [PEER RATIO] [LIMIT MET]
row() {
    local cells=("${@//|/\\|}")
    printf '| %-52s | %14s | %-26s | %-16s | %-3s |\n' "${cells[0]}" "${cells[1]} ${cells[2]}" "${cells[@]:3}"
}

# table TITLE: begins a table. docs/performance.md has a section with a marker of this title.
table() {
    printf '\n### %s\n\n' "$1"
    printf '| %-52s | %14s | %-26s | %-16s | %-3s |\n' what measured 'peer or details' limit ok
    echo '|---|---:|---|---|---|'
}

# holds A OP B: succeeds if the comparison (<=, >= or >) is true
holds() { awk -v a="$1" -v b="$3" -v op="$2" 'BEGIN { exit !(op == "<=" ? a <= b : op == ">" ? a > b : a >= b) }'; }

# verdict VALUE OP LIMIT: prints whether the value meets the limit, and records a missed one
verdict() {
    if holds "$1" "$2" "$3"; then
        met=yes
    else
        met=NO
        below=$((below + 1))
    fi
}

machine() {
    echo "- machine: $(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -n1), $(nproc) processors, load $(cut -d' ' -f1 /proc/loadavg)"
    # shellcheck source=/dev/null
    echo "- system: $(. /etc/os-release && echo "$PRETTY_NAME"), Linux $(uname -r), $(gcc --version | head -n1)"
    echo "- armwire: $("$BIN/armctl" --version), $(git describe --always --dirty 2>/dev/null)"
    echo "- peers: $(dpkg-query -W -f '${Package} ${Version}, ' can-utils python3-can tshark jq socat hyperfine 2>/dev/null | sed 's/, $//')" |
        fold -s -w 118 | sed '2,$s/^/  /; s/ $//'
    echo
}

# Median of many starts, in milliseconds.
start() {
    hyperfine -N --warmup 30 --min-runs 300 -i --export-csv "$dir/start.csv" "$1" >"$dir/log" 2>&1 ||
        { cat "$dir/log" >&2 && return 1; }
    awk -F, 'NR == 2 { printf "%.3f", $(NF - 4) * 1000 }' "$dir/start.csv" # a command may have commas
}

# Alternates with the measurements of the peer for equal conditions.
startup() {
    local what=$1 command=$2 bar=$3 own=9e9 peer=9e9 a b ratio
    for _ in 1 2 3; do
        a=$(start "$command") b=$(start 'cansend nosuch0 123#00')
        [ -n "$a" ] && [ -n "$b" ] || break
        if holds "$a" '<=' "$own"; then own=$a; fi
        if holds "$b" '<=' "$peer"; then peer=$b; fi
    done
    ratio=$(awk -v a="$own" -v b="$peer" 'BEGIN { printf "%.2f", a < 1e9 ? a / b : 9999 }')
    verdict "$ratio" '<=' "$bar"
    row "$what" "$own" ms "cansend $peer ms" "x$ratio (<= $bar)" $met
}

# Limits by case name; the benchmarks print name, bytes and millions per second.
bar_of() {
    case $1 in
    decode\ hidmotor.* | decode\ ezphys.* | decode\ unitysim.*) echo 50 ;;
    text\ canpid.* | json\ canpid.*) echo 5 ;;
    *) echo ;;
    esac
}

# read_rates COMMAND…: reads its lines NAME, BYTES and RATE into $sizes and $rates.
declare -A rates sizes
read_rates() {
    local name bytes rate
    rates=() sizes=()
    "$@" >"$dir/rates" || below=$((below + 1))
    while IFS=$'\t' read -r name bytes rate; do rates[$name]=$rate sizes[$name]=$bytes; done <"$dir/rates"
}

# quotient A B: prints A / B, or 0 without B
quotient() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", (b > 0 ? a / b : 0) }'; }

library() {
    local name bytes rate bar
    while IFS=$'\t' read -r name bytes rate; do
        bar=$(bar_of "$name")
        met=
        [ -z "$bar" ] || verdict "$rate" '>=' "$bar"
        row "$name ($bytes bytes)" "$rate" M/s "" "${bar:+>= $bar}" "$met"
    done < <("$1" "$seconds")
}

# Measures datagrams over loopback with decoding, compared with bare loops of recvmmsg(2) that read sender and
# time, as a link must, or neither; and the overhead of the link.
datagrams() {
    local stamped link decoded added share
    read_rates build/tests/bench/bench_udp "$seconds"
    stamped=${rates[recvmmsg+stamps unitysim.feedback]:-0}
    link=${rates[link unitysim.feedback]:-0}
    decoded=${rates[link+decode unitysim.feedback]:-0}
    share=$(quotient "$decoded" "$stamped")
    verdict "$share" '>=' 0.75
    row "read and decode unitysim feedback over UDP" "$decoded" M/s \
        "recvmmsg ${rates[recvmmsg unitysim.feedback]:-0}, with time and sender $stamped" "x$share (>= 0.75)" $met
    added=$(awk -v a="$link" -v b="$stamped" 'BEGIN { printf "%.3f", (a > 0 && b > 0 ? 1 / a - 1 / b : 999) }')
    verdict "$added" '<=' 0.1
    row "time that the UDP link adds to a datagram" "$added" us "" "<= 0.1" $met
}

# Requires no allocation per message; a preloaded malloc counts them.
allocations() {
    local program=$1 what=$2 few many per
    few=$(LD_PRELOAD=$dir/count.so "$program" 0.001 2>&1 >/dev/null | sed -n 's/^allocations //p')
    many=$(LD_PRELOAD=$dir/count.so "$program" 0.1 2>&1 >/dev/null | sed -n 's/^allocations //p')
    per=999
    [ -z "$few" ] || [ -z "$many" ] || per=$((many - few))
    verdict "$per" '<=' 0
    row "allocations per additional message: $what" "$per" "" "" "<= 0" $met
}

# memory_row NAME LIMIT COMMAND…: measures its peak memory and stores it in $most.
memory_row() {
    local what=$1 bar=$2
    most=$(LD_PRELOAD=$dir/count.so "${@:3}" 2>&1 >/dev/null | awk '/^most /{ printf "%.1f", $2 / 1024 }')
    verdict "${most:-999}" '<=' "$bar"
    row "$what: peak memory" "${most:-999}" MiB "" "<= $bar" "$met"
}

# Requires little memory for reading a log of any length: this one has 80 MB.
memory() {
    memory_row "armctl --version" 6 "$BIN/armctl" --version
    memory_row "armctl encode deg joint=1 angle=90" 6 "$BIN/armctl" encode deg joint=1 angle=90
    candump_log 2000000 >"$dir/run.log"
    memory_row "canpid decode -j of 2,000,000 frames" 16 "$BIN/canpid" decode -j "$dir/run.log"
    memory_row "canpid info of 2,000,000 frames" 16 "$BIN/canpid" info "$dir/run.log"
}

# Measures the time from the program's start until its first line arrives through a pipe.
first_line() {
    local own=9e9 t
    for _ in 1 2 3 4 5; do
        t=$(python3 - "$BIN/canpid" <<'END'
import subprocess, sys, time
start = time.perf_counter()
p = subprocess.Popen([sys.argv[1], "decode", "-j", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
p.stdin.write(b"05F#80F8730806FF\n")
p.stdin.flush()
line = p.stdout.readline()
spent = time.perf_counter() - start
p.stdin.close()
p.wait()
assert line.startswith(b"{"), line
print("%.3f" % (spent * 1000))
END
        )
        [ -n "$t" ] || break
        if holds "$t" '<=' "$own"; then own=$t; fi
    done
    verdict "$own" '<=' 20
    row "first line of output through a pipe" "$own" ms "" "<= 20" $met
}

# candump_log LINES: prints a log of six boards: joint, pid and sensors of each in turn, with varying values.
candump_log() {
    awk -v n="$1" 'BEGIN {
        srand(1)
        split("30 29 31", kinds, " ")
        for (i = 0; i < n; i++) {
            kind = kinds[i % 3 + 1]
            first = kind == 31 ? int(rand() * 16) * 16 : int(rand() * 256)
            printf "(%d.%06d) can0 %03X#%02X%02X%08X\n", 1700000000 + int(i / 1800), i % 1800 * 555,
                (int(i / 3) % 6 + 1) * 32 + kind, first, rand() * 256, rand() * 4294967296
        }
    }'
}

# wall COMMAND…: prints the least wall-clock seconds of three runs with output to a file.
wall() {
    local best=9999 t
    for _ in 1 2 3; do
        t=$({ TIMEFORMAT=%R; time "$@" >"$dir/out" 2>/dev/null; } 2>&1)
        if holds "$t" '<=' "$best"; then best=$t; fi
    done
    echo "$best"
}

rate() { awk -v n="$1" -v t="$2" 'BEGIN { printf "%.2f", n / t / 1e6 }'; }

# serve_device COMMAND…: starts a simulator; sets $device (its process id) and $url (its link)
serve_device() {
    "$@" 2>"$dir/device.err" &
    device=$!
    url=
    while [ -z "$url" ] && kill -0 $device 2>/dev/null; do
        url=$(sed -n 's/^ready: //p' "$dir/device.err")
    done
    [ -n "$url" ] && return
    cat "$dir/device.err" >&2
    below=$((below + 1))
    return 1
}

end_device() {
    kill $device
    wait $device 2>/dev/null
}

# Repeats the measurement next to four busy programs.
busy_cadence() {
    local loops=() i
    for ((i = 0; i < 4; i++)); do
        sh -c 'while :; do :; done' &
        loops+=($!)
    done
    cadence " beside four busy loops" ""
    if chrt -f 40 true 2>/dev/null; then
        cadence " beside four busy loops, with chrt" 15.3 chrt -f 40
    else
        row "unitysim: the same with chrt" "" "" "no right to a real-time priority" "<= 15.3" ""
    fi
    kill "${loops[@]}"
    wait "${loops[@]}" 2>/dev/null
}

# cadence NAME LIMIT PREFIX…: measures the jitter of the 15 ms control stream over UDP; LIMIT "": none
cadence() {
    local url p50 p99 limit="no limit"
    serve_device "$BIN/unitysim" sim --listen 'udp-listen:31104?reply=127.0.0.1:31105' --scene 1 || return
    read -r p50 p99 < <("${@:3}" "$BIN/unitysim" -q -j -l "$url" ping --for 6s |
        jq -r '"\(.cadence_p50_ms) \(.cadence_p99_ms)"')
    end_device
    met=
    if [ -n "$2" ]; then
        limit="<= $2"
        verdict "${p99:-999}" '<=' "$2"
    fi
    row "unitysim: interval of 15 ms$1, P99" "${p99:-999}" ms "P50 ${p50:-999} ms" "$limit" $met
}

# Measures the CPU share of watching a full 1 Mbit/s bus: six boards, 8,700 frames per second.
watch_share() {
    local url share seen seconds=4
    serve_device "$BIN/canpid" sim --listen "slcan:pty:$dir/bus" --rate 483 || return
    share=$({ TIMEFORMAT='%U %S'; time "$BIN/canpid" -l "$url" watch -j --for ${seconds}s >"$dir/out"; } 2>&1 |
        awk -v s=$seconds '{ printf "%.1f", ($1 + $2) / s * 100 }')
    seen=$(wc -l <"$dir/out")
    end_device
    verdict "$share" '<=' 5
    row "canpid watch -j, $((seen / seconds)) frames/s over slcan" "$share" "%" "" "<= 5" $met
}

. tests/bench/screen.sh
# shellcheck source=tests/bench/captures.sh
. tests/bench/captures.sh
# shellcheck source=tests/bench/logs.sh
. tests/bench/logs.sh
# shellcheck source=tests/bench/peers.sh
. tests/bench/peers.sh
# Measures lock-step exchanges per second, compared with bare sockets and with a peer that sends in two pieces
# with Nagle's algorithm.
lockstep() {
    local bare link ours naive share added
    read_rates build/tests/bench/bench_lockstep "$seconds"
    bare=${rates[lock-step bare sockets]:-0} link=${rates[lock-step link]:-0}
    ours=${rates[lock-step ezphys-sim]:-0} naive=${rates[lock-step naive peer]:-0}
    share=$(quotient "$link" "$bare")
    verdict "$share" '>=' 0.8
    row "an exchange over the link (${sizes[lock-step link]:-0} bytes)" "$link" /s "bare sockets $bare" "x$share (>= 0.8)" $met
    verdict "$ours" '>=' 10000
    row "a step of ezphys-sim" "$ours" /s "bare sockets $bare" ">= 10000" $met
    added=$(awk -v a="$ours" -v b="$link" 'BEGIN { printf "%.1f", (a > 0 && b > 0 ? 1e6 / a - 1e6 / b : 999) }')
    verdict "$added" '<=' 10
    row "time that ezphys-sim adds to an exchange" "$added" us "" "<= 10" $met
    verdict "$naive" '>=' 5000
    row "an exchange with a peer that sends in two pieces" "$naive" /s "" ">= 5000" $met
}

# Measures the time from the signal (or the end of the script, shell or reader) to the stop on the wire.
stops() {
    local what p50 max count wrong
    while IFS=$'\t' read -r what p50 max count wrong; do
        verdict "$max" '<=' 10
        [ "$wrong" = 0 ] || met=NO below=$((below + 1))
        row "${what#stop: }" "$p50" ms "max of $count: $max ms" "max <= 10" $met
    done < <(PATH=$(cd "$BIN" && pwd):$PATH python3 tests/cli/stops.py table "$dir" 15)
}

# Measures a device shared by several programs.
sharing() {
    local what value unit details bar met
    while IFS=$'\t' read -r what value unit details bar met; do
        [ "$met" = yes ] || below=$((below + 1))
        row "$what" "$value" "$unit" "$details" "$bar" "$met"
    done < <(PATH=$(cd "$BIN" && pwd):$PATH python3 tests/bench/serve.py "$dir")
}

# Measures the CPU time to identify a second-order model from a noisy recording, including reading it.
identifications() {
    local rows bar took TIMEFORMAT='%U %S'
    for rows in 25000 1000000; do
        bar=$([ $rows = 25000 ] && echo 0.6 || echo 15)
        awk -v n=$rows 'BEGIN {
            srand(1); print "t,u,angle"
            for (i = 0; i < n; i++) {
                if (i > 50 && i % 60 == 0) u = 2 * rand() - 1
                late[i % 6] = u
                a += (2 * late[(i + 1) % 6] - a) / 30; b += (a - b) / 10
                printf "%.2f,%.4f,%.4f\n", i / 100, u, b + 0.035 * (rand() + rand() + rand() - 1.5)
            }
        }' >"$dir/run.csv"
        took=$( { time "$BIN/canpid" -q identify --from "$dir/run.csv" --time t --input u --output angle >/dev/null; } 2>&1 |
            awk '{ print $1 + $2 }')
        verdict "$took" '<=' "$bar"
        row "canpid identify --from $rows rows" "$took" s "" "<= $bar" $met
    done
}

gcc -shared -fPIC -O2 -o "$dir/count.so" tests/bench/count_malloc.c || exit 1
machine
table "Start and memory"
startup "armctl --version" "$BIN/armctl --version" 1.4
startup "armctl encode deg joint=1 angle=90" "$BIN/armctl encode deg joint=1 angle=90" 1.4
startup "hidmotor encode positions" "$BIN/hidmotor encode positions" 1.5
first_line
memory
table "Messages in memory"
library build/tests/bench/bench_wire
library build/tests/bench/bench_view
allocations build/tests/bench/bench_wire "decode and encode"
allocations build/tests/bench/bench_view "text, JSON and CSV"
datagrams
table "Recordings"
log_file
conditions
captures
identifications
table "Timing"
replay_times
cadence "" 16
busy_cadence
table "Live displays"
watch_share
screen_shares
table "Exchanges"
lockstep
pings
table "Stop"
stops
table "Server"
sharing
printf '\n### Result\n\n'
[ $below = 0 ] && echo "All rows are within their limits." || echo "$below rows missed their limits."
exit $((below != 0))
