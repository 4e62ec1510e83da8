#!/usr/bin/env bats
# Commands from a pipe and from a file, as lines and as JSON objects.
load common.bash

script() { printf '%b' "$1" | armctl -q -l "$fast" "${@:2}"; }

@test "a script mixes commands, comments and JSON objects such as the output of --json" {
    ok script 'deg 1 10\ndeg 1 20 # comment\n{"cmd":"arm","r":250,"theta":45,"h":120}\n' -j
    same "$(jq -c 'select(.cmd) | [.cmd,.ok,.result]' <<<"$output" | sort | uniq -c | xargs)" \
        '1 [arm,true,confirmed] 2 [deg,true,confirmed]'
    prints "angle=10deg result=confirmed" script '\xEF\xBB\xBFdeg 1 10\r\n'
    fails_with 2 "stdin:2:1: " script 'deg 1 10\n\xEF\xBB\xBFdeg 1 10\n'
    armctl -q -l "$fast" -j deg 1 90 2 45 >moves
    armctl encode arm r=250 theta=45 h=120 --raw | armctl decode -j --dir tx >>moves
    ok armctl -q -l "$fast" -j <moves
    same "$(jq -c 'select(.ok) | [.joint,.angle,.r]' <<<"$output" | xargs)" \
        "[1,90,null] [2,45,null] [null,null,250]"
}

@test "an invalid line ends the script with its exit status and line number, except with --keep-going" {
    exits_with 2 "stdin:2:1: unknown command 'dge'" script 'deg 1 10\ndge 1 20\ndeg 1 30\n' -j
    same "$(grep -c '"ok":true' <<<"$output")" 1
    same "$(json '[.ok,.exit]')" '[false,2]'
    fails 2 hidmotor -q -l "$fast" <<<'sleep 1' # does not suggest sweep, which moves a joint
    has "$why" "stdin:1:1: unknown command 'sleep' — did you mean 'pause'?"
    fails_with 6 "stdin:4:" script 'deg 1 10\n\n# nothing\ndeg 1 400\n'
    fails_with 2 "stdin:2:9: " script 'deg 1 10\n  deg 1 frob\n'
    run -6 --separate-stderr script 'deg 1 10\ndeg 1 400\ndge\ndeg 1 30' -k
    same "${#lines[@]}" 2
    has "$stderr" "stdin:2:1: " "stdin:3:1: "
}

@test "pause waits in every tool, and lets a motion continue in a script" {
    local -A fast_of=([ezphys]=sim:)
    for tool in $tools; do
        ok "$tool" -q -j -l "${fast_of[$tool]:-$fast}" pause 200ms
        same "$tool: $(json .time)" "$tool: 0.2"
        fails 2 "$tool" -q pause 1kg
        [ "$tool" = ezphys ] || ok timeout 20 "$tool" -q -l "$fast" pause 1000s # returns at once in virtual time
    done
    ok hidmotor -q -j -l "$fast" <<<$'move m2=30 duration=500ms\npause 1\nstatus'
    same "$(jq -s '.[-1].m2.actual | fabs > 25' <<<"$output")" true
    ok ezphys -q -j -l sim: <<<$'motor hinge 1 1000\npause 1s\nstatus'
    same "$(jq -s '.[-1].hinge.actual | . > 0.9' <<<"$output")" true
}

@test "run FILE executes a script and names the file in errors; a script cannot run itself" {
    printf 'deg 1 10\ndge 1 20\ndeg 1 30\n' >moves
    fails_with 2 "moves:2:1: " armctl -q -l "$fast" run moves
    same "${#lines[@]}" 1
    run -2 armctl -q -k -l "$fast" run moves
    fails_with 2 "nothing-here" armctl run nothing-here
    fails 2 armctl -k run .
    printf 'deg 1 10\nrun again\n' >again
    fails 2 armctl -q -l "$fast" run again
    has "$why" "again:2:1: run: again: scripts nested 16 deep — check whether it runs itself"
    same "${#lines[@]}" 16
    printf 'deg 1 10\n' >one
    printf 'run one\n%.0s' {1..20} >many
    prints_lines 20 armctl -q -l "$fast" run many
}

@test "an overlong script line is rejected as one line" {
    long=$(printf '%04096d' 0)
    fails_with 2 "stdin:1:1: the line is longer" script "deg 1 $long\ndeg 1 10\n"
    same "$output" ""
    for size in 4096 5000 8191 8192 20000 100000; do
        { echo "deg 1 10"; head -c $size /dev/zero | tr '\0' x; echo; echo "deg 1 20"; } >lines
        run -2 --separate-stderr bash -c "armctl -q -k -l '$fast' <lines"
        same "${#lines[@]}" 2
        same "$(wc -l <<<"$stderr")" 1
        has "$stderr" "stdin:2:1: the line is longer"
        run -2 --separate-stderr bash -c "cat lines | armctl -q -k -j -l '$fast'"
        same "$(jq -c 'select(.cmd or .exit) | .ok' <<<"$output" | xargs)" "true false true"
    done
    ok script "deg 1 10 #$(printf '%04000d' 0)\n"
}

@test "quit ends a script, and options on a line apply to that line only" {
    prints_lines 1 script 'deg 1 10\nquit\ndeg 1 20\n'
    fails_with 2 "stdin:1:1: no command given — write it on the same line as the options" script '-j\n'
    ok script 'deg 1 10 -j\ndeg 1 20\n'
    matches "${lines[0]}" '{*'
    matches "${lines[2]}" 'deg joint=1 angle=20deg*'
}

@test "the first line of a slow pipe runs at once" {
    mkfifo in out
    armctl -q -l "$fast" <in >out 3>&- &
    client=$!
    started+=("$client")
    exec {in}>in {out}<out
    for angle in 10 20 30; do
        echo "deg 1 $angle" >&"$in"
        read -t 20 -r line <&"$out"
        matches "$line" "deg joint=1 angle=${angle}deg*"
    done
    exec {in}>&-
    wait "$client"
}

@test "a --raw record is rejected on a link with an unknown variant" {
    raw() { MALLOC_PERTURB_=165 unitysim -l 'udp:?compat=99' <<<'{"msg":"control","raw":true}'; }
    fails_with 2 "stdin:1:1: link key compat=99: not supported" raw
}
