# Loaded by every suite. Each test has its own directory ($D) for home, configuration and state. Its background
# processes are ended by process id. BIN is the directory of the programs, which may be built with sanitizers.
bats_require_minimum_version 1.5.0

# Sets up what all tests of a file need.
setup_file() {
    local tool
    root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    BIN=$(cd "${BIN:-$root/build/bin}" && pwd)
    tools=$("$root/tests/tools.sh")
    for tool in $tools; do
        unset $(compgen -v "${tool^^}_")
    done
    export root BIN tools
}

setup() {
    D=$BATS_TEST_TMPDIR
    PATH=$BIN:$PATH
    if [ -n "${SERVED:-}" ]; then # name of the tool that runs through a server
        mkdir "$D/.served"
        printf '#!/bin/sh\nexec "%s" "%s" "$@"\n' "$BATS_TEST_DIRNAME/served.sh" "$BIN/$SERVED" \
            >"$D/.served/$SERVED"
        chmod +x "$D/.served/$SERVED"
        PATH=$D/.served:$PATH
    fi
    export D PATH HOME=$D XDG_CONFIG_HOME=$D/config XDG_STATE_HOME=$D/state
    export XDG_RUNTIME_DIR=$D TERM=dumb NO_COLOR=1
    export LC_ALL=C.UTF-8
    fast='sim:?time=virtual' # a simulator fast enough that tests need not wait for motions
    patience=60 # s, timeout of expected events; does not measure the machine's speed
    started=()
    begun_us=${EPOCHREALTIME/./}
    set +T # disables bats' trace of each command in these functions
    cd "$D" || return
    ! declare -F prepare >/dev/null || prepare # a file's own preparation
}

teardown() {
    local pid
    for pid in "${started[@]}"; do
        kill "$pid" 2>/dev/null || true
        wait "$pid" 2>/dev/null || true
    done
}

# exits STATUS COMMAND…: same as `run -STATUS --separate-stderr`, but with one process instead of three, because
# tests call it thousands of times.
exits() {
    local wanted=$1 errors=$D/.stderr.$BASHPID
    shift
    output=$("$@" 2>"$errors") && status=0 || status=$?
    read -d '' -r stderr <"$errors" || true
    IFS=$'\n' read -d '' -r -a lines <<<"$output" || true
    [ "$status" = "$wanted" ] || { held_up "$stderr" && echo "status $status, expected $wanted: $stderr" && false; }
}

# held_up TEXT: skips the rest of the test if this machine stalled so long that a motion had to end, and TEXT
# reports that. The test must also have taken that long by its own clock.
held_up() {
    [[ $1 =~ (stalled|sent nothing)\ for\ ([0-9.e+]+)\ s ]] || return 0
    awk -v seconds="${BASH_REMATCH[2]}" -v passed_us=$((${EPOCHREALTIME/./} - begun_us)) \
        'BEGIN { exit !(seconds * 0.95e6 < passed_us) }' || return 0
    skip "this machine held a program up for ${BASH_REMATCH[2]} s"
}

# ok COMMAND…: requires exit status 0; sets $output, $lines and $stderr.
ok() { exits 0 "$@"; }

# fails STATUS COMMAND…: requires this exit status and exactly one line "tool: …" on standard error, which is
# stored in $why.
fails() {
    local line
    exits "$@"
    why=
    while IFS= read -r line; do
        [[ $line == *'this is the simulator'* ]] || why+=${why:+$'\n'}$line
    done <<<"$stderr"
    if [[ $why == *$'\n'* || $why != [a-z]*": "?* ]]; then
        echo "not one line that says what is wrong: $why"
        return 1
    fi
}

# refuses STATUS COMMAND…: same as fails, and requires that nothing was sent (-v logs each packet).
refuses() {
    fails "$@"
    run "-$1" --separate-stderr "${@:2}" -v
    hasnt "$stderr" " ms -> "
}

# same ACTUAL EXPECTED, has TEXT PART…, hasnt TEXT PART…, matches TEXT PATTERN (a glob), within LEAST VALUE MOST
same() {
    [ "$1" = "$2" ] || { printf 'found:    %s\nexpected: %s\n' "$1" "$2" && false; }
}
has() {
    local part
    for part in "${@:2}"; do
        [[ $1 == *"$part"* ]] || { printf '%s\nlacks: %s\n' "$1" "$part" && return 1; }
    done
}
hasnt() {
    local part
    for part in "${@:2}"; do
        [[ $1 != *"$part"* ]] || { printf '%s\nmust not have: %s\n' "$1" "$part" && return 1; }
    done
}
within() { [ "$1" -le "$2" ] && [ "$2" -le "$3" ] || { echo "$2 is not within $1 and $3" && false; }; }
matches() { [[ $1 == $2 ]] || { printf '%s\nis not like: %s\n' "$1" "$2" && false; }; }

# not COMMAND…: requires failure. A line with "! COMMAND", or with the first of "A && B" false, never fails a
# test, because set -e ignores it.
not() { ! "$@"; }

# fails_with STATUS TEXT COMMAND…: same as fails; $why contains TEXT. fails_like: $why matches a pattern.
# refuses_with: nothing was sent.
fails_with() { fails "$1" "${@:3}"; has "$why" "$2"; }
fails_like() { fails "$1" "${@:3}"; matches "$why" "$2"; }
refuses_with() { refuses "$1" "${@:3}"; has "$why" "$2"; }

# prints TEXT COMMAND…: requires exit status 0 and TEXT in the output. gives TEXT COMMAND…: TEXT is the whole
# output.
prints() { ok "${@:2}"; has "$output" "$1"; }
gives() { ok "${@:2}"; same "$output" "$1"; }
prints_lines() { ok "${@:2}"; same "${#lines[@]}" "$1"; } # requires this number of output lines

# prints_like: the output matches a pattern. prints_no: the output lacks the text. gives_json FILTER VALUE
# COMMAND…: the filter gives VALUE for the last line. remarks TEXT COMMAND…: standard error contains TEXT. silent
# COMMAND…: standard error is empty. exits_with STATUS TEXT COMMAND…: standard error contains TEXT.
prints_like() { ok "${@:2}"; matches "$output" "$1"; }
prints_no() { ok "${@:2}"; hasnt "$output" "$1"; }
gives_json() { ok "${@:3}"; same "$(json "$1")" "$2"; }
remarks() { ok "${@:2}"; has "$stderr" "$1"; }
remarks_like() { ok "${@:2}"; matches "$stderr" "$1"; }
remarks_no() { ok "${@:2}"; hasnt "$stderr" "$1"; }
silent() { ok "$@"; same "$stderr" ""; }
exits_with() { exits "$1" "${@:3}"; has "$stderr" "$2"; }

# rows HELPER [COMMAND…]: runs one of these helpers for each line "FIELD|…|WORDS" of standard input: HELPER FIELD…
# COMMAND… WORDS. The last line printed names the failing row.
rows() {
    local table row cells
    mapfile -t table
    [ ${#table[@]} -gt 0 ] || { echo "no rows" && return 1; }
    for row in "${table[@]}"; do
        echo "# $row"
        [[ $row != *'|' ]] || { echo "row without words" && return 1; }
        IFS='|' read -r -a cells <<<"$row"
        "$1" "${cells[@]:0:${#cells[@]}-1}" "${@:2}" ${cells[-1]}
    done
}

# gojq starts in 2 ms instead of jq's 20 ms, which matters for thousands of calls. It sorts object keys and
# rejects NaN; tests of key order or NaN use jq_itself.
jq() { gojq "$@"; }
jq_itself() { command jq "$@"; }

# json FILTER: prints the value in the last line of $output.
json() { jq -c "$1" <<<"${output##*$'\n'}"; }

# sees FILTER FILE: waits for a JSON line in the file that the filter accepts.
sees() {
    local end=$((SECONDS + patience))
    while ((SECONDS < end)); do
        [ -z "$(jq -c "select($1)" "$2" 2>/dev/null)" ] || return 0
        held_up "$(<"$2")"
        sleep 0.05
    done
    cat "$2" && echo "$2 never has $1" && false
}

# free_port: prints the number of a UDP port that was just free.
free_port() {
    python3 -c 'import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])'
}

# start NAME COMMAND…: runs it in the background until it prints "ready: URL"; sets $url and $pid. Its later
# output is read from ${said[NAME]}.
declare -gA said
start() {
    local name=$1 line fd
    shift
    rm -f "$D/$name.err"
    mkfifo "$D/$name.err"
    "$@" >"$D/$name.out" 2>"$D/$name.err" 3>&- &
    pid=$!
    started+=("$pid")
    exec {fd}<"$D/$name.err"
    said[$name]=$fd
    while read -t "$patience" -r line <&"$fd"; do
        if [[ $line == "ready: "* ]]; then
            url=${line#ready: }
            return 0
        fi
        echo "# $line"
    done
    echo "$name is not ready" && false
}

# end PID [SIGNAL]: ends the process and ignores its exit status.
end() {
    kill "-${2:-TERM}" "$1"
    wait "$1" 2>/dev/null || true
}

# end_by SIGNAL STATUS [PID]: ends this process, or $client, and compares its exit status.
end_by() {
    kill "-$1" "${3:-$client}"
    wait "${3:-$client}" && status=0 || status=$?
    same "$status" "$2"
}

# background COMMAND…: runs it until it or the test ends; sets $client (process id). Its files must not be named
# pipes: they are opened before it starts.
background() {
    "$@" <&0 3>&- &
    client=$!
    started+=("$client")
}

# wait_for NAME TEXT: waits until NAME prints a line with this text, and sets $line.
wait_for() {
    local end=$((SECONDS + patience))
    while [ $SECONDS -lt $end ] && read -t "$patience" -r line <&"${said[$1]}"; do
        [[ $line != *"$2"* ]] || return 0
    done
    echo "$1 never said: $2" && false
}

# under_way COMMAND…: runs it in the background; sets $client (process id). Its output is in client.out. Its
# standard error is read with wait_for client, or from $trace.
under_way() {
    mkfifo trace
    "$@" <&0 2>trace >client.out 3>&- &
    client=$!
    started+=("$client")
    exec {trace}<trace
    rm trace
    said[client]=$trace
}

# ended STATUS [SIGNAL]: waits until the client exits with this status, after this signal; sets $rest to the rest
# of its log.
ended() {
    [ -z "${2:-}" ] || kill "-$2" "$client"
    rest=$(timeout "$patience" cat <&"$trace")
    wait "$client" && status=0 || status=$?
    [ "$status" = "$1" ] || held_up "$rest"
    same "$status" "$1"
}

# becomes EXPECTED COMMAND…: repeats the command until it prints EXPECTED; fails after $patience s.
becomes() {
    local found end=$((SECONDS + patience))
    while ((SECONDS < end)); do
        found=$("${@:2}") || true
        [ "$found" != "$1" ] || return 0
        sleep 0.02
    done
    same "$found" "$1"
}

# peer: starts a peer that accepts connections and saves the data; $url is its link.
peer() { start peer python3 "$root/tests/cli/peer.py" "$D/arrived"; }

# arrived: ends the peer and sets $arrived to all bytes it received, in order.
arrived() {
    local port=${url##*:}
    exec {end}<>"/dev/tcp/127.0.0.1/$port"
    echo END >&"$end"
    exec {end}>&-
    wait "$pid"
    arrived=$(cat "$D/arrived")
}
nothing_arrived() {
    arrived
    same "$arrived" ""
}

# arm: starts a simulated arm so fast that tests need not wait for its motions.
arm() {
    start arm armctl sim --listen "pty:$D/arm" --turn-speed 20000 --slide-speed 20000 "$@"
}

# config TOOL LINE…: writes the tool's config file.
config() {
    mkdir -p "$D/config/armwire"
    printf '%s\n' "${@:2}" >"$D/config/armwire/$1.ini"
}

# closed_pipe: opens the write end of a pipe without a reader; $closed is its descriptor.
closed_pipe() {
    local reader
    mkfifo "$D/pipe"
    exec {reader}<>"$D/pipe" {closed}>"$D/pipe" {reader}<&-
}

# terminal COLUMNS: runs an expect script from standard input on a terminal of this width; see terminal.tcl.
terminal() {
    expect -f "$root/tests/cli/terminal.tcl" "$@" || return
}
