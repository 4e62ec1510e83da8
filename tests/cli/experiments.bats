#!/usr/bin/env bats
# Rules for experiments in every tool, because all tools share their code.

load common.bash

@test "a ratio above 1 without % is rejected as ambiguous" {
    for words in "design --overshoot 5" "tune --overshoot 5" "tune --amplitude 10" "tune --noise 2"; do
        fails_like 2 "canpid: --*: * is ambiguous — write *% or *00%" canpid -q -l "$fast" $words -b lknee -c pos
    done
    has "$why" "--noise: 2 is ambiguous — write 2% or 200%"
}

# Also detects steps too small to be found by their size alone.
@test "step exits 1 without measured values if the joint does not move, and measures a small step" {
    while IFS='|' read -r tool link words; do
        fails_with 1 "step: no motion: " $tool -q -j -l "${link/#&/$fast&}" step $words
        same "$(json '[.ok,.settling_time,.overshoot,.rise_time]')" '[false,null,null,null]'
    done <<'END'
canpid|&plant=dead|--from 0deg --to 20deg -b lknee -c pos
canpid|&plant=stuck|--from 0deg --to 1deg -b lknee -c pos
canpid|&plant=dead|--from 0Nm --to 1Nm -b lknee -c tor
hidmotor|&state=disabled|m2 --from 0 --to 1
hidmotor|&state=disabled|m3 --from 0 --to 10 --for 1s
unitysim|&stuck=elbow|elbow --from 0deg --to 0.3deg
unitysim|&stuck=hand|hand --from 0deg --to 20deg --for 1s
ezphys|sim:slider-crank|bore --from 0m --to 0.05m --settle 0.1s --for 0.5s
END
    fails 1 canpid -q -l "$fast" step --from 0deg --to 2deg -b lknee -c pos # the joint stays within its dead band
    has "$why" "lknee: ended at 0.15"
    ok hidmotor -q -l "$fast" step m2 --from 0 --to 1
    ok unitysim -q -l "$fast" step hand --from 0deg --to 0.5deg
    ok ezphys -q -l sim:arm4 step waist --from 0 --to 0.01 --settle 0.1s --for 1s
}

# Columns: tool, link, arguments and the expected model as a jq filter.
# bats test_tags=long
@test "identify measures the joint's model, and hidmotor's saved samples give the same model" {
    while IFS='|' read -r tool link words wanted; do
        ok $tool -q -j -l "${link/#&/$fast&}" identify $words --samples samples.csv --save model.json --plot bode.svg
        same "$(json ".fit > 75 and ($wanted)")" true
        same "$(jq -r .source.from model.json | cut -d , -f 1)" "$tool identify"
        [ $tool = hidmotor ] || continue # only hidmotor's record contains scale and dead zone
        gives_json ".fit > 75 and ($wanted)" true $tool -q -j identify --from samples.csv
    done <<'END'
canpid|&|-b lknee -c pos|.trusted and .kind == "integrating" and .gain > 1.7 and .gain < 2.1
hidmotor|&|m2|.trusted and .kind == "second-order" and .gain > 0.97 and .gain < 1.03 and .tau1 > 0.045 and .tau1 < 0.055
hidmotor|&|elbow --around 20deg --for 6s|.trusted and .tau1 > 0.045 and .tau1 < 0.055 and .dead_time > 0.005 and .dead_time < 0.025
END
}

# Joints that misbehave. Columns: exit code, tool, link, command, message.
@test "experiments stop with a reason if the joint misbehaves" {
    while IFS='|' read -r code tool link words said; do
        fails "$code" $tool -q -l "${link/#&/$fast&}" $words
        has "$why" "$said"
    done <<'END'
1|canpid|&plant=stuck:1deg|step -b lknee -c pos --from 0 --to 10 --for 4s|no motion despite output
1|canpid|&plant=stuck:1deg|identify -b lknee -c pos|no motion despite output
1|canpid|&plant=stuck:1deg|tune -b lknee -c pos --yes|no motion despite output
1|canpid|&plant=stuck:3deg|sweep -b lknee -c pos --amplitude 9deg|no motion despite output
1|canpid|&plant=stuck:1deg|sweep -b lknee -c pos|sweep: no motion: lknee stayed at
1|canpid|&plant=dead|sweep -b lknee -c pos|sweep: no motion: lknee stayed at 0 deg
1|hidmotor|&state=disabled|identify m2|no motion despite output
3|hidmotor|&fault=unplug:1.5s|identify m2|telemetry stopped
1|hidmotor|&|identify m2 --max-deviation 1deg|raise --max-deviation
6|hidmotor|&|identify elbow --around 62deg|too near the end of the range
6|hidmotor|&|identify m2 --max-deviation 0deg|out of range
2|hidmotor|&|identify|no joint given
1|unitysim|&stuck=elbow|step elbow --from 0deg --to 20deg --for 4s|no motion despite output, at 0 deg — stopped
3|unitysim|&feedback-loss=100%|step elbow --from 0deg --to 20deg|no feedback
6|unitysim|&|step elbow --from 0deg --to 200deg|out of range
6|unitysim|&|step elbow --from 0deg --to 20deg --max-deviation 0deg|out of range
2|unitysim|&|step elbwo --from 0deg --to 20deg|did you mean 'elbow'
2|unitysim|&|step elbow --from 0rad --to 20Nm|--to
1|ezphys|sim:slider-crank|step bore --from 0m --to 0.2m --settle 0.1s --for 5s|no motion despite output
2|ezphys|sim:arm4|step 100|joint '100' not found
2|ezphys|sim:arm4|step waist --from 0m --to 0.1m|--from
END
}

@test "hidmotor: verify reports passed and failed steps and rejects invalid values" {
    spec() { printf '%s\n' '[calm]' "$@" >spec.ini; }
    spec 'joint = elbow' 'from = 0' 'to = 20' 'max-overshoot = 20%' '[quick]' 'joint = m2' \
        'from = 0' 'to = 20' 'max-rise-time = 1ms'
    exits 1 hidmotor -q -l "$fast" verify spec.ini
    has "$output" "ok 1 - calm: overshoot" "not ok 2 - quick: rise time"
    while IFS='|' read -r code line said; do
        spec 'joint = m2' 'from = 0' 'to = 20' "$line" 'max-overshoot = 20%'
        fails "$code" hidmotor -q -l "$fast" verify spec.ini
        has "$why" "$said"
    done <<'END'
2|gains = 1 0|gains: three numbers required
2|switch = perhaps|switch: 'perhaps' is not yes or no
2|controller = pos|unknown key
6|to = 120|leaves the range
2|joint = m9|joint 'm9' not found
END
}
