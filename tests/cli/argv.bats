#!/usr/bin/env bats
# Single commands: encode, decode, describe and rejected input.
load common.bash

# ---- Encode and decode ---------------------------------------------------------------------------

@test "encode prints the documented bytes" {
    ok armctl encode deg joint=1 angle=90 seq=0
    same "$output" "30 44 45 47 31 2C 30 39 30 0D 0A"
    ok armctl encode arm r=250 theta=45 h=120 seq=1
    same "$output" "31 41 52 4D 32 35 30 2C 30 34 35 2C 31 32 30 0D 0A"
    ok unitysim encode camera_request
    same "$output" "FF FF 03 FC"
    ok canpid encode kp board=lknee controller=tor value=0.6
    same "$output" "041#9A99193F0200"
    ok hidmotor encode gripper value=180
    matches "$output" "AA 07 00 00 B4*"
    same "$(wc -w <<<"$output")" 64
}

@test "decode prints one JSON record" {
    ok armctl decode -j 30444547312C3039300D0A
    same "$(wc -l <<<"$output")" 1
    same "$(json '[.msg,.joint,.angle]')" '["deg",1,90]'
    ok canpid decode -j 041#9A99193F0200
    same "$(json '[.msg,.board,.controller,.value]')" '["kp","lknee","tor",0.6]'
    ok hidmotor decode --dir tx -j "$(hidmotor encode gripper value=180)"
    same "$(json '[.dir,.msg,.value]')" '["tx","gripper",180]'
}

@test "ezphys: decode reads what encode wrote, on every wire" {
    fields="id=7 position.x=1.5 position.y=-2 position.z=0.49 rotation.w=1 rotation.x=0 rotation.y=0
        rotation.z=0 force.x=3 force.y=4 force.z=5 torque.x=0.1 torque.y=0.2 torque.z=0.3
        linear_velocity.x=0 linear_velocity.y=0 linear_velocity.z=-4.905
        angular_velocity.x=0.5 angular_velocity.y=-0.5 angular_velocity.z=0.25"
    # shellcheck disable=SC2086 # words
    for wire in le32 be32 packed8 stream name32; do
        [ $wire = name32 ] && id=name=arm || id=id=7
        ok ezphys --wire $wire encode limb ${fields/id=7/$id}
        ok ezphys --wire $wire decode -j "$output"
        same "$(json '[.msg,.position.x,.linear_velocity.z,.angular_velocity.y]')" \
            '["limb",1.5,-4.905,-0.5]'
        same "$(json '.id // .name')" "$([ $wire = name32 ] && echo '"arm"' || echo 7)"
    done
}

@test "encode --raw writes the bytes, decode reads them from a file and from standard input" {
    armctl encode --raw deg joint=1 angle=90 >bytes
    same "$(od -An -tx1 bytes)" " 30 44 45 47 31 2c 30 39 30 0d 0a"
    ok armctl decode -j bytes
    same "$(json .angle)" 90
    ok armctl decode -j - <bytes
    same "$(json .angle)" 90
    ok armctl decode -j <bytes
    same "$(json .angle)" 90
}

@test "encode -j and describe -j print JSON" {
    ok armctl -j encode deg joint=1 angle=90 seq=0
    same "$(json .bytes)" '"30 44 45 47 31 2C 30 39 30 0D 0A"'
    for tool in $tools; do
        ok $tool -j describe
        same "$(jq -r .protocol <<<"$output")" "$tool"
        same "$output" "$($tool describe --as json)"
    done
}

@test "decode accepts hex in either case, with and without blanks" {
    for words in "30444547312C3039300D0A" "30444547312c3039300d0a" \
        "30 44 45 47 31 2C 30 39 30 0D 0A" \
        "3044 4547 312C 3039 300D 0A"; do
        # shellcheck disable=SC2086 # also as words of their own
        ok armctl decode -j $words
        same "$(json .angle)" 90
        ok armctl decode -j "$words"
        same "$(json .angle)" 90
        ok armctl decode -j <<<"$words"
        same "$(json .angle)" 90
    done
}

@test "decode reports damage in a stream, decodes the rest and exits 5" {
    {
        armctl encode --raw deg joint=1 angle=1
        printf 'rubbish\r\n'
        armctl encode --raw deg joint=1 angle=2
    } >s
    run -5 --separate-stderr armctl decode -j s
    same "$(jq -r 'select(.msg) | .angle' <<<"$output" | xargs)" "1 2"
    has "$stderr" "s: "
    has "$stderr" "1 damaged part, 2 records decoded"
}

@test "decode rejects invalid frames with exit 5" {
    fails 5 armctl decode 3
    has "$why" "half a byte"
    fails 5 armctl decode FFFFFF
    fails 5 unitysim decode FF FF 03 FD
    has "$why" checksum
    fails 5 canpid decode 841#00
    has "$why" "11 bits"
    ok canpid decode <<<041#R
    has "$stderr" "skipped 1 remote frame"
}

@test "decode rejects a long frame truncated at any length" {
    frame=$(unitysim encode control elbow.velocity=45 | tr -d ' ')
    for n in $(seq 2 2 $((${#frame} - 2))); do
        run -5 --separate-stderr unitysim decode "${frame:0:n}"
    done
}

@test "describe prints every message of every tool in at most 80 columns" {
    for tool in $tools; do
        ok $tool describe
        [ "$(wc -L <<<"$output")" -le 80 ]
        ok $tool describe --as json
        jq -e '.messages | length > 3' <<<"$output"
        for message in $(jq -r '.messages[].name' <<<"$output" | sort -u); do
            ok $tool describe "$message"
            has "$output" "$message"
        done
        ok $tool describe --as md
        has "$output" "#"
    done
    fails 2 armctl describe dge
    has "$why" "did you mean 'deg'"
}

# ---- What is refused -----------------------------------------------------------------------------

@test "unknown names get a suggestion and exit 2" {
    fails 2 armctl dge 1 90
    has "$why" "did you mean 'deg'?"
    fails 2 armctl encode dge joint=1
    has "$why" "did you mean 'deg'?"
    fails 2 armctl encode deg joint=1 agle=9
    has "$why" "did you mean 'angle'?"
    fails 2 armctl --jsno deg 1 90
    has "$why" "did you mean '--json'?"
    fails 2 armctl --time isoo decode 30
    has "$why" "iso"
    fails 2 canpid encode kp board=lkne controller=tor value=1
    has "$why" "did you mean 'lknee'?"
    fails 2 armctl -l "$fast" deg 1 angel=90
    has "$why" "angle"
}

@test "unknown names without a similar one get a hint where to look" {
    fails 2 armctl frobnicate
    has "$why" "armctl help"
    fails 2 armctl encode frobnicate
    has "$why" describe
    fails 2 armctl -X deg 1 90
    has "$why" help
    fails 2 armctl --frobnicate
    has "$why" help
    fails 2 armctl decode --fields frobnicate 30
    has "$why" "there is seq, ack"
    fails 2 armctl decode --format '%{frobnicate}' 30
    has "$why" frobnicate
    fails 2 armctl decode --format '%{angle' 30
    fails 2 armctl completion tcsh
    has "$why" "no shell 'tcsh' — use bash, zsh or fish"
    fails 2 unitysim limits st
    has "$why" "did you mean 'set'"
    fails 2 canpid gains svae x
    has "$why" "did you mean 'save'"
    fails 2 hidmotor -q -l sim: move elbo=30
    has "$why" "did you mean 'elbow'?"
    fails 2 unitysim move elbow 2300
    has "$why" "'elbow' has no value — write elbow=VALUE"
    fails 2 armctl help frobnicate
    fails 2 armctl config frobnicate
}

@test "units are converted; wrong and unknown units are rejected" {
    ok armctl encode mov distance=-2.5m
    same "$output" "$(armctl encode mov distance=-2500)"
    ok armctl encode deg joint=1 angle=0.25rev
    same "$output" "$(armctl encode deg joint=1 angle=90)"
    fails 2 armctl encode deg joint=1 angle=9mm
    has "$why" "wrong unit"
    has "$why" "use deg"
    fails 2 armctl encode deg joint=1 angle=9dge
    has "$why" "unknown unit 'dge'"
    fails 2 armctl -l "$fast" deg 1 90mm
    fails 2 armctl --for 5mm watch
}

@test "invalid numbers exit 2 and are never sent as values" {
    for text in nan NaN -nan inf Infinity -inf 1e999 -1e999 \
        '' ' ' 4O 90x 0x 1e --5 9,5 '90 deg' 1/2; do
        fails 2 armctl encode deg joint=1 "angle=$text"
        has "$why" angle
        fails 2 armctl --dry-run deg 1 "angle=$text"
    done
}

@test "fractional degrees and millimetres are rejected with exit 2" {
    fails 2 armctl encode deg joint=1 angle=90.5
    has "$why" "not a whole number"
    fails 2 armctl -l "$fast" deg 1 90.5
    fails 2 armctl -l "$fast" pos 2 0.5mm
    fails 2 armctl -l "$fast" arm 250 45.25 120
    fails 2 armctl -l "$fast" --force deg 1 90.5
}

@test "counts and identifiers must be whole numbers, even with --force" {
    while read -r words; do
        # shellcheck disable=SC2086 # words
        fails 2 $words
        has "$why" "is not a whole number"
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

@test "finite numbers out of range exit 6 and the message gives the range" {
    fails 6 armctl encode deg joint=1 angle=99999
    has "$why" "-360 to 360 deg"
    fails 6 armctl encode deg joint=10 angle=9
    has "$why" "0 to 9"
    fails 6 armctl -l "$fast" deg 1 400
    has "$why" 360
    fails 6 armctl -l "$fast" deg 1 -1
    has "$why" "--signed"
    fails 6 armctl -l "$fast" pos 2 1000
    fails 6 armctl -l "$fast" arm 250 361 120
    fails 6 hidmotor encode gripper value=1e9
    fails 6 unitysim encode control elbow.velocity=1024
    fails 6 canpid encode kp board=lknee controller=tor value=1e39
    for text in 1e300 -1e300 9007199254740993 1e18; do
        fails 6 armctl encode deg joint=1 "angle=$text"
    done
}

@test "--force overrides limits but not the range of the wire field" {
    ok armctl encode --force deg joint=1 angle=400
    same "$output" "$(printf '0DEG1,400\r\n' | od -An -tx1 | tr a-f A-F | xargs)"
    fails 6 armctl encode --force deg joint=1 angle=10000
    fails 2 armctl encode --force deg joint=1 angle=nan
    fails 6 unitysim encode --force control elbow.velocity=65536
}

@test "missing, surplus and duplicate arguments are rejected" {
    fails 2 armctl deg 1
    has "$why" "usage: deg JOINT ANGLE"
    fails 2 armctl deg
    has "$why" "joint is missing"
    fails 2 armctl -l "$fast" deg 1 90 2
    has "$why" "angle is missing"
    fails 2 armctl -l "$fast" arm 1 2 3 4
    has "$why" "'4' is too much"
    fails 2 armctl -l "$fast" arm r=1 r=2 theta=3 h=4
    has "$why" "twice"
    fails 2 armctl encode deg joint=1 joint=2 angle=9
    has "$why" "twice"
    fails 2 armctl encode deg joint=1
    has "$why" "angle is missing"
    fails 2 armctl encode
    has "$why" "usage: encode"
    fails 2 armctl --link
    has "$why" "--link URL"
    fails 2 armctl --json=yes list
    has "$why" "takes no value"
}

@test "a blank between number and unit is rejected, and the message shows the correct form" {
    fails 2 armctl -l "$fast" pos 1 12 cm
    has "$why" "pos: '12 cm': a blank behind the number — write 12cm"
    fails 2 hidmotor -l sim: move 10 deg 20 30
    has "$why" "write 10deg"
    fails 2 unitysim -l sim: move elbow=45 deg
    has "$why" "write 45deg"
    fails 2 armctl -l "$fast" deg 1 90 --for 5 s
    has "$why" "write 5s"
    run -2 --separate-stderr armctl -l "$fast" <<<"deg 1 90 deg"
    has "$stderr" "stdin:1:7: deg: '90 deg'"
    run -2 --separate-stderr armctl -l "$fast" nonsense 90 deg
    has "$stderr" "no command 'nonsense'"
}

@test "arguments by name work in any order, mixed with options" {
    expected=$(armctl --dry-run deg 1 90)
    ok armctl deg --dry-run angle=90 joint=1
    same "$output" "$expected"
    ok armctl deg 1 90deg --dry-run
    same "$output" "$expected"
    ok armctl deg joint=1 90 --dry-run
    same "$output" "$expected"
    ok armctl --dry-run -- deg 1 90
    same "$output" "$expected"
    ok armctl --dry-run deg 1 90 2 45
    same "$(grep -c '^->' <<<"$output")" 2
    ok armctl --dry-run mov -250mm
    has "$output" "2D 30 32 35 30"
}

@test "a very long argument is rejected, not truncated" {
    long=$(printf '%05000d' 0)
    fails 2 armctl "$long"
    fails 2 armctl encode "$long"
    fails 2 armctl encode deg joint=1 "angle=x$long"
    fails 2 armctl encode deg "$long=1"
    fails 2 armctl "--$long"
    fails 2 armctl -l "$fast" send "DEG1,$long"
    fails 2 armctl -l "$long" deg 1 90
}

@test "a command line with too many arguments is rejected, not truncated" {
    mapfile -t many < <(yes 1 | head -n 252)
    ok armctl -q -l "$fast" --dry-run deg "${many[@]:2}"
    fails 2 armctl -q -l "$fast" deg "${many[@]}" --dry-run
    has "$why" "256 words"
    same "$output" ""
    fails 2 canpid decode "${many[@]/#*/041#9A99193F0200}" 1 2 3 4
}

@test "decode accepts hex of any length as an argument" {
    for ((i = 0; i < 300; i++)); do
        printf '03000000%02x010000080000000000803f00000040' $((i % 256))
    done >packets
    ok ezphys decode -j "78170000""2c010000$(cat packets)"
    same "${#lines[@]}" 300
}

@test "an error with -j prints one line on stderr and one JSON object" {
    for arguments in "dge 1 90" "deg 1" "deg 1 nan" "deg 1 400" \
        "-l serial:/dev/nope deg 1 90" "decode zz"; do
        # shellcheck disable=SC2086 # words
        run --separate-stderr armctl -j $arguments
        [ "$status" -ne 0 ]
        same "$(wc -l <<<"$stderr")" 1
        same "$(wc -l <<<"$output")" 1
        same "$(json .ok)" false
        same "$(json .exit)" "$status"
        same "armctl: $(jq -r .why <<<"$output")" "$stderr"
    done
}

@test "--help and --version work for every tool and command" {
    for tool in $tools; do
        ok $tool --version
        matches "$output" "$tool [0-9]*.[0-9]*"
        ok $tool help --help-all
        for command in $(sed -n '/^Commands/,/^$/s/^  \([a-z_]*\).*/\1/p' <<<"$output"); do
            ok $tool help "$command"
            has "$output" "$command"
            first=$output
            ok $tool "$command" --help
            same "$output" "$first"
        done
        ok $tool -h
        has "$output" "--help-all"
        ok $tool --help-all
        has "$output" "Exit codes"
    done
}

@test "the example of every config section in the help is valid" {
    for tool in $tools; do
        $tool help config | sed -n 's/^  \(\[.*\|[a-z]* = [^ ]*\)$/\1/p' >"$tool.ini"
        has "$(<"$tool.ini")" "[options]"
        sed -i '/^link = @arm$/d' "$tool.ini"
        ok $tool --config "$tool.ini" config show
        same "$stderr" ""
    done
}
