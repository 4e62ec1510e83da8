# Sourced by run.sh: CPU share of the watch table and the plot on a terminal.
# shellcheck shell=bash disable=SC2154 # variables of run.sh

# on_terminal COMMAND: runs it on a pty of 120 x 40 and prints its CPU share in %
on_terminal() {
    local seconds=4
    echo "TIMEFORMAT='%U %S'; { time $1 --for ${seconds}s 2>$dir/said; } 2>$dir/times" >"$dir/command"
    TERM=xterm-256color script -qec "stty rows 40 cols 120; bash $dir/command" /dev/null \
        </dev/null >"$dir/picture"
    awk -v s=$seconds '{ printf "%.1f", ($1 + $2) / s * 100 }' "$dir/times"
}

screen_share() {
    local share=100 once
    for _ in 1 2 3; do # reduces the effect of other load
        once=$(on_terminal "$2")
        if holds "${once:-100}" '<=' "$share"; then share=$once; fi
    done
    if ! grep -q '1049h' "$dir/picture"; then
        echo "nothing was drawn: $1" >&2
        below=$((below + 1))
    fi
    verdict "$share" '<=' 5
    row "$1" "$share" "%" "" "<= 5" $met
}

screen_shares() {
    local url
    serve_device python3 tests/cli/talker.py 0 1000 || return
    screen_share "armctl watch, 1000 messages/s" "$BIN/armctl -l $url watch"
    screen_share "armctl plot, 1000 messages/s" "$BIN/armctl -l $url plot deg"
    end_device
    screen_share "canpid watch with its simulator, 8700 frames/s" "$BIN/canpid -l sim:?rate=483 watch"
    screen_share "canpid plot with its simulator, 8700 frames/s" "$BIN/canpid -l sim:?rate=483 plot lknee"
}
