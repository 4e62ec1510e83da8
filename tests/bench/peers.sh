# Sourced by run.sh. Compares our commands with common alternatives: jq in a pipe, and bash loops around
# socat.
# shellcheck shell=bash disable=SC2154 # variables of run.sh

# ratio OURS PEER: prints our number divided by the peer's, as "x12.3"
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "x%.3g", (b > 0 ? a / b : 9999) }'; }

# Filters the records of a log by a condition: --where, compared with jq behind our JSON.
conditions() {
    local own peer lines=200000 picked
    candump_log $lines >"$dir/where.log"
    own=$(rate $lines "$(wall "$BIN/canpid" decode -j --where 'alpha_angle>15' "$dir/where.log")")
    picked=$(wc -l <"$dir/out")
    peer=$(rate $lines "$(wall sh -c "'$BIN/canpid' decode -j '$dir/where.log' | jq -c 'select(.alpha_angle>15)'")")
    [ "$(wc -l <"$dir/out")" = "$picked" ] && [ "$picked" -gt 0 ] || own=0
    verdict "$own" '>' "$peer"
    row "canpid decode -j --where, wall time" "$own" M/s "decode -j | jq $peer" "$(ratio "$own" "$peer") (> 1)" "$met"
}

our_pings() { yes ping | head -n "$1" | "$BIN/armctl" -q -j -l "$url"; }

# Sends the same bytes each time. The digit is a duplicate, which the handler acknowledges again.
socat_pings() {
    local i line
    coproc SOCAT { exec socat - "TCP:${url#tcp:}"; }
    for ((i = 0; i < $1; i++)); do
        printf '1PNG\r\n' >&"${SOCAT[1]}"
        IFS= read -r -t 5 line <&"${SOCAT[0]}" && echo "$line"
    done
    kill "$SOCAT_PID"
    wait "$SOCAT_PID"
}

# exchanges COMMAND COUNT: exchanges per second; 0 if an answer is missing
exchanges() {
    local seconds
    seconds=$(wall "$1" "$2")
    [ "$(wc -l <"$dir/out")" = "$2" ] || seconds=1e9
    awk -v n="$2" -v t="$seconds" 'BEGIN { printf "%.0f", n / t }'
}

# Exchanges a line and its acknowledgement with a simulator over TCP.
pings() {
    local own peer times url count=2000
    serve_device "$BIN/armctl" sim --listen tcp-listen:127.0.0.1:0 || return
    own=$(exchanges our_pings $count) peer=$(exchanges socat_pings $count)
    verdict "$own" '>' "$peer"
    row "armctl ping, a script of $count" "$own" /s "bash and socat $peer" "$(ratio "$own" "$peer") (> 1)" "$met"
    printf '1PNG\r\n' >"$dir/ping"
    own=$(start "$BIN/armctl -q -l $url ping")
    peer=$(start "socat OPEN:$dir/ping,rdonly!!STDOUT TCP:${url#tcp:}")
    times=$(awk -v a="$own" -v b="$peer" 'BEGIN { printf "%.2f", (b > 0 ? a / b : 9999) }')
    verdict "$times" '<=' 1.5
    row "armctl ping, one command, start included" "$own" ms "socat $peer ms" "x$times (<= 1.5)" "$met"
    end_device
}
