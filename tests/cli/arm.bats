# armctl and the published handler: each process gets only its own confirmations.
load common

published='sim:?time=virtual&quirks=published'

describe_joints() {
    cat >joints.ini <<'INI'
[joint base]
index = 1
[joint elbow]
index = 2
kind = pulse
max = 1800
INI
    export ARMCTL_CONFIG=$D/joints.ini
}

@test "a single stop command leaves the right sequence digit for the next commands" {
    printf '[joint elbow]\nindex = 2\n' >joints.ini
    export ARMCTL_CONFIG=$D/joints.ini
    start sim armctl sim --listen "pty:$D/arm" --turn-speed 5000
    for words in 'deg elbow 120' stop 'deg elbow 121' stop stop ping 'deg elbow 30'; do
        silent armctl -q -l "$D/arm" $words
        hasnt "$output" flipped retries=1
    done
}

# bats test_tags=long
@test "a hundred armctl processes in sequence report what the simulator executed" {
    for name in fast slow loss bare published published-loss; do
        python3 "$root/tests/cli/arm_processes.py" "$D" "$name" 1 "${PROCESSES:-100}" >"$name.out" || {
            cat "$name.out"
            false
        }
    done
}

@test "the published handler confirms pulses and duties without values; stop stops its motors" {
    ok armctl -q -j -l "$published" pulse 2 1500
    same "$(json '[.cmd, .pulse, .result, .bare]')" '["pulse",1500,"confirmed",true]'
    prints 'duty joint=3 duty=-500 result=confirmed bare=true' armctl -q -l "$published" duty 3 -500
    gives_json '[.result, .answer]' '["confirmed","DEG"]' armctl -q -j -l "$published" send DEG12,090
    for line in POS2,120 ARM250,045,120; do # known message types that this handler does not implement
        fails_with 3 'not confirmed' armctl -q -l "$published" send "$line"
    done
    for line in DEG1,abc XYZ1 SPDx,500; do
        gives_json '[.result, .answer, .ms < 1000]' '["acked","",true]' armctl -q -j -l "$published" send "$line"
    done
    prints_no '"ok":false' armctl -q -j -l "$published" --keep-going <<<$'send DEG1,abc\nping\nping'
    start sim armctl sim -v --listen "pty:$D/arm" --quirks published
    ok armctl -q -l "$D/arm" duty 3 500
    prints "sent=SPD3,000" armctl -q -l "$D/arm" stop
    prints "sent=SPD3,000" armctl -q -l "$D/arm" stop
    remarks "SPD1,000" armctl -l "$D/arm" <<<'duty 1 -300' # the motion is still running at the end of the script
}

@test "send refuses text that is not a packet, also in a dry run" {
    long=$(printf 'A%.0s' {1..5000})
    for line in "$long" "${long:0:32}" DE 'DEG1, 90'; do
        fails_with 2 "invalid packet" armctl -q -l "$fast" send "$line"
        fails_with 2 "invalid packet" armctl -q --dry-run send "$line"
        same "$output" ""
    done
    fails_with 2 "an ACK cannot be a command" armctl -q --dry-run send ACK0
}

@test "without a profile, stop after a killed command returns to the last position, or exits 1 if it is unknown" {
    start sim armctl sim --listen "pty:$D/arm" --turn-speed 100
    killed() { # kills armctl during a motion, without a stop
        armctl -v -l "$D/arm" --hold deg 1 350 2>sent >/dev/null 3>&- &
        client=$!
        until grep -q -- '<- 30 41 43 4B' sent; do read -r -t 0.02 _ <> <(:) || true; done
        end "$client" KILL
    }
    prints "nothing-to-send" armctl -q -l "$D/arm" stop # no position was ever sent
    killed
    fails_with 1 "stop: cannot stop DEG1,350: earlier position unknown" armctl -q -l "$D/arm" stop
    ok armctl -q -l "$D/arm" deg 1 20
    killed
    prints "stop result=confirmed" armctl -q -l "$D/arm" stop
    has "$output" sent=DEG1,020
}

@test "confirmations of the stop after a broken pipe are not assigned to the next program" {
    printf '[joint base]\nindex = 1\n' >joints.ini
    export ARMCTL_CONFIG=$D/joints.ini
    start sim armctl sim --listen "pty:$D/arm" --turn-speed 200
    for round in 1 2 3 4; do
        printf 'deg base %s\n' 20 90 20 | armctl -q -l "$D/arm" 2>err | head -n 1 >first || true
        ok armctl -q -l "$D/arm" deg base 45
        armctl -q -l "$D/arm" deg base $((round * 20)) 2>err | head -c 0 || true
        prints "result=confirmed" armctl -q -l "$D/arm" deg base 30
    done
}

@test "the next command is confirmed after head -1 has closed the pipe of armctl -j, with 20 arms at once" {
    printf '[joint base]\nindex = 1\n' >joints.ini
    export ARMCTL_CONFIG=$D/joints.ini
    each() { # each N: closes the pipe during a motion of arm N; the next command must be confirmed
        armctl -q -l "$D/arm$1" deg base 20
        printf 'deg base %s\n' 20 90 | armctl -q -j -l "$D/arm$1" 2>"err$1" | head -n 1
        armctl -q -l "$D/arm$1" deg base 45 && : >"done$1"
    }
    for i in {1..20}; do
        start "sim$i" armctl sim --listen "pty:$D/arm$i"
        each "$i" >"out$i" 2>&1 3>&- &
        runs[i]=$!
    done
    wait "${runs[@]}" || true
    [ "$(grep -l 'returned to the last' err* | wc -l)" -gt 0 ]
    [ -z "$(grep -h instead out*)" ]
    same "$(printf '%s\n' done* | wc -l)" 20
}

@test "stop after spd and deg stops the vehicle" {
    start sim armctl sim --listen "pty:$D/arm" --turn-speed 1000
    ok armctl -q -l "$D/arm" spd 100
    ok armctl -q -l "$D/arm" deg 1 20
    prints "sent=SPD000" armctl -q -l "$D/arm" stop
    prints "sent=SPD000" armctl -q -l "$D/arm" stop
}

@test "a command checks all joints and numbers before the first joint moves" {
    describe_joints
    for words in 'move 1=90 2=2001' 'move 1=90 3=400' 'deg 1 90 2 2001' 'deg base 90 3 400' 'pos 3 90 4 1000'; do
        run -6 --separate-stderr armctl -v -l sim: $words
        hasnt "$stderr" "->"
    done
    run -2 --separate-stderr armctl -v -l sim: deg 1 90 ebow 10
    hasnt "$stderr" "->"
    for value in 1e39 -1e300 1e308 nan inf -inf; do
        for words in "deg 1 $value 5" "deg $value 5" "pos $value 5" "arm $value 0 0" "mov $value" \
            "spd $value" "pulse $value 1500" "pulse 2 $value" "duty $value 1" "duty 3 $value"; do
            for force in '' --force; do
                run --separate-stderr armctl -q -l "$fast" $force $words
                [ "$status" = 2 ] || [ "$status" = 6 ] || { echo "$words: $status" && false; }
            done
        done
    done
}

@test "jog of a joint without a profile uses the unit of its last confirmed command" {
    start sim armctl sim --listen "pty:$D/arm"
    ok armctl -q -l "$D/arm" pos 3 100
    gives_json '[.position,.result]' '[110,"confirmed"]' armctl -q -j -l "$D/arm" jog 3 +10mm # a different process
    gives_json .position 100 armctl -q -j -l "$D/arm" jog 3 -1cm
    fails_with 2 "wrong unit 'deg' — use mm" armctl -q -l "$D/arm" jog 3 +10deg
}

@test "kind = pulse: deg sends pulses within the joint's limits in us" {
    describe_joints
    ok armctl -q -j -l "$published" deg elbow 1500
    same "$(json '[.cmd, .joint, .pulse, .result]')" '["deg",2,1500,"confirmed"]'
    prints '30 44 45 47 32 2C 31 35 30 30 0D 0A' armctl -q -l "$published" --dry-run deg elbow 1.5ms
    fails_with 6 'elbow: 1900 us is above its maximum 1800 us' armctl -q -l "$published" deg elbow 1900
    fails 6 armctl -q -l "$published" deg elbow 900
    fails 6 armctl -q -l "$published" --force deg elbow 9000
    fails 2 armctl -q -l "$published" deg elbow 90deg
    fails 2 armctl -q -l "$published" pos elbow 100
    prints '"pulse":1500' armctl -q -j -l "$published" home
    printf '[joint x]\nindex = 1\nkind = pulse\nmax = 9000\n' >joints.ini
    fails_with 2 '500 to 2500' armctl -q -l "$published" deg x 1500
}

@test "role selects the joints of the command arm in limits, result, simulator and status" {
    prints 'joints.r=3 joints.theta=1 joints.h=2' armctl -q -l 'sim:?time=virtual' arm 250 45 120
    cat >joints.ini <<'INI'
[joint waist]
index = 5
role = theta
max = 120
[joint boom]
index = 2
kind = translate
role = r
max = 300
[joint mast]
index = 6
kind = translate
role = h
INI
    export ARMCTL_CONFIG=$D/joints.ini
    ok armctl -q -j -l 'sim:?time=virtual' arm 250 45 120
    same "$(jq_itself -c .joints <<<"${output##*$'\n'}")" '{"r":"boom","theta":"waist","h":"mast"}'
    ok armctl -q -j -l 'sim:?time=virtual' <<<$'arm 250 45 120\nstatus'
    same "$(json '[.boom.actual, .waist.actual, .mast.actual]')" '[250,45,120]'
    fails_with 6 'waist: 121 deg is above its maximum 120 deg' armctl -q -l 'sim:?time=virtual' arm 250 121 120
    printf '[joint elbow]\nindex = 2\n' >joints.ini
    fails 2 armctl -q -l 'sim:?time=virtual' arm 250 45 120
    has "$why" 'elbow: the arm command uses joint 2 for h by default, which needs a translating joint (mm), not a rotating one'
    printf '[joint a]\nindex = 4\nrole = theta\n[joint b]\nindex = 5\nrole = theta\n' >joints.ini
    fails_with 2 '[joint b]: role theta already belongs to [joint a]' armctl -q -l 'sim:?time=virtual' arm 250 45 120
    # Uses only the section [joint] that help prints.
    armctl help config | sed -n '/^  \[joint/,$s/^  \(\[joint .*\|[a-z]* = [^ ]*\)$/\1/p' >joints.ini
    gives_json .joints.theta '"base"' armctl -q -j -l 'sim:?time=virtual' arm 250 45 120
}
