#!/usr/bin/env bats
# The command line of armwire-pad. tests/kernel/t_pad.sh tests the gamepads.
load common

@test "armwire-pad handles --help, --version, wrong options and a full disk" {
    prints 'SDL_GAMECONTROLLERCONFIG' armwire-pad --help
    prints_like 'armwire-pad [0-9]*.[0-9]*.[0-9]* (armwire)' armwire-pad -V
    fails 2 armwire-pad --joystick
    fails 2 armwire-pad here
    fails 2 armwire-pad --pad
    fails 7 bash -c 'armwire-pad --help >/dev/full'
}

@test "armwire-pad: a missing gamepad gives an error and a last record" {
    fails_with 4 "gamepad 'nothing' not found" armwire-pad --pad nothing
    exits 4 armwire-pad -q --pad 77
    same "$stderr" ''
    same "$(jq -c '[.cmd, .ok, .error, .exit]' <<<"$output")" '["armwire-pad",false,"no_link",4]'
    ok armwire-pad --list
}
