#!/usr/bin/env bats
# Angles that wrap: motions continue across half a turn, and no motion takes the shortest way.
load common

# Writes a scene with a weightless wheel, and a path across half a turn.
prepare() {
    printf '%s\n' 'gravity 0 0 0' 'step 10ms' \
        'body wheel box 0.2 0.2 0.2 mass 1 at 0 0 0 collide off' \
        'joint spin hinge wheel world anchor 0 0 0 axis 0 0 1' >wheel.scene
    awk -v OFS=, 'BEGIN { print "t,spin"; for (i = 0; i <= 50; i++) print i / 50, 3 + i / 100 }' >across.csv
    wheel="sim:?scene=$D/wheel.scene"
}

# went LINE…: prints the wheel's positions in tenths of a rad, without repetitions.
went() {
    printf '%s\n' "$@" | exits 0 ezphys -q -l "$wheel" --record run.pcapng || return
    ezphys -q decode -j run.pcapng | jq 'select(.displacement != null) | .displacement * 10 | round' |
        uniq | xargs
}

@test "play, --loop, follow and move cross ±180 deg without a jump" {
    while IFS='|' read -r words last; do
        places=$(went 'move spin=3 --speed 2' "$words") || { echo "$words: $stderr" && false; }
        matches "$places" "0 1 2 *29 30 31 -31 -30 *$last"
        hasnt "${places#*30 31}" ' 0 '
    done <<END
play across.csv|-28
play across.csv --loop --for 2.5s --approach 1|30
follow across.csv --map spin=spin --max-speed 1 --approach 1|-28
move spin=3.5 --speed 2|-28
jog spin 0.5 --speed 2|-28
END
}

@test "a path that starts across ±180 deg is refused as a jump, unless --approach is given" {
    printf '%s\n' 'move spin=-3 --speed 2' 'play across.csv' >lines
    fails 6 ezphys -q -l "$wheel" <lines
    matches "$why" '*spin is at -3 rad, the first target is 3 rad: farther than --max-jump 0.1 rad*'
    for words in 'play across.csv --approach 4' 'follow across.csv --map spin=spin --max-speed 4 --approach 4'; do
        places=$(went 'move spin=-3 --speed 2' "$words") || { echo "$words: $stderr" && false; }
        matches "$places" '0 *-29 -30 -29 * -1 * 1 *29 30 31 -31 -30*'
    done
    places=$(went 'move spin=3.1 --speed 4' 'move spin=-3.1 --speed 4')
    matches "$places" '0 *29 30 31 30 29 * 0 *-30 -31'
}

@test "a gamepad stick turns a joint across ±180 deg" {
    printf '%s\n' '0.4 full 1' '0.5 hold 1' '1.0 lefty -1' '3.2 hold 0' '3.4 lefty 0' >pad.events
    "$root/tests/cli/pad_player.py" --channels pad.events >pad.ndjson
    stderr=stalled
    while [[ $stderr == *stalled* ]]; do # repeats a run that a busy machine stopped
        begun_ms=$((${EPOCHREALTIME/./} / 1000))
        ok ezphys -l "$wheel" --record run.pcapng teleop --channels pad.ndjson
    done
    has "$output" 'result=ended stops=1'
    # The events take 3.4 s. A stall of this machine shortens the motion.
    [ $((${EPOCHREALTIME/./} / 1000 - begun_ms)) -lt 4200 ] || return 0
    places=$(ezphys -q decode -j run.pcapng | jq 'select(.displacement != null) | .displacement * 10 | round' | uniq | xargs)
    matches "$places" '0 1 2 *29 30 31 -31 -30 *-1?'
}
