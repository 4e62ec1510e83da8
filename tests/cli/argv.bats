#!/usr/bin/env bats
# Single commands: encode, decode, describe and rejected input.
load common.bash

# ---- Encode and decode ---------------------------------------------------------------------------

@test "encode and decode support --raw, encode and describe support -j" {
    armctl encode --raw deg joint=1 angle=90 >bytes
    same "$(od -An -tx1 bytes)" " 30 44 45 47 31 2c 30 39 30 0d 0a"
    gives_json .angle 90 armctl decode -j bytes
    gives_json .angle 90 armctl decode -j - <bytes
    gives_json .angle 90 armctl decode -j <bytes
    gives_json .bytes '"30 44 45 47 31 2C 30 39 30 0D 0A"' armctl -j encode deg joint=1 angle=90 seq=0
    for tool in $tools; do
        gives_json .protocol "\"$tool\"" $tool -j describe
        same "${#lines[@]}" 1
        same "$output" "$($tool describe --as json)"
    done
}

@test "describe prints every message of every tool in at most 80 columns" {
    for tool in $tools; do
        ok $tool describe
        [ "$(wc -L <<<"$output")" -le 80 ]
        ok $tool describe --as json
        jq -e '.messages | length > 3' <<<"$output"
        for message in $(jq -r '.messages[].name' <<<"$output" | sort -u); do
            prints "$message" $tool describe "$message"
        done
        prints "#" $tool describe --as md
    done
    fails_with 2 "did you mean 'deg'" armctl describe dge
}

# ---- Rejected input ------------------------------------------------------------------------------

@test "errors about names exit 2, most with a hint such as a valid name or the command that lists them" {
    fails_with 2 "armctl help" armctl frobnicate
    fails_with 2 "describe" armctl encode frobnicate
    fails_with 2 "help" armctl -X deg 1 90
    fails_with 2 "help" armctl --frobnicate
    fails_with 2 "available: seq, ack" armctl decode --fields frobnicate 30
    fails_with 2 "frobnicate" armctl decode --format '%{frobnicate}' 30
    fails 2 armctl decode --format '%{angle' 30
    fails_with 2 "unknown shell 'tcsh' — use bash, zsh or fish" armctl completion tcsh
    fails_with 2 "did you mean 'set'" unitysim limits st
    fails_with 2 "did you mean 'save'" canpid gains svae x
    fails_with 2 "did you mean 'elbow'?" hidmotor -q -l sim: move elbo=30
    fails_with 2 "'elbow' has no value — write elbow=VALUE" unitysim move elbow 2300
    fails 2 armctl help frobnicate
    fails 2 armctl config frobnicate
}

@test "fractional degrees, millimetres, counts and identifiers are rejected, even with --force" {
    fails_with 2 "not a whole number" armctl encode deg joint=1 angle=90.5
    fails 2 armctl -l "$fast" --force deg 1 90.5
    rows fails armctl -l "$fast" <<'END'
2|deg 1 90.5
2|pos 2 0.5mm
2|arm 250 45.25 120
END
    while read -r words; do
        fails_with 2 "is not a whole number" $words
    done <<'END'
unitysim -q -l sim: watch -n 1.5
armctl -q -l sim: --retries 0.5 deg 1 9
canpid decode --port 1.5 041#9A99193F0200
canpid -q -l sim: sweep --tones 2.5 -b lknee -c pos
ezphys -q -l sim: advance 1.5
hidmotor -q -y -l sim: send 1848.9 0 0 0 0 0
hidmotor -q -y -l sim: --force send 99.5
hidmotor -q -l sim: --retries 1.5 status
unitysim -q -l sim: scene basic --fps 30.5
unitysim -q -l sim: teach new.csv --velocity 20.5
END
    fails 6 hidmotor -q -y -l sim: --force send 4294967296
    fails 6 ezphys -q -l sim: --force advance 1e300
}

@test "a very long argument is rejected, not truncated; decode accepts long hex" {
    long=$(printf '%05000d' 0)
    fails 2 armctl "$long"
    fails 2 armctl encode "$long"
    fails 2 armctl encode deg joint=1 "angle=x$long"
    fails 2 armctl encode deg "$long=1"
    fails 2 armctl "--$long"
    fails 2 armctl -l "$fast" send "DEG1,$long"
    fails 2 armctl -l "$long" deg 1 90
    for ((i = 0; i < 300; i++)); do
        printf '03000000%02x010000080000000000803f00000040' $((i % 256))
    done >packets
    prints_lines 300 ezphys decode -j "78170000""2c010000$(cat packets)"
}

@test "every tool and command prints its help, and every tool its version" {
    for tool in $tools; do
        prints_like "$tool [0-9]*.[0-9]*" $tool --version
        ok $tool help --help-all
        for command in $(sed -n '/^Commands/,/^$/s/^  \([a-z_]*\).*/\1/p' <<<"$output"); do
            prints "$command" $tool help "$command"
            first=$output
            gives "$first" $tool "$command" --help
        done
        prints "--help-all" $tool -h
        prints "Exit codes" $tool --help-all
    done
}

@test "the example of every config section in the help is valid" {
    for tool in $tools; do
        $tool help config | sed -n 's/^  \(\[.*\|[a-z]* = [^ ]*\)$/\1/p' >"$tool.ini"
        has "$(<"$tool.ini")" "[options]"
        sed -i '/^link = @arm$/d' "$tool.ini"
        silent $tool --config "$tool.ini" config show
    done
}
