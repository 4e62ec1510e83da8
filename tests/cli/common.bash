# Loaded by every suite. A test has a folder of its own ($D), which is its home, its configuration
# and its state; what it starts in the background is ended by its id. BIN is the folder of the
# programs, so that ordinary and sanitized ones go through the same tests.
bats_require_minimum_version 1.5.0

# What is the same for all tests of a file.
setup_file() {
    local tool
    root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    BIN=$(cd "${BIN:-$root/build/bin}" && pwd)
    tools=$("$root/tests/tools.sh")
    for tool in $tools; do
        # shellcheck disable=SC2046 # names of variables
        unset $(compgen -v "${tool^^}_")
    done
    export root BIN tools
}

setup() {
    D=$BATS_TEST_TMPDIR
    PATH=$BIN:$PATH
    if [ -n "${SERVED:-}" ]; then # this tool through a server
        mkdir "$D/.served"
        printf '#!/bin/sh\nexec "%s" "%s" "$@"\n' "$BATS_TEST_DIRNAME/served.sh" "$BIN/$SERVED" \
            >"$D/.served/$SERVED"
        chmod +x "$D/.served/$SERVED"
        PATH=$D/.served:$PATH
    fi
    export D PATH HOME=$D XDG_CONFIG_HOME=$D/config XDG_STATE_HOME=$D/state
    export XDG_RUNTIME_DIR=$D TERM=dumb NO_COLOR=1
    export LC_ALL=C.UTF-8
    fast='sim:?time=virtual' # nobody waits for this arm
    patience=60 # s, for what must come: no test is about how fast the machine is
    started=()
    set +T # bats traces each command of a test for its message; not those of the functions below
    cd "$D" || return
}

teardown() {
    local pid
    for pid in "${started[@]}"; do
        kill "$pid" 2>/dev/null || true
        wait "$pid" 2>/dev/null || true
    done
}

# exits STATUS COMMAND…: what `run -STATUS --separate-stderr` does, with one process instead of three;
# the tests have thousands of these.
exits() {
    local wanted=$1 errors=$D/.stderr.$BASHPID
    shift
    output=$("$@" 2>"$errors") && status=0 || status=$?
    read -d '' -r stderr <"$errors" || true
    IFS=$'\n' read -d '' -r -a lines <<<"$output" || true
    [ "$status" = "$wanted" ] || { echo "status $status, expected $wanted: $stderr" && false; }
}

# ok COMMAND…: exit status 0; $output, $lines and $stderr are for the checks that follow.
ok() { exits 0 "$@"; }

# fails STATUS COMMAND…: this exit status and exactly one line on standard error, "tool: …", which
# is left in $why.
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

# same ACTUAL EXPECTED, has TEXT PART, hasnt TEXT PART, matches TEXT PATTERN (a glob)
same() {
    [ "$1" = "$2" ] || { printf 'found:    %s\nexpected: %s\n' "$1" "$2" && false; }
}
has() { [[ $1 == *"$2"* ]] || { printf '%s\nlacks: %s\n' "$1" "$2" && false; }; }
hasnt() { [[ $1 != *"$2"* ]] || { printf '%s\nmust not have: %s\n' "$1" "$2" && false; }; }
# shellcheck disable=SC2053 # a pattern
matches() { [[ $1 == $2 ]] || { printf '%s\nis not like: %s\n' "$1" "$2" && false; }; }

# The tests start it thousands of times: gojq is jq that starts in 2 ms and not in 20, but sorts the keys of an
# object and takes no NaN. Where their order is what is tested, or NaN is there, it is jq_itself.
jq() { gojq "$@"; }
jq_itself() { command jq "$@"; }

# json FILTER: the value in the last line of $output.
json() { jq -c "$1" <<<"${output##*$'\n'}"; }

# start NAME COMMAND…: runs it in the background until its line "ready: URL", which goes to $url;
# its id to $pid. What it says later can be read from ${said[NAME]}.
declare -gA said
start() {
    local name=$1 line fd
    shift
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

# end PID: ends it, whatever its status.
end() {
    kill "$1"
    wait "$1" || true
}

# wait_for NAME TEXT: reads what NAME says until a line has this text; that line goes to $line.
wait_for() {
    local end=$((SECONDS + patience))
    while [ $SECONDS -lt $end ] && read -t "$patience" -r line <&"${said[$1]}"; do
        [[ $line != *"$2"* ]] || return 0
    done
    echo "$1 never said: $2" && false
}

# under_way COMMAND…: runs it in the background, its id in $client, its output in client.out. What it
# says on standard error can be waited for (wait_for client …), and read from $trace.
under_way() {
    mkfifo trace
    "$@" <&0 2>trace >client.out 3>&- &
    client=$!
    started+=("$client")
    exec {trace}<trace
    rm trace
    said[client]=$trace
}

# ended STATUS: what is under way ends with this, having said the rest in $rest.
ended() {
    rest=$(timeout "$patience" cat <&"$trace")
    wait "$client" && status=0 || status=$?
    same "$status" "$1"
}

# becomes EXPECTED COMMAND…: the output of the command, sooner or later.
becomes() {
    local found end=$((SECONDS + 20))
    while ((SECONDS < end)); do
        found=$("${@:2}")
        [ "$found" != "$1" ] || return 0
        sleep 0.02
    done
    same "$found" "$1"
}

# A peer that takes connections and keeps what arrives. $url is its link.
peer() { start peer python3 "$root/tests/cli/peer.py" "$D/arrived"; }

# All bytes that came to the peer, in order, in $arrived; ends the peer.
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

# An arm in a process of its own, so fast that nobody waits.
arm() {
    start arm armctl sim --listen "pty:$D/arm" --turn-speed 20000 --slide-speed 20000 "$@"
}

# config LINE…: the config file of armctl.
config() {
    mkdir -p "$D/config/armwire"
    printf '%s\n' "$@" >"$D/config/armwire/armctl.ini"
}

# A pipe that nobody reads: file descriptor $closed.
closed_pipe() {
    local reader
    mkfifo "$D/pipe"
    exec {reader}<>"$D/pipe" {closed}>"$D/pipe" {reader}<&-
}

# terminal COLUMNS: an expect script on standard input, see terminal.tcl, with a terminal this wide.
terminal() {
    expect -f "$root/tests/cli/terminal.tcl" "$@" || return
}
