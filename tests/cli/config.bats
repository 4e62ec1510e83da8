#!/usr/bin/env bats
# The config file, environment variables, and which of them counts.
load common.bash

@test "config path and show" {
    ok armctl config path
    same "$output" "$D/config/armwire/armctl.ini"
    ok armctl config show
    matches "$(grep ^ack-timeout <<<"$output")" "ack-timeout * 2s * default"
    ok armctl -j config show
    jq -se 'all(has("option") and has("value") and has("from"))' <<<"$output"
}

@test "aliases" {
    config '[link]' "arm = $fast" 'gone = /dev/nope'
    ok armctl -l @arm deg 1 90
    fails 4 armctl -l @gone deg 1 90
    has "$why" /dev/nope
    fails 2 armctl -l @amr deg 1 90
    ok armctl config show
    has "$output" "@arm"
    config '[link]' "arm = $fast" 'usual = @arm' 'a = @b' 'b = @a' 'open = @nope'
    ok armctl -l @usual deg 1 90
    fails 2 armctl -l @a deg 1 90
    has "$why" "alias '@a' leads back to itself — name a device in [link] of $D/config"
    fails 2 armctl -l @open deg 1 90
    has "$why" "no alias '@nope'"
}

@test "flag before environment before config before default" {
    config '[options]' 'retries = 3' 'time = iso' 'json = yes'
    option() {
        armctl "$@" config show -j | jq -r 'select(.option == "retries") | .value, .from' | xargs
    }
    export ARMCTL_RETRIES=4
    same "$(option --retries 5)" "5 command line"
    same "$(option)" "4 ARMCTL_RETRIES"
    unset ARMCTL_RETRIES
    same "$(option)" "3 $D/config/armwire/armctl.ini"
    rm "$D/config/armwire/armctl.ini"
    same "$(option)" "5 default"
}

@test "every option is an environment variable" {
    ARMCTL_LINK=$fast ok armctl deg 1 90
    ARMCTL_LINK=$fast ARMCTL_JSON=1 ARMCTL_QUIET=yes ok armctl deg 1 90
    same "$(json .ok)" true
    ARMCTL_DRY_RUN=on ok armctl deg 1 90
    has "$output" "30 44 45 47"
    ARMCTL_ACK_TIMEOUT=soon fails 2 armctl list
    has "$why" ARMCTL_ACK_TIMEOUT
    ARMCTL_JSON=perhaps fails 2 armctl list
    has "$why" ARMCTL_JSON
    ARMCTL_CONFIG=$D/nope.ini fails 2 armctl list
    has "$why" nope.ini
    ARMCTL_JSON=no ok armctl decode 30444547312C3039300D0A
    matches "$output" "<- deg*"
}

@test "a named joint with limits of its own" {
    config '[options]' "link = $fast" \
        '[joint elbow]' 'index = 2' 'kind = rotate' 'min = -45' 'max = 90' 'signed = yes' \
        'home = 10'
    ok armctl -j deg elbow 45
    same "$(json '[.joint,.angle,.result]')" '[2,45,"confirmed"]'
    ok armctl -j deg 2 -45
    same "$(json .angle)" -45
    fails 6 armctl deg elbow 91
    has "$why" elbow
    has "$why" 90
    fails 6 armctl deg elbow -46
    ok armctl --force deg elbow 91 --dry-run
    fails 2 armctl deg ebow 45
    fails 2 armctl pos elbow 45
    ok armctl -j home
    same "$(json .angle)" 10
}

@test "mistakes in the file: its name, the line, what to do" {
    refused() { # LINE TEXT
        fails 2 armctl list
        has "$why" "armctl.ini, line $1"
        has "$why" "$2"
    }
    config '[options]' 'retries = many'
    refused 2 "--retries"
    config '[options]' '' 'colour = never'
    refused 3 "--color"
    config '[nonsense]' 'a = 1'
    refused 2 "[nonsense]"
    config 'just words'
    refused 1 ""
    config '[joint elbow]' 'index = 2' 'kind = bend'
    refused 3 bend
    config '[joint elbow]' 'index = eleven'
    refused 2 eleven
    config '[joint elbow]' 'frobs = 2'
    refused 2 frobs
    config '[options]' 'json = perhaps'
    refused 2 json
}

@test "--config reads another file, and must find it" {
    printf '[options]\njson = yes\n' >other.ini
    ok armctl --config other.ini decode 30444547312C3039300D0A
    matches "$output" "{*"
    ok armctl --config=other.ini config path
    same "$output" other.ini
    fails 2 armctl --config none.ini list
    has "$why" none.ini
}

@test "no home at all is no harm" {
    run -0 env -i PATH="$PATH" armctl -q -l "$fast" deg 1 90
    run -0 env -i PATH="$PATH" armctl config show
}
